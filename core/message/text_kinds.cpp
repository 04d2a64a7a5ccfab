// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What is likely where neither figures nor frames nor a known trap say what filled the memory.
#include "core/base/ascii.h"
#include "core/base/format.h"
#include "core/message/post_words.h"
#include "core/message/text_rules.h"

#include <array>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kSomeWords = 30; ///< Bytes beside the message.
constexpr double kFullFromShare = 0.6; ///< Of the card.
/// Of the card: beside full weights a smaller request is not what filled it; a larger one is of a
/// forward.
constexpr double kForwardRequest = 0.02;

constexpr std::int64_t kStates = 8; ///< Bytes per parameter in training, at least.
constexpr std::int64_t kBeyondOneGpu = 30'000'000'000; ///< Parameters.

struct KindCause {
    RunKind kind;
    Cause cause;
    double score;
    std::string_view evidence;
};
constexpr std::array<KindCause, 10> kOfKinds{{
    {RunKind::training, Cause::activations, 0.53, "kind-training"},
    {RunKind::training, Cause::model_states, 0.4, "kind-training-states"},
    {RunKind::rollout, Cause::kv_cache, 0.55, "kind-rollout"},
    {RunKind::rollout, Cause::activations, 0.4, "kind-training"},
    {RunKind::evaluation, Cause::evaluation_batch, 0.53, "kind-evaluation"},
    {RunKind::evaluation, Cause::graph_kept, 0.4, "kind-keeps-graph"},
    {RunKind::engine, Cause::kv_cache, 0.53, "kind-engine"},
    {RunKind::engine, Cause::model_states, 0.45, "kind-weights"},
    {RunKind::loading, Cause::loading, 0.53, "kind-loading"},
    {RunKind::loading, Cause::model_states, 0.45, "kind-weights"},
}};

std::vector<TextFinding> ofKeeping(const TextSituation& text)
{
    const bool trains = text.kind == RunKind::training || text.kind == RunKind::rollout;
    if (trains || text.keeps_no_graph) {
        return {{Cause::leak, 0.55, "kind-keeps", {}}};
    }
    return {{Cause::graph_kept, 0.55, "kind-keeps-graph", {}},
            {Cause::leak, 0.45, "kind-keeps", {}}};
}

/// Weights of a large model; of others, what one forward makes, with its graph where nothing in the
/// text turns that off.
std::vector<TextFinding> ofForward(bool is_of_weights, bool may_keep_graph)
{
    std::vector<TextFinding> findings{
        {Cause::model_states, is_of_weights ? 0.53 : 0.4, "kind-weights", {}},
        {Cause::activations, is_of_weights ? 0.45 : 0.53, "kind-forward", {}}};
    if (may_keep_graph) {
        findings.push_back({Cause::graph_kept, 0.45, "kind-keeps-graph", {}});
    }
    return findings;
}

/// Whether there is more than a message: beside its own words, figures, frames and tables.
bool hasWords(const TextCase& in)
{
    static constexpr std::size_t kOfMessage = 60; ///< "RuntimeError: CUDA error: out of memory"
    std::size_t count = 0;
    for (std::size_t at = 0; at < in.log.size() && count <= kSomeWords;) {
        const std::size_t end = std::min(in.log.find('\n', at), in.log.size());
        const bool has_message =
            in.message != nullptr && in.message->offset >= at && in.message->offset <= end;
        const std::size_t words_end = has_message ? in.message->offset : end;
        const std::string line = lowered(trimmed(in.log.substr(at, words_end - at)));
        const auto has = [&](std::string_view words) { return line.find(words) != line.npos; };
        const bool is_printed = line.starts_with("file \"") || line.starts_with('|')
            || line.starts_with('+') || line.starts_with("traceback ") || has("gib") || has("mib");
        const bool is_error = has_message || has("memory");
        count += is_printed ? 0 : line.size() - std::min(line.size(), is_error ? kOfMessage : 0);
        at = end + 1;
    }
    return count > kSomeWords;
}

/// An error, or a person who says that memory ran out.
bool ranOut(const TextCase& in)
{
    return in.message != nullptr || saysMemoryRanOut(in.log)
        || countWord(lowered(in.log), "out of memory") > 0;
}

} // namespace

std::vector<TextFinding> kindFindings(const TextCase& in, bool says_memory)
{
    if (in.log.size() > kWrittenByPeople || in.proof.free_was_enough) {
        return {};
    }
    const TextSituation& text = in.situation;
    if (!says_memory) {
        return text.ends_loading
            ? std::vector<TextFinding>{{Cause::host_memory, 0.55, "silent-load", {}},
                                       {Cause::loading, 0.4, "silent-load", {}}}
            : std::vector<TextFinding>();
    }
    const bool has_figures = in.message != nullptr && (in.proof.allocated || in.proof.free);
    const auto& tried = in.proof.tried;
    const bool is_full = has_figures && in.proof.allocated && in.proof.total && tried
        && in.shareOfCard(in.proof.allocated->mid + tried->mid + kContextAndDesktop)
            > kFullFromShare;
    if (has_figures && !is_full && !in.proof.limit_is_usual) {
        return {};
    }
    if (text.kind == RunKind::evaluation && has_figures
        && text.activity != RunActivity::evaluation) {
        return {}; // beside figures the word alone says nothing: frames would
    }
    if (!has_figures && text.is_host) {
        return {{Cause::host_memory, 0.55, "kind-host", {}}};
    }
    if (!has_figures && text.keeps) {
        return ofKeeping(text);
    }
    // Beside a large model's weights, a small request is not what filled the card.
    const bool is_of_weights = text.names_large_model && has_figures && tried
        && in.shareOfCard(tried->mid) < kForwardRequest;
    if (text.kind == RunKind::diffusion || text.kind == RunKind::inference) {
        return ofForward(is_of_weights, !text.names_large_model && !text.keeps_no_graph);
    }
    std::vector<TextFinding> findings;
    if (text.kind == RunKind::evaluation && text.names_trainer) {
        findings.push_back({Cause::evaluation_accumulation, 0.54, "kind-evaluation", {}});
    }
    if (text.kind == RunKind::unknown) {
        if (is_of_weights && is_full) {
            return ofForward(true, false);
        }
        if ((is_full || (!has_figures && ranOut(in))) && hasWords(in)) {
            findings.push_back({Cause::activations, 0.51, "kind-unknown", {}});
            findings.push_back({Cause::model_states, 0.4, "kind-weights", {}});
        }
        return findings;
    }
    const std::int64_t parameters = in.run.parameters.value_or(in.run.model.value_or(0));
    if (text.kind == RunKind::training && !tried && parameters >= kBeyondOneGpu
        && !in.run.uses("lora")) {
        const Figures figures{{"parameters", formatCount(parameters)},
                              {"states", Bytes{parameters * kStates}}};
        return {{Cause::model_states, 0.56, "stated-many", figures},
                {Cause::gradients, 0.4, "kind-training-states", {}}};
    }
    // With one sample a large model's states are what is left: 16 B per parameter with Adam.
    if (text.kind == RunKind::training && in.run.has_one_sample && text.names_large_model
        && !in.run.uses("lora") && in.run.weight_bits >= 16) {
        return {{Cause::model_states, 0.54, "kind-training-states", {}},
                {Cause::activations, 0.45, "kind-training", {}}};
    }
    for (const KindCause& likely : kOfKinds) {
        if (likely.kind == text.kind) {
            findings.push_back({likely.cause, likely.score, likely.evidence, {}});
        }
    }
    return findings;
}

} // namespace tidemark::diagnose
