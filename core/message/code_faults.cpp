// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/code_faults.h"

#include "core/base/ascii.h"
#include "core/message/code_blocks.h"
#include "core/message/code_lines.h"
#include "core/message/code_words.h"
#include "core/message/log_window.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLongestShownCode = 120;
constexpr std::size_t kNoLoop = CodeLoop::kNone;

/// "self.loss.mean" is of "self.loss" and of "self", too; of "self.loss." before a call as well.
void insertWithOwners(CodeNames& names, std::string_view name)
{
    while (name.ends_with('.')) {
        name.remove_suffix(1);
    }
    while (!name.empty()) {
        names.emplace(name);
        const std::size_t dot = name.rfind('.');
        name = name.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
}

/// A dict of losses, as detectors gather them for one backward: "losses.update(detector_losses)".
bool isManyLosses(std::string_view name)
{
    const std::string small = lowered(name);
    return small.ends_with("losses") || small.ends_with("dict");
}

class CodeReader {
public:
    explicit CodeReader(std::string_view text)
        : m_text(text)
    {
    }

    std::vector<CodeHit> read()
    {
        m_no_grad_somewhere = containsAnyPiece(
            m_text,
            {"no_grad", "inference_mode", "set_grad_enabled", "enable_grad", "autograd.grad"});
        for (const CodeStatement& statement : codeStatements(m_text)) {
            take(statement, m_blocks.enter(statement));
            m_is_frames_code = statement.line.starts_with("File \"");
        }
        closeNames();
        for (const Candidate& candidate : m_candidates) {
            if (isFault(candidate)) {
                addHit(candidate);
            }
        }
        if (m_retaining > 0 && m_retaining == m_backwards) {
            addHit(m_retains);
        }
        std::ranges::stable_sort(m_hits, {}, &CodeHit::line_number);
        return std::move(m_hits);
    }

private:
    struct Candidate {
        CodeFault fault = CodeFault::loss_kept;
        CodeStatement at;
        std::size_t loop = kNoLoop;
        std::string kept; ///< What collects: no fault where backward runs on it.
        std::string source; ///< What is kept, or the state that is carried.
        bool is_total = false;
    };

    void take(const CodeStatement& statement, std::string_view text)
    {
        const std::size_t loop = m_blocks.innermostLoop();
        takeBackward(statement, text, loop);
        takeModes(text);
        takePlaces(statement, text);
        if (isDetachedValue(text)) {
            for (const std::string& name : namesIn(text)) {
                m_cut.insert(name.substr(0, name.find('.')));
            }
        }
        const Assigned assigned = assignedIn(text);
        if (assigned.sign != '\0') {
            takeAssigned(statement, assigned, loop);
        }
        if (!m_is_frames_code || loop != kNoLoop) { // else text_frames.cpp says more
            takeStored(statement, text, loop);
        }
        if (text.starts_with("del ") && loop != kNoLoop) {
            for (const std::string& name : namesIn(text.substr(4))) {
                m_blocks.loops[loop].dropped.insert(name);
            }
        }
    }

    void takeBackward(const CodeStatement& statement, std::string_view text, std::size_t loop)
    {
        if (containsPiece(text, "backward(")) {
            const std::size_t at = text.find("backward(");
            const std::string_view arguments = insideBrackets(text, at + 8);
            for (const std::string_view part : {text.substr(0, at), arguments}) {
                for (const std::string& name : namesIn(part)) {
                    insertWithOwners(m_backwarded, name);
                }
            }
            ++m_backwards;
            m_blocks.mark(loop, true);
            if (containsPiece(arguments, "retain_graph=True")) {
                if (++m_retaining == 1) {
                    m_retains = {CodeFault::retains_graph, statement, loop, {}, {}, false};
                }
            }
            if (containsPiece(arguments, "create_graph=True")) {
                add(CodeFault::creates_graph, statement, loop);
            }
        } else if (containsAnyPiece(text, {".step(", "criterion("}) || callsModel(text)) {
            m_blocks.mark(loop, false);
        }
    }

    [[nodiscard]] bool isWithoutGraph() const
    {
        return m_is_grad_off || m_blocks.isInside(CodeBlock::no_grad);
    }

    /// "self" and "self.net" are evaluated by self.eval(); a teacher's eval() says nothing of them.
    [[nodiscard]] bool isEvaluated(std::string_view callee) const
    {
        const auto isPartOf = [](std::string_view part, std::string_view whole) {
            return part.starts_with(whole)
                && (part.size() == whole.size() || part[whole.size()] == '.');
        };
        return std::ranges::any_of(m_evaluated, [&](const std::string& name) {
            return !name.empty() && (isPartOf(callee, name) || isPartOf(name, callee));
        });
    }

    void takeModes(std::string_view text)
    {
        if (const auto enabled = argumentsOf(text, "set_grad_enabled(")) {
            m_is_grad_off = *enabled == "False"; // from here on, not in a block
        }
        static constexpr std::string_view kEval = ".eval()";
        if (text.ends_with(kEval)) {
            const std::string_view before = text.substr(0, text.size() - kEval.size());
            const std::string name = nameOf(before.substr(before.rfind(' ') + 1));
            m_evaluated.emplace(withoutMethod(name));
        } else if (containsPiece(text, ".train(") && !containsPiece(text, ".train(False")) {
            m_evaluated.clear();
        }
    }

    /// Calls that are a fault wherever they stand.
    void takePlaces(const CodeStatement& statement, std::string_view text)
    {
        const bool is_of_data =
            m_blocks.isInside(CodeBlock::dataset) || m_blocks.isInside(CodeBlock::collate);
        if (const auto arguments = argumentsOf(text, "torch.load("); arguments && !is_of_data) {
            const bool is_on_host = containsAnyPiece(*arguments, {"cpu", "lambda", "meta"});
            if (!is_on_host && !arguments->empty()) {
                add(CodeFault::loads_on_gpu, statement, kNoLoop);
            }
        }
        const std::size_t parallel = text.find("DataParallel(");
        if (parallel != std::string_view::npos
            && (parallel == 0 || text[parallel - 1] == '.' || text[parallel - 1] == '=')) {
            add(CodeFault::data_parallel, statement, kNoLoop);
        }
        const bool moves = containsAnyPiece(
            text, {".cuda(", ".to(device", ".to(self.device", ".to('cuda", ".to(\"cuda"});
        if (moves
            && (m_blocks.isInside(CodeBlock::collate)
                || (m_blocks.isInside(CodeBlock::dataset)
                    && !m_blocks.isInside(CodeBlock::loop)))) {
            add(CodeFault::gpu_in_dataset, statement, kNoLoop);
        }
        if (makesAttentionMatrix(text)) {
            add(CodeFault::attention_matrix, statement, kNoLoop);
        }
    }

    void takeAssigned(const CodeStatement& statement, const Assigned& assigned, std::size_t loop)
    {
        // In a sentence words stand before it.
        const std::string target = nameOf(assigned.target.substr(assigned.target.rfind(' ') + 1));
        const std::string_view value = assigned.value;
        const bool runs_model = callsModel(value);
        if (runs_model) {
            m_blocks.mark(loop, false);
            takeModelCall(statement, assigned, loop);
        }
        const bool is_sum = assigned.sign == '+'
            || (assigned.sign == ' ' && value.starts_with(target + "+") && !target.empty());
        if (is_sum) {
            takeSum(statement, target, value.substr(assigned.sign == '+' ? 0 : target.size() + 1),
                    loop);
            return;
        }
        for (const std::string_view piece : {"cat(", "stack(", "concat("}) {
            const auto arguments = argumentsOf(value, piece);
            const auto names = arguments ? namesIn(*arguments) : std::vector<std::string>();
            if (loop == kNoLoop || std::ranges::find(names, target) == names.end()) {
                continue;
            }
            if (m_fed.contains(target)) {
                add(CodeFault::generates_with_graph, statement, loop);
                continue;
            }
            for (const std::string& name : names) {
                takeKept(statement, target, name, *arguments, loop);
            }
        }
        if (assigned.sign == ' ') {
            remember(assigned, runs_model);
            takeMadeModel(statement, assigned, loop);
        }
    }

    /// What names stand for from here on, and what a value is made from.
    void remember(const Assigned& assigned, bool runs_model)
    {
        std::vector<std::string> sources = namesIn(assigned.value);
        for (const std::string_view part : splitArguments(assigned.target)) {
            const std::string name =
                nameOf(part.substr(std::min(part.find_first_not_of('('), part.size())));
            if (name.empty()) {
                continue;
            }
            if (!runs_model && m_blocks.innermostLoop() != kNoLoop) {
                m_blocks.loops[m_blocks.innermostLoop()].begun.insert(name);
            }
            m_made.erase(name);
            m_losses.erase(name);
            m_plain.erase(name);
            if (isDetachedValue(assigned.value)) {
                m_plain.insert(name);
            } else if (callsLoss(assigned.value)) {
                m_losses.insert(name);
            } else if (runs_model || madeOfOutputs(assigned.value)) {
                m_made.insert(name);
            }
            m_sources.emplace_back(name, sources);
        }
    }

    [[nodiscard]] bool madeOfOutputs(std::string_view value) const
    {
        const std::string name = nameOf(value);
        return m_made.contains(name) || m_made.contains(name.substr(0, name.find('.')));
    }

    void takeModelCall(const CodeStatement& statement, const Assigned& assigned, std::size_t loop)
    {
        const std::size_t open = assigned.value.find('(');
        const std::string_view arguments = insideBrackets(assigned.value, open);
        const auto given = namesIn(arguments);
        const bool is_off = isWithoutGraph() || m_no_grad_somewhere;
        if (loop != kNoLoop && !m_blocks.isInside(CodeBlock::forward)) {
            for (const std::string_view part : splitArguments(assigned.target)) {
                const std::string name = nameOf(part);
                if (!name.empty() && !isWithoutGraph() && !isDetachedValue(arguments)
                    && std::ranges::find(given, name) != given.end() && isStateName(name)) {
                    m_candidates.push_back(
                        {CodeFault::state_carried, statement, loop, {}, name, false});
                }
            }
        }
        if (!is_off && loop != kNoLoop) {
            m_fed.insert(given.begin(), given.end());
            if (m_blocks.isInside(CodeBlock::evaluation) || isEvaluated(nameOf(assigned.value))) {
                add(CodeFault::evaluates_with_graph, statement, loop);
            }
        }
    }

    void takeSum(const CodeStatement& statement, const std::string& target, std::string_view value,
                 std::size_t loop)
    {
        if (target.empty() || isWithoutGraph() || isDetachedValue(value)) {
            return;
        }
        m_sources.emplace_back(target, namesIn(value)); // backward may run on what it is part of
        for (const std::string& name : m_sources.back().second) {
            const bool is_loss = isLossName(name) || m_losses.contains(name) || callsLoss(value);
            if (is_loss && !m_plain.contains(name) && !isLossPartName(name)) {
                m_candidates.push_back(
                    {CodeFault::loss_kept, statement, loop, target, name, isTotalName(target)});
                return;
            }
        }
    }

    /// "outputs.append(output)", "meter.update(loss, n)".
    void takeStored(const CodeStatement& statement, std::string_view text, std::size_t loop)
    {
        for (const std::string_view piece : {".append(", ".extend(", ".update(", ".add("}) {
            const std::size_t at = text.find(piece);
            if (at == std::string_view::npos) {
                continue;
            }
            const std::string_view arguments = insideBrackets(text, at + piece.size() - 1);
            const std::string target = nameOf(text.substr(0, at));
            const bool is_list = piece == ".append(" || piece == ".extend(";
            const auto parts = splitArguments(arguments);
            if (target.empty() || parts.empty()) {
                continue;
            }
            if (is_list) {
                takeListed(statement, target, parts.front(), loop);
            } else if (nameOf(parts.front()) == parts.front() && isLossName(parts.front())
                       && !isManyLosses(parts.front()) && !m_blocks.isInside(CodeBlock::forward)
                       && !isWithoutGraph() && !m_plain.contains(parts.front())
                       && !containsAnyPiece(lowered(target),
                                            {"bar", "prog", "optim", "ema", "hash"})) {
                m_candidates.push_back({CodeFault::loss_kept, statement, loop, target,
                                        std::string(parts.front()), true});
            }
        }
    }

    /// A name, a part of it or a call on it; of brackets the first that is an output. What a
    /// function makes of an output is not known.
    void takeListed(const CodeStatement& statement, const std::string& target,
                    std::string_view value, std::size_t loop)
    {
        const std::string name = nameOf(value);
        const std::string root = name.substr(0, name.find('.'));
        const bool is_call = name.size() < value.size() && value[name.size()] == '(';
        if (!name.empty() && is_call && !m_made.contains(root) && !isLossName(root)
            && !isOutputName(root) && !callsModel(value)) {
            return;
        }
        const auto names = name.empty() ? namesIn(value) : std::vector<std::string>{name};
        for (const std::string& one : names) {
            const std::size_t before = m_candidates.size();
            takeKept(statement, target, is_call && !callsModel(value) ? root : one, value, loop);
            if (m_candidates.size() > before) {
                return;
            }
        }
    }

    void takeKept(const CodeStatement& statement, const std::string& target,
                  const std::string& source, std::string_view value, std::size_t loop)
    {
        if (m_blocks.isInside(CodeBlock::forward) || source == target || source.empty()
            || isHostValue(value)) {
            return;
        }
        const std::string root = source.substr(0, source.find('.'));
        const bool is_loss = isLossName(source) || m_losses.contains(source);
        const bool is_made = m_made.contains(root) || m_made.contains(source) || callsModel(value);
        const bool is_plain = m_plain.contains(source) || m_plain.contains(root);
        if (!(is_loss || is_made || isOutputName(source))) {
            return;
        }
        const bool has_graph = !isWithoutGraph() && !isDetachedValue(value) && !is_plain;
        if (!has_graph && (is_loss || (is_plain && !is_made))) {
            return; // a number
        }
        m_candidates.push_back({!has_graph    ? CodeFault::outputs_on_gpu
                                    : is_loss ? CodeFault::loss_kept
                                              : CodeFault::outputs_kept,
                                statement, loop, target, source, is_loss || is_made});
    }

    void takeMadeModel(const CodeStatement& statement, const Assigned& assigned, std::size_t loop)
    {
        if (loop == kNoLoop || m_blocks.isInside(CodeBlock::forward)) {
            return;
        }
        const std::string made = nameOf(assigned.value);
        const std::string callee(lastPart(made));
        const bool is_class = !callee.empty() && callee[0] >= 'A' && callee[0] <= 'Z'
            && containsAnyPiece(callee,
                                {"Net", "Model", "Transformer", "Classifier", "GPT", "VAE"});
        const bool is_made = is_class || callee == "from_pretrained" || callee == "create_model"
            || callee == "build_model" || callee == "get_model";
        const bool is_on_gpu = containsAnyPiece(assigned.value, {".cuda(", ".to(", "device"});
        if (is_made && is_on_gpu && assigned.value.size() > made.size()
            && assigned.value[made.size()] == '(') {
            m_candidates.push_back(
                {CodeFault::model_in_loop, statement, loop, nameOf(assigned.target), {}, false});
        }
    }

    void add(CodeFault fault, const CodeStatement& statement, std::size_t loop)
    {
        m_candidates.push_back({fault, statement, loop, {}, {}, false});
    }

    /// What backward runs on is made from what was summed: "loss=sum(losses)/n".
    void closeNames()
    {
        for (int round = 0; round < 3; ++round) {
            for (auto known = m_sources.rbegin(); known != m_sources.rend(); ++known) {
                if (m_backwarded.contains(known->first)) {
                    for (const std::string& name : known->second) {
                        insertWithOwners(m_backwarded, name);
                    }
                }
            }
        }
    }

    [[nodiscard]] bool isFault(const Candidate& candidate) const
    {
        const CodeLoop* const loop =
            candidate.loop == kNoLoop ? nullptr : &m_blocks.loops[candidate.loop];
        const bool iterates = loop != nullptr && loop->iterates;
        switch (candidate.fault) {
        case CodeFault::loss_kept:
            return !m_backwarded.contains(candidate.kept)
                && (loop == nullptr ? candidate.is_total
                                    : iterates
                            && (candidate.is_total || m_backwarded.contains(candidate.source)));
        case CodeFault::outputs_kept:
        case CodeFault::outputs_on_gpu:
            return !m_backwarded.contains(candidate.kept)
                && (candidate.is_total ? iterates || loop == nullptr : iterates)
                && (loop != nullptr || !m_no_grad_somewhere);
        case CodeFault::evaluates_with_graph:
        case CodeFault::generates_with_graph:
            return !loop->goes_backward;
        case CodeFault::state_carried:
            return loop->goes_backward && !m_cut.contains(candidate.source)
                && !loop->begun.contains(candidate.source);
        case CodeFault::model_in_loop:
            return !loop->dropped.contains(candidate.kept);
        default:
            return true;
        }
    }

    void addHit(const Candidate& candidate)
    {
        const bool is_known =
            std::ranges::find(m_hits, candidate.fault, &CodeHit::fault) != m_hits.end();
        if (!is_known) {
            m_hits.push_back({candidate.fault, candidate.at.end, candidate.at.line_number,
                              shownLine(candidate.at.line, 0, kLongestShownCode)});
        }
    }

    std::string_view m_text;
    CodeBlocks m_blocks;
    std::vector<Candidate> m_candidates;
    std::vector<CodeHit> m_hits;
    std::vector<std::pair<std::string, std::vector<std::string>>> m_sources;
    CodeNames m_made; ///< By a model.
    CodeNames m_losses; ///< By a loss function.
    CodeNames m_plain; ///< Without graph.
    CodeNames m_cut; ///< From their graphs, somewhere.
    CodeNames m_backwarded; ///< What backward runs on.
    CodeNames m_fed; ///< What models are called with, in loops.
    CodeNames m_evaluated; ///< Whose eval() was called, and no train() since.
    Candidate m_retains;
    std::size_t m_backwards = 0;
    std::size_t m_retaining = 0;
    bool m_no_grad_somewhere = false;
    bool m_is_frames_code = false; ///< The statement is the line of a traceback's frame.
    bool m_is_grad_off = false; ///< torch.set_grad_enabled(False) stands before.
};

} // namespace

std::optional<CodeFault> codeFaultOf(std::string_view id)
{
    static constexpr std::array<std::string_view, 13> kIds{
        "loss-kept",       "outputs-kept",         "outputs-on-gpu",       "retains-graph",
        "creates-graph",   "evaluates-with-graph", "generates-with-graph", "model-in-loop",
        "gpu-in-dataset",  "loads-on-gpu",         "data-parallel",        "state-carried",
        "attention-matrix"};
    const auto* const found = std::ranges::find(kIds, id);
    return found == kIds.end() ? std::nullopt
                               : std::optional(static_cast<CodeFault>(found - kIds.begin()));
}

std::vector<CodeHit> codeFaults(std::string_view text)
{
    return CodeReader(text).read();
}

} // namespace tidemark::diagnose
