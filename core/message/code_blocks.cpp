// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/code_blocks.h"

#include "core/base/ascii.h"
#include "core/message/code_words.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kDeepestBlock = 64;

/// Where the header of a loop ends; npos: it is none. "for example:" has one word too few.
std::size_t endOfLoopHeader(std::string_view text)
{
    if (text.starts_with("while ") || text.starts_with("while(")) {
        return text.find(':');
    }
    static constexpr std::string_view kAsync = "async ";
    if (text.starts_with(kAsync)) {
        const std::size_t end = endOfLoopHeader(text.substr(kAsync.size()));
        return end == std::string_view::npos ? end : end + kAsync.size();
    }
    if (!text.starts_with("for ")) {
        return std::string_view::npos;
    }
    std::size_t in = text.find("in", 5);
    while (in != std::string_view::npos
           && ((text[in - 1] != ' ' && text[in - 1] != ')') || in + 2 >= text.size()
               || std::string_view(" ([{").find(text[in + 2]) == std::string_view::npos)) {
        in = text.find("in", in + 1);
    }
    const bool is_loop =
        in != std::string_view::npos && text.substr(4, in - 5).find(' ') == std::string_view::npos;
    if (!is_loop) {
        return std::string_view::npos;
    }
    return colonIn(text, in);
}

/// Where the header of "if x: f(x)" ends; npos: it is none.
std::size_t endOfOtherHeader(std::string_view text)
{
    static constexpr std::array<std::string_view, 6> kBegins{"if ",   "if(",   "elif ",
                                                             "else:", "with ", "try:"};
    if (std::ranges::none_of(kBegins, [&](std::string_view b) { return text.starts_with(b); })) {
        return std::string_view::npos;
    }
    return colonIn(text);
}

/// Not "range(batch_size)", which runs over samples.
bool runsOverBatches(std::string_view header)
{
    return containsAnyPiece(
        header, {"load", "dataset", "epoch", "batch in", "for batch", ",batch", "batches"});
}

CodeBlock kindOfFunction(std::string_view header)
{
    const std::string name = lowered(nameOf(header.substr(header.find("def ") + 4)));
    if (name.ends_with("_step") || name.ends_with("_epoch_end")) {
        return CodeBlock::function; // a trainer's own, with no_grad around it
    }
    for (const std::string_view begin : {"eval", "valid", "test", "predict", "infer"}) {
        if (name.starts_with(begin)) {
            return CodeBlock::evaluation;
        }
    }
    return name.starts_with("forward") || name == "__call__"      ? CodeBlock::forward
        : name == "val"                                           ? CodeBlock::evaluation
        : name == "__getitem__" || containsPiece(name, "collate") ? CodeBlock::collate
                                                                  : CodeBlock::function;
}

} // namespace

std::string_view CodeBlocks::enter(const CodeStatement& statement)
{
    const std::string_view text = statement.text;
    while (!m_open.empty() && m_open.back().indent >= statement.indent) {
        m_open.pop_back();
    }
    if (text.starts_with("@")) {
        m_is_decorated = m_is_decorated || containsAnyPiece(text, {"no_grad", "inference_mode"});
        return {};
    }
    std::size_t end = endOfLoopHeader(text);
    if (end == std::string_view::npos) {
        end = endOfOtherHeader(text);
    }
    if (end != std::string_view::npos) {
        open(statement.indent, text.substr(0, end + 1));
        return text.substr(end + 1);
    }
    if (text.ends_with(":")) {
        open(statement.indent, text);
        return {};
    }
    return text;
}

void CodeBlocks::open(std::size_t indent, std::string_view header)
{
    if (m_open.size() >= kDeepestBlock) {
        return;
    }
    Open block{indent, CodeBlock::other, CodeLoop::kNone};
    if (endOfLoopHeader(header) != std::string_view::npos) {
        block.kind = CodeBlock::loop;
        block.loop = loops.size();
        loops.push_back({innermostLoop(), runsOverBatches(lowered(header)), false, {}, {}});
    } else if (header.starts_with("with ")) {
        const bool is_off = containsAnyPiece(header, {"no_grad", "inference_mode"})
            || (containsPiece(header, "set_grad_enabled(") && containsPiece(header, "False"));
        block.kind = is_off ? CodeBlock::no_grad : CodeBlock::other;
    } else if (header.starts_with("def ") || header.starts_with("async def ")) {
        block.kind = m_is_decorated ? CodeBlock::no_grad : kindOfFunction(header);
        m_is_decorated = false;
    } else if (header.starts_with("class ") && containsPiece(header, "Dataset")) {
        block.kind = CodeBlock::dataset;
    }
    m_open.push_back(block);
}

bool CodeBlocks::isInside(CodeBlock kind) const
{
    return std::ranges::find(m_open, kind, &Open::kind) != m_open.end();
}

std::size_t CodeBlocks::innermostLoop() const
{
    for (auto block = m_open.rbegin(); block != m_open.rend(); ++block) {
        if (block->kind == CodeBlock::loop) {
            return block->loop;
        }
    }
    return CodeLoop::kNone;
}

void CodeBlocks::mark(std::size_t loop, bool goes_backward)
{
    if (loop != CodeLoop::kNone) {
        loops[loop].goes_backward |= goes_backward;
    }
    while (loop != CodeLoop::kNone) {
        loops[loop].iterates = true;
        loop = loops[loop].outer;
    }
}

} // namespace tidemark::diagnose
