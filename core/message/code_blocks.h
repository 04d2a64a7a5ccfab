// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/code_lines.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

using CodeNames = std::set<std::string, std::less<>>;

/// What a statement of Python can be inside of.
enum class CodeBlock : std::uint8_t {
    other,
    loop,
    no_grad, ///< With it, or in a function that it decorates.
    function,
    forward,
    evaluation, ///< "def evaluate(…)", "def validate(…)".
    dataset,
    collate ///< And __getitem__.
};

struct CodeLoop {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::size_t outer = kNone;
    bool iterates = false; ///< Over batches, or runs a model, a backward or a step.
    bool goes_backward = false;
    CodeNames dropped; ///< By `del`.
    CodeNames begun; ///< Set anew in each turn, by no model.
};

/// The blocks that are open, by indents, as one statement after the other is read.
class CodeBlocks {
public:
    /// Closes what a statement is no longer in and opens what it begins. What is left of it to be
    /// read: "for x in xs: f(x)" leaves the call. O(statement).
    std::string_view enter(const CodeStatement& statement);

    [[nodiscard]] bool isInside(CodeBlock kind) const;
    /// Its number in `loops`, or CodeLoop::kNone.
    [[nodiscard]] std::size_t innermostLoop() const;
    /// That a loop and those around it run a model; itself a backward, too.
    void mark(std::size_t loop, bool goes_backward);

    std::vector<CodeLoop> loops; ///< All that were opened.

private:
    struct Open {
        std::size_t indent = 0;
        CodeBlock kind = CodeBlock::other;
        std::size_t loop = CodeLoop::kNone;
    };

    void open(std::size_t indent, std::string_view header);

    std::vector<Open> m_open;
    bool m_is_decorated = false;
};

} // namespace tidemark::diagnose
