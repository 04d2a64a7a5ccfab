// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The ladder as far as a text alone can judge it.
#include "core/base/ascii.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/backend_words.h"
#include "core/message/fix_conditions.h"
#include "core/message/text_rules.h"

#include <algorithm>
#include <array>
#include <span>

namespace tidemark::diagnose {
namespace {

class TextFixes {
public:
    TextFixes(const TextCase& in, const std::vector<CauseFinding>& causes)
        : m_in(in)
        , m_proof(in.proof)
        , m_causes(causes)
        , m_first(causes.front().cause)
        , m_run(in.run)
        , m_facts(factsOf(in, causes.front().cause))
    {
        if (m_proof.allocated && m_proof.tried) {
            m_need = *m_proof.allocated + *m_proof.tried;
        }
    }

    std::vector<Fix> run()
    {
        std::vector<Fix> fixes;
        for (const FixText& text : explainTexts().fixes) {
            fixes.push_back(judge(text));
        }
        return fixes;
    }

private:
    [[nodiscard]] bool has(Cause cause, double least = 0.3) const
    {
        return std::ranges::any_of(m_causes, [&](const CauseFinding& finding) {
            return finding.cause == cause && finding.score >= least;
        });
    }

    Fix judge(const FixText& text)
    {
        Fix fix;
        fix.id = text.id;
        fix.knowledge = text.knowledge;
        fix.cost_rank = text.cost_rank;
        fix.changes_science = text.changes_science;
        addTerms(text, fix);
        fix.new_need = fix.new_peak = fix.new_peak_low = fix.new_peak_high =
            Bytes{m_need ? m_need->mid : 0};
        fix.why = text.why_needs_nothing
            ? std::string(translated(text.why))
            : say("The text does not show whether this frees anything.");
        Figures figures = m_in.figures();
        if (m_run.gpus.value_or(1) >= 2) {
            figures.insert({{"gpus", formatCount(*m_run.gpus)}});
        }
        // What a title says where nothing was computed.
        figures.insert({{"fraction", "1/2"},
                        {"ratio", "0.5"},
                        {"accumulation", "2"},
                        {"micro", "1/2"},
                        {"new_micro", "..."},
                        {"accumulating", "2"},
                        {"per_step", say("unchanged")},
                        {"gpus", "2"},
                        {"all_gpus", "2"},
                        {"rank", "16"},
                        {"block", "5e7"},
                        {"two_blocks", "1e8"},
                        {"batches", "8"},
                        {"settings", "max_split_size_mb:128"},
                        {"kept", "expandable_segments:True"},
                        {"part", say("a quarter")},
                        {"copies", "2"},
                        {"look", say("may be fp32 (dtype not recorded)")},
                        {"bytes", "..."}});
        const auto status =
            mayApply(text.id, m_facts) ? statusOf(text.id) : std::optional<FixStatus>();
        if (status && m_run.uses(text.id)) {
            fix.status = FixStatus::already_on;
            fix.why = text.id == "lora" ? say("LoRA is on already, by the text.")
                : text.id == "zero-2"   ? say("ZeRO is on already, by the text.")
                                        : filledIn(text.already, figures);
        } else if (status) {
            const bool lacks_figures = text.id == "memory-fraction" && !m_proof.allowed;
            fix.status = *status;
            fix.why = filledIn(lacks_figures ? text.missing : text.why, figures);
            addEffect(text, figures, fix);
        } else if (text.id == "expandable-segments" && m_proof.unallocated) {
            fix.why = filledIn(text.missing, figures);
        }
        fix.title = filledIn(text.title, figures);
        for (const auto& [framework, line] : text.how) {
            fix.how.emplace_back(
                framework,
                inWordsOf(m_in.message != nullptr ? m_in.message->backend : std::string(),
                          lineFilledIn(line, figures)));
        }
        // Those of the frameworks that the text names come first.
        const auto& named = m_in.findings.frameworks;
        std::ranges::stable_sort(fix.how, {}, [&named](const auto& line) {
            return std::ranges::find(named, line.first) - named.begin();
        });
        return fix;
    }

    /// Nullopt: does not apply.
    [[nodiscard]] std::optional<FixStatus> statusOf(std::string_view id) const
    {
        struct Rule {
            std::string_view id;
            Cause cause; ///< Recommended where this comes first, helps where it is likely.
            FixStatus status = FixStatus::recommended; ///< Where it comes first.
        };
        static constexpr std::array<Rule, 51> kRules{{
            {"expandable-segments", Cause::fragmentation},
            {"memory-fraction", Cause::memory_fraction},
            {"mps-limit", Cause::memory_fraction},
            {"other-process", Cause::other_process},
            {"other-process", Cause::duplicate_ranks},
            {"own-card", Cause::other_process},
            {"own-card", Cause::duplicate_ranks},
            {"sequence", Cause::single_huge_tensor},
            {"longest-batch", Cause::single_huge_tensor},
            {"resolution", Cause::single_huge_tensor},
            {"resolution", Cause::activations_sequence},
            {"resolution", Cause::evaluation_batch, FixStatus::would_help},
            {"inference-batch", Cause::activations},
            {"inference-batch", Cause::kv_cache, FixStatus::would_help},
            {"attention-flash", Cause::activations_sequence},
            {"fused-loss", Cause::logits},
            {"evaluation-accumulation", Cause::evaluation_accumulation},
            {"micro-batch", Cause::activations},
            {"optimizer-8bit", Cause::optimizer_state},
            {"headroom", Cause::non_pytorch_memory},
            {"kv-cache", Cause::kv_cache},
            {"graph-pools", Cause::private_pools},
            {"host-memory", Cause::host_memory},
            {"address-space", Cause::not_gpu_memory},
            {"offload-optimizer", Cause::model_states},
            {"sequence", Cause::activations_sequence},
            {"micro-batch", Cause::logits},
            {"zero-2", Cause::model_states},
            {"micro-batch", Cause::activations_sequence},
            {"evaluation-batch", Cause::evaluation_accumulation, FixStatus::would_help},
            {"inference-mode", Cause::evaluation_accumulation, FixStatus::would_help},
            {"leak", Cause::leak},
            {"weights-16bit", Cause::loading},
            {"weights-8bit", Cause::loading, FixStatus::would_help},
            {"weights-4bit", Cause::loading, FixStatus::would_help},
            {"device-map", Cause::loading, FixStatus::would_help},
            {"host-load", Cause::loading, FixStatus::would_help},
            {"host-load", Cause::checkpoint_load},
            {"own-card", Cause::wrong_device},
            {"headroom", Cause::library_no_memory},
            {"micro-batch", Cause::library_no_memory},
            {"headroom", Cause::collective_buffers},
            {"leak", Cause::graph_kept},
            {"host-memory", Cause::pinned_host},
            {"graph-eager", Cause::cuda_graphs},
            {"weights-16bit", Cause::upcast},
            {"micro-batch", Cause::hidden_oom},
            {"headroom", Cause::preallocation, FixStatus::would_help},
            {"inference-mode", Cause::evaluation_batch},
            {"evaluation-batch", Cause::evaluation_batch},
            {"inference-mode", Cause::graph_kept, FixStatus::would_help},
        }};
        if (id == "image-memory") {
            return imageStatus();
        }
        if (id == "driver-limit") {
            return driverStatus();
        }
        if (id == "expandable-segments") {
            return segmentStatus();
        }
        if (id == "drop-max-split") {
            return clashStatus();
        }
        if (id == "early-refusal") {
            return m_in.message != nullptr && m_in.message->rejected_by_limit
                ? std::optional(FixStatus::would_help)
                : std::nullopt;
        }
        if (id == "address-space" && !lacksAddresses()) {
            return std::nullopt;
        }
        if (m_in.message != nullptr && m_in.message->is_absurd) {
            return id == "wrong-shape" ? std::optional(FixStatus::recommended) : std::nullopt;
        }
        if (id == "headroom" && m_first == Cause::not_gpu_memory
            && lowered(m_in.log).find("torch") == std::string::npos) {
            return std::nullopt; // another program, which has no cache of PyTorch's to limit
        }
        if (id == "headroom" && m_proof.limit_is_usual) {
            return std::nullopt; // Metal's own memory does not shrink by a smaller part for PyTorch
        }
        if ((id == "mps-limit") != m_proof.limit_is_usual
            && (id == "mps-limit" || id == "memory-fraction")) {
            return std::nullopt;
        }
        if (refusedAlone() && (id == "sequence" || id == "longest-batch")) {
            return FixStatus::would_help;
        }
        if (id == "weights-16bit" && m_first == Cause::model_states && m_facts.runsForwardOnly()) {
            return FixStatus::recommended;
        }
        if (id == "inference-mode" && m_first == Cause::activations && m_facts.runsForwardOnly()
            && !m_in.situation.keeps_no_graph && m_facts.kind != RunKind::engine
            && m_facts.kind != RunKind::diffusion) {
            return FixStatus::recommended;
        }
        const bool may_run_forward = m_facts.activity != RunActivity::training;
        if (id == "inference-mode" && m_first == Cause::leak && may_run_forward) {
            return FixStatus::would_help;
        }
        std::optional<FixStatus> status;
        for (const Rule& rule : kRules) {
            if (rule.id == id && rule.cause == m_first) {
                return rule.status;
            }
            if (rule.id == id && has(rule.cause)) {
                status = FixStatus::would_help;
            }
        }
        if (id == "attention-flash" && m_first == Cause::single_huge_tensor && !refusedAlone()) {
            status = FixStatus::would_help;
        }
        return status ? status : generalStatus(id);
    }

    /// Programs that make images have switches of their own for full cards.
    [[nodiscard]] std::optional<FixStatus> imageStatus() const
    {
        static constexpr std::array<Cause, 6> kOwn{Cause::activations, Cause::model_states,
                                                   Cause::loading,     Cause::unclear,
                                                   Cause::upcast,      Cause::memory_fraction};
        return m_facts.kind == RunKind::diffusion && std::ranges::find(kOwn, m_first) != kOwn.end()
            ? std::optional(FixStatus::recommended)
            : std::nullopt;
    }

    /// Nothing was held, and one block was refused.
    [[nodiscard]] bool refusedAlone() const
    {
        return m_proof.allocated && m_proof.allocated->high == 0 && !m_proof.larger_than_card;
    }

    /// Nothing but the driver's addresses ran out, whatever else stands in the text.
    [[nodiscard]] bool lacksAddresses() const
    {
        return std::ranges::find(m_in.findings.events, LogEventKind::address_space, &LogEvent::kind)
            != m_in.findings.events.end();
    }

    [[nodiscard]] std::optional<FixStatus> clashStatus() const
    {
        if (!m_in.findings.max_split_is_on) {
            return std::nullopt;
        }
        return m_first == Cause::fragmentation ? FixStatus::recommended : FixStatus::would_help;
    }

    [[nodiscard]] std::optional<FixStatus> driverStatus() const
    {
        if (m_proof.may_hit_block_limit && m_first == Cause::unclear) {
            return m_proof.free_was_enough ? FixStatus::recommended : FixStatus::would_help;
        }
        const bool is_wanted = (m_first == Cause::unclear && m_proof.free_was_enough)
            || (m_first == Cause::single_huge_tensor && refusedAlone());
        return is_wanted ? std::optional(FixStatus::recommended) : std::nullopt;
    }

    [[nodiscard]] std::optional<FixStatus> segmentStatus() const
    {
        if (m_in.findings.expandable_is_on && m_in.message != nullptr) {
            return FixStatus::already_on;
        }
        if (!m_proof.unallocated || m_proof.above_capacity || m_proof.free_was_enough) {
            return std::nullopt;
        }
        if (m_proof.fragmentation == FragmentationProof::excluded) {
            return FixStatus::not_enough;
        }
        const bool is_little =
            m_first != Cause::fragmentation && m_proof.cached_share < kSomeCached;
        const bool is_unknown =
            m_proof.fragmentation == FragmentationProof::unknown && m_first != Cause::fragmentation;
        static constexpr double kTrifle = 0.01; // Of the GPU: others hold the rest.
        const bool is_trifle = m_first != Cause::fragmentation && m_proof.total
            && m_in.shareOfCard(m_proof.unallocated->mid) < kTrifle;
        if (is_unknown || is_little || is_trifle) {
            return std::nullopt;
        }
        return m_first == Cause::fragmentation ? FixStatus::recommended : FixStatus::would_help;
    }

    /// What shrinks memory in use helps where this process itself fills the card.
    [[nodiscard]] std::optional<FixStatus> generalStatus(std::string_view id) const
    {
        static constexpr std::array<Cause, 13> kOfOthers{
            Cause::loading,         Cause::evaluation_accumulation,
            Cause::kv_cache,        Cause::host_memory,
            Cause::checkpoint_load, Cause::wrong_device,
            Cause::preallocation,   Cause::pinned_host,
            Cause::hidden_oom,      Cause::cuda_graphs,
            Cause::not_capacity,    Cause::not_gpu_memory,
            Cause::evaluation_batch};
        if (std::ranges::find(kOfOthers, m_first) != kOfOthers.end()) {
            return std::nullopt; // nothing was trained when it ran out
        }
        static constexpr std::array<std::string_view, 8> kOfTraining{
            "micro-batch", "bf16", "checkpointing-full", "sequence", "resolution", "optimizer-8bit",
            "zero-2",      "lora"};
        static constexpr std::array<std::string_view, 7> kOfForward{
            "inference-mode", "inference-batch", "weights-16bit", "weights-8bit",
            "weights-4bit",   "sequence",        "resolution"};
        // Sharded, parameters need an optimizer that knows shards: 8-bit ones do not.
        static constexpr std::array<std::string_view, 3> kOfStates{"zero-2", "zero-3", "lora"};
        const bool is_of_states = m_first == Cause::model_states && !m_proof.allocated;
        const std::span<const std::string_view> general = m_facts.runsForwardOnly()
            ? std::span<const std::string_view>(kOfForward)
            : is_of_states ? std::span<const std::string_view>(kOfStates)
                           : std::span<const std::string_view>(kOfTraining);
        // A text without the figures does not say that this process fills the card, nor that
        // another does.
        const bool is_named = m_first == Cause::activations || m_first == Cause::logits
            || m_first == Cause::model_states;
        const bool may_fill = !m_proof.allocated
            && (is_named || (m_first == Cause::unclear && m_in.message != nullptr))
            && !m_proof.free_was_enough && !m_proof.reaches_limit && !m_proof.may_hit_block_limit;
        const bool fills = m_proof.allocated && m_proof.tried && !m_proof.free_was_enough
            && !m_proof.larger_than_card && (!m_proof.reaches_limit || m_proof.limit_is_usual)
            && m_in.shareOfCard(m_need->mid + kContextAndDesktop) > 0.6;
        if (!(fills || may_fill)) {
            return std::nullopt;
        }
        // Nothing says whether a backward follows.
        if (id == "inference-mode" && m_facts.activity == RunActivity::unknown
            && !m_in.situation.keeps_no_graph) {
            return FixStatus::would_help;
        }
        if (id == "zero-1" && knowsShards()) {
            return shardingPasses() ? FixStatus::recommended : FixStatus::would_help;
        }
        return std::ranges::find(general, id) != general.end()
            ? std::optional(FixStatus::would_help)
            : std::nullopt;
    }

    void addEffect(const FixText& text, const Figures& figures, Fix& fix) const
    {
        if (fix.id == "expandable-segments") {
            addSegmentEffect(text, figures, fix);
        } else if ((fix.id == "other-process" || fix.id == "own-card") && m_proof.tried) {
            const auto& held = m_proof.others ? m_proof.others
                : m_proof.own                 ? m_proof.unnamed
                                              : m_proof.outside;
            if (held && m_proof.free) {
                fix.saves = Bytes{held->mid};
                const PrintedRange room = *held + *m_proof.free - *m_proof.tried;
                fix.why += sayPasses(room.low > 0);
                fix.fits = room.high < 0 ? std::optional(false) : std::nullopt;
            }
        } else if (fix.id == "memory-fraction" && m_proof.free_was_enough) {
            fix.why += sayPasses(true);
        } else if (fix.id == "zero-1") {
            addShardedState(fix);
        }
    }

    /// Whether the text says enough of the run to know what sharding the state frees.
    [[nodiscard]] bool knowsShards() const
    {
        return m_run.gpus.value_or(1) >= 2 && m_run.stateRange() && !m_run.uses("zero-2");
    }

    /// What each GPU has less of, at least.
    [[nodiscard]] std::int64_t freedBySharding() const
    {
        const std::int64_t bytes = m_run.stateRange()->low;
        return bytes - bytes / *m_run.gpus;
    }

    [[nodiscard]] bool shardingPasses() const
    {
        return m_proof.tried && m_proof.free
            && m_proof.free->low + freedBySharding() >= m_proof.tried->high;
    }

    void addShardedState(Fix& fix) const
    {
        const StatedRun::Range states = *m_run.stateRange();
        fix.saves = Bytes{freedBySharding()};
        fix.why =
            say("Adam's state, {}, shards over {} GPUs: {} less on each.",
                states.low == states.high ? formatBytes(Bytes{states.high})
                                          : say("{} to {}", Bytes{states.low}, Bytes{states.high}),
                *m_run.gpus, fix.saves);
        fix.why += sayPasses(shardingPasses());
    }

    void addSegmentEffect(const FixText& text, const Figures& figures, Fix& fix) const
    {
        if (fix.status == FixStatus::already_on) {
            fix.why = filledIn(text.already, figures);
            return;
        }
        fix.saves = Bytes{m_proof.unallocated->mid};
        if (fix.status == FixStatus::not_enough) {
            fix.why = filledIn(text.missing, figures);
            fix.short_by = Bytes{m_proof.short_by->mid};
            fix.fits = false;
            fix.why += ' ' + say("Alone {} short.", fix.short_by);
        } else if (m_need && m_in.capacity) {
            fix.why += sayPasses(m_need->high <= m_in.capacity->value);
        }
    }

    /// One refused request is all that a text shows: that it would have passed says nothing of the
    /// requests behind it, so no change is ever said to fit.
    [[nodiscard]] static std::string sayPasses(bool is_certain)
    {
        return is_certain ? ' ' + say("This request would pass; later ones are unknown.")
                          : std::string();
    }

    const TextCase& m_in;
    const MessageProof& m_proof;
    const std::vector<CauseFinding>& m_causes;
    Cause m_first;
    std::optional<PrintedRange> m_need;
    const StatedRun& m_run;
    TextFacts m_facts;
};

} // namespace

TextFacts factsOf(const TextCase& in, Cause first)
{
    TextFacts facts;
    facts.activity = in.situation.activity;
    facts.kind = in.situation.kind;
    facts.is_host = first == Cause::host_memory || first == Cause::pinned_host
        || first == Cause::not_gpu_memory;
    const auto& own = in.proof.own ? in.proof.own : in.proof.reserved;
    facts.is_of_others = (first == Cause::other_process || first == Cause::duplicate_ranks
                          || first == Cause::wrong_device)
        && (!own || in.shareOfCard(own->mid) < 0.5);
    facts.is_one_gpu = in.run.gpus == 1;
    facts.is_one_sample = in.run.has_one_sample;
    facts.has_other_optimizer = in.run.has_sgd && !in.run.has_adam;
    facts.is_one_tensor = first == Cause::single_huge_tensor;
    static constexpr std::int64_t kLargeModel = 300'000'000; // parameters
    const bool names_states = first == Cause::model_states || first == Cause::optimizer_state
        || first == Cause::gradients || first == Cause::loading || first == Cause::upcast;
    const std::int64_t parameters = in.run.parameters.value_or(in.run.model.value_or(0));
    const bool is_large =
        in.situation.names_large_model || names_states || parameters >= kLargeModel;
    facts.is_small = in.situation.is_convolutional || !is_large;
    facts.is_of_images = in.situation.is_of_images;
    facts.is_of_tokens = !in.situation.is_of_images;
    facts.weight_bits = first == Cause::loading ? in.run.weight_bits : facts.weight_bits;
    return facts;
}

std::vector<Fix> fixesOf(const TextCase& in, const std::vector<CauseFinding>& causes)
{
    return TextFixes(in, causes).run();
}

} // namespace tidemark::diagnose
