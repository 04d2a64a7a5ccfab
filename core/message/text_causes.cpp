// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Why a run died, as far as a text alone shows it.
#include "core/base/ascii.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/log_window.h"
#include "core/message/post_words.h"
#include "core/message/text_rules.h"
#include "core/message/written_budget.h"

#include <algorithm>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr std::int64_t kMuchUnallocated = 1LL << 30;
constexpr double kHuge = 0.5; ///< Of the card in one request.
constexpr double kLargeRequest = 0.15; ///< No weight of a model that fits is as large.
constexpr std::int64_t kLargeForAnyCard = 96LL << 30;

class TextCauses {
public:
    explicit TextCauses(const TextCase& in)
        : m_in(in)
        , m_proof(in.proof)
    {
    }

    std::vector<CauseFinding> run()
    {
        if (m_in.message != nullptr && !m_in.message->is_bare) {
            addLimit();
            addHugeRequest();
            addAboveCapacity();
            addOthers();
            addFragmentation();
            addPools();
            addMatch();
            addTraceback();
            addGrowth();
            addCache();
            addStatedSize();
            addUnclear();
        } else {
            for (const TextFinding& found : eventFindings(m_in)) {
                add(found);
            }
            addGrowth();
            addCache();
            addBare();
            if (m_in.message != nullptr || speaksOfMemory(m_in.log)) {
                addStatedSize();
            }
            addStage();
            for (const TextFinding& found : tableFindings(m_in)) {
                add(found);
            }
        }
        addTraps(m_in, m_causes);
        for (const TextFinding& found : shapeFindings(m_in)) {
            add(found);
        }
        if (m_causes.empty() && (speaksOfMemory(m_in.log) || asksOfMemory())) {
            add(Cause::unclear, 0.5, "words");
        }
        const auto is_surer = [](const CauseFinding& finding) { return finding.score > 0.5; };
        if (std::ranges::none_of(m_causes, is_surer)) {
            const auto likely = kindFindings(m_in, !m_causes.empty());
            for (CauseFinding& finding : m_causes) {
                finding.score = likely.empty() ? finding.score : std::min(finding.score, 0.35);
            }
            for (const TextFinding& found : likely) {
                add(found);
            }
        }
        if (m_causes.empty()) {
            m_causes.push_back({Cause::none, 1, {}, {}});
        }
        std::ranges::stable_sort(m_causes, std::ranges::greater{}, &CauseFinding::score);
        sayWhatWouldHelp(m_causes);
        return std::move(m_causes);
    }

private:
    void add(Cause cause, double score, std::string_view evidence, const Figures& more = {})
    {
        CauseFinding& finding = findingOf(cause, m_causes);
        finding.score = std::max(finding.score, score);
        finding.evidence.push_back({m_in.sentence(evidence, more), std::nullopt, {}});
    }

    void add(const TextFinding& found)
    {
        add(found.cause, found.score, found.evidence, found.more);
    }

    /// A question of memory, though without an error: not a log, nor "no OOM".
    [[nodiscard]] bool asksOfMemory() const
    {
        if (m_in.log.size() > kPostedText || !mentionsMemory(m_in.log)
            || deniesTheError(m_in.log)) {
            return false;
        }
        const std::string small = lowered(m_in.log);
        return namesAnyOf(small, "memory") && namesAnyOf(small, "asks");
    }

    [[nodiscard]] std::int64_t tried() const
    {
        return m_proof.tried ? m_proof.tried->mid : 0;
    }

    /// Criterion: the message says "allowed", and reserved plus what was tried reach it.
    void addLimit()
    {
        if (m_in.message->rejected_by_limit) {
            add(Cause::memory_fraction, 0.97, "rejected");
            if (m_proof.allowed && m_proof.reserved) {
                add(Cause::memory_fraction, 0.97, "allowed");
            }
            add(Cause::allocator_setting, 0.5, "rejects-early");
            add(Cause::allocator_setting, 0.5, "fraction");
            return;
        }
        if (!m_proof.reaches_limit) {
            return;
        }
        if (m_proof.limit_is_usual) {
            addUsualLimit();
            return;
        }
        add(Cause::memory_fraction, m_proof.free_was_enough || !m_proof.free ? 0.96 : 0.4,
            "allowed");
        if (m_proof.free_was_enough) {
            add(Cause::memory_fraction, 0.96, "allowed-free");
        }
        add(Cause::allocator_setting, 0.35, "fraction");
    }

    /// Criterion: what MPS holds of every Mac's memory is reached; it says what is not PyTorch's.
    void addUsualLimit()
    {
        add(Cause::unclear, 0.5, "watermark");
        add(Cause::memory_fraction, 0.4, "watermark-ratio");
        if (m_proof.own_outside && m_proof.own_outside->low > 0) {
            const double share = m_in.shareOfCard(m_proof.own_outside->mid);
            if (share >= kManyOthers) {
                add(Cause::non_pytorch_memory, std::min(0.95, 0.35 + 1.2 * share), "metal");
            }
        }
    }

    /// Criterion: one request is larger than the card, or larger than half of it.
    void addHugeRequest()
    {
        if (m_in.message->is_absurd) {
            add(Cause::single_huge_tensor, 0.97, "absurd");
        }
        if (!m_proof.tried) {
            return;
        }
        const double share = m_in.shareOfCard(tried());
        if (m_proof.larger_than_card) {
            add(Cause::single_huge_tensor, 0.97, "larger");
            return;
        }
        const Figures of_card{{"share", formatPercent(share)}};
        const bool holds_nothing = m_proof.allocated && m_proof.allocated->high == 0;
        if (holds_nothing && !m_proof.free && share > 0.05) {
            add(Cause::single_huge_tensor, 0.8, "nothing-held");
        } else if (!m_proof.total && tried() >= kLargeForAnyCard) {
            add(Cause::single_huge_tensor, 0.8, "huge-alone");
        } else if (m_proof.free_was_enough || share < 0.05) {
            return; // the size is not what it failed for
        } else if (share >= kHuge && !framesSayWhatFor()) {
            add(Cause::single_huge_tensor, 0.92, "huge", of_card);
        } else if (share >= 0.1) {
            add(Cause::single_huge_tensor, 0.2 + share / 2, "huge", of_card);
        }
    }

    /// Whether the traceback says what the request is for, such as what a file holds: then its size
    /// says nothing more.
    [[nodiscard]] bool framesSayWhatFor() const
    {
        return (m_in.frame && m_in.frame->cause == Cause::loading)
            || std::ranges::any_of(m_in.traps, [](const TrapMatch& match) {
                   return (match.by_frames || match.fault != nullptr) && match.score >= kSure;
               });
    }

    /// Criterion: more is allocated or reserved than the card has; of a trainer with micro-batches,
    /// one request for a good part of the card, more than was free.
    void addAboveCapacity()
    {
        if (!m_proof.above_capacity) {
            return;
        }
        add(Cause::virtual_only, 0.75, "above");
        // What is counted says nothing then; the request does.
        if (m_proof.beyond_free && m_in.shareOfCard(tried()) >= kLargeRequest
            && namesMicroBatch()) {
            add(Cause::activations, 0.78, "micro-batch-request",
                {{"share", formatPercent(m_in.shareOfCard(tried()))}});
        }
    }

    [[nodiscard]] bool namesMicroBatch() const
    {
        if (m_in.log.size() > kWrittenByPeople) {
            return false;
        }
        std::string words = squeezedText(m_in.log);
        std::erase_if(words, [](char c) { return c == '-' || c == '_'; });
        return words.find("microbatch") != std::string::npos;
    }

    /// Criterion: processes that are named, or what is neither free nor reserved, hold a good part
    /// of the card and at least what was missing.
    void addOthers()
    {
        if (m_proof.free_was_enough || !m_proof.total) {
            return;
        }
        if (m_proof.others && m_proof.others->mid > kUsualOutside / 4
            && m_proof.others->mid >= tried()) {
            const double share = m_in.shareOfCard(m_proof.others->mid);
            add(Cause::other_process, std::min(0.95, 0.35 + 1.2 * share), "others");
            if (m_proof.has_sibling) {
                add(Cause::duplicate_ranks, std::min(0.9, 0.3 + 1.2 * share), "sibling");
            }
        } else if (m_proof.unnamed && m_proof.unnamed->low > kUsualOutside
                   && m_proof.unnamed->mid >= tried() && !m_proof.above_capacity) {
            const double share = m_in.shareOfCard(m_proof.unnamed->mid);
            add(Cause::other_process, std::min(0.95, 0.4 + 1.1 * share), "unnamed");
        } else if (m_proof.outside && m_in.message->processes.empty() && !m_in.message->this_process
                   && m_proof.outside->low > kUsualOutside) {
            const double share = m_in.shareOfCard(m_proof.outside->mid);
            add(Cause::other_process,
                share >= kManyOthers && m_proof.outside->mid >= tried()
                    ? std::min(0.95, 0.4 + share)
                    : 0.2 + share,
                "outside");
            add(Cause::non_pytorch_memory, 0.15 + share / 2, "outside");
        } else if (!m_proof.free && !m_proof.reserved && m_proof.allocated
                   && m_in.shareOfCard(m_proof.allocated->mid + tried()) < kHuge
                   && m_in.shareOfCard(tried()) < 0.02) {
            add(Cause::other_process, 0.6, "almost-nothing");
        }
        if (m_proof.own_outside && m_proof.own_outside->low > kUsualOutside) {
            const double share = m_in.shareOfCard(m_proof.own_outside->mid);
            add(Cause::non_pytorch_memory, std::min(0.95, 0.35 + 1.2 * share), "gap");
        }
    }

    /// Criterion: what is cached would have held the request, is more than a remainder, and others
    /// do not hold far more of the card; or two settings of which it is known.
    void addFragmentation()
    {
        if (m_proof.free_was_enough) {
            return;
        }
        if (showsClash(m_in)) {
            add(Cause::fragmentation, 0.88, "clash");
        }
        if (m_proof.fragmentation == FragmentationProof::proven) {
            const bool is_little = m_proof.cached_share < kLittleCached;
            const bool others_hold_more = m_proof.outside
                && m_in.shareOfCard(m_proof.outside->mid) >= kManyOthers
                && m_proof.outside->mid > m_proof.unallocated->mid;
            // On a GPU that is full anyway some is always in blocks that are too small.
            const bool is_much = m_proof.cached_share >= kMuchCached
                || m_proof.unallocated->low >= std::max(kMuchUnallocated, 2 * tried());
            add(Cause::fragmentation,
                is_little              ? 0.35
                    : others_hold_more ? 0.45
                    : is_much          ? 0.85
                                       : 0.5,
                is_little ? "proven-little" : "proven");
        } else if (m_proof.fragmentation == FragmentationProof::possible
                   && m_proof.cached_share >= 0.1) {
            add(Cause::fragmentation, 0.45, "possible");
        } else if (!m_proof.tried && m_proof.cached_share >= kMuchCached) {
            add(Cause::fragmentation, 0.55, "cached-unasked");
        }
    }

    /// Criterion: free bytes inside private pools would have held the request.
    void addPools()
    {
        const auto& pools = m_in.message->private_pools;
        if (pools && pools->value >= tried() && !m_proof.free_was_enough) {
            add(Cause::private_pools, std::min(0.9, 0.4 + 2 * m_in.shareOfCard(pools->value)),
                "pools");
        }
    }

    /// Criterion: factors that the log states multiply to the request.
    void addMatch()
    {
        if (m_in.match) {
            const Figures how{{"arithmetic", m_in.match->arithmetic}};
            const double score = m_in.match->score;
            m_in.match->is_logits ? add(Cause::logits, score, "logits-match", how)
                                  : add(Cause::activations_sequence, score, "attention-match", how);
        }
    }

    /// Criterion: the innermost frames, or where there are none of the log's last stage.
    void addTraceback()
    {
        const auto& found = m_in.frame;
        if (found) {
            add(*found);
        }
        if (!found && m_in.findings.mentions_backward && m_in.log.size() <= kWrittenByPeople) {
            add(Cause::activations, 0.52, "words-backward");
        }
        if (!found || found->cause == Cause::activations) {
            addStage();
        }
    }

    /// Criterion: evaluation is what the program said last of what it does.
    void addStage()
    {
        if (m_in.message != nullptr && m_in.findings.stage == LogStage::evaluation) {
            add(Cause::evaluation_accumulation, 0.57, "stage-evaluation");
        }
    }

    /// Criterion: a figure of the same kind rises from line to line, by more than a run warms up.
    void addGrowth()
    {
        const auto& rising = m_in.findings.rising;
        if (!rising) {
            return;
        }
        const double share = static_cast<double>((rising->last.bytes - rising->first.bytes).value)
            / static_cast<double>(std::max<std::int64_t>(1, rising->last.bytes.value));
        add(Cause::leak, std::min(0.8, 0.54 + share / 2), "rises",
            {{"source", rising->last.source},
             {"what", std::string(readingWords(rising->last.what))},
             {"from", rising->first.bytes},
             {"to", rising->last.bytes},
             {"lines", formatCount(static_cast<std::int64_t>(rising->count))},
             {"first_line", formatCount(rising->first_line)},
             {"last_line", formatCount(rising->last_line)},
             {"each",
              Bytes{(rising->last.bytes - rising->first.bytes).value
                    / static_cast<std::int64_t>(rising->count - 1)}}});
    }

    /// Criterion: vLLM says so, or it died while vLLM started.
    void addCache()
    {
        for (const LogEvent& event : m_in.findings.events) {
            if (event.kind == LogEventKind::vllm_cache) {
                add(Cause::kv_cache, 0.9, "vllm-cache", lineOf(event));
            } else if (event.kind == LogEventKind::vllm_busy) {
                add(Cause::other_process, 0.9, "desired", lineOf(event));
            }
        }
        if (m_in.findings.mentions_vllm && m_in.message != nullptr) {
            add(Cause::kv_cache, 0.4, "vllm");
        }
    }

    /// Criterion: by the size of the model that the text names its weights alone fill the GPUs; in
    /// training, weights, gradients and Adam's two moments, in 16 bits.
    void addStatedSize()
    {
        static constexpr std::int64_t kStates = 8; ///< Bytes per parameter, at least.
        const StatedRun& run = m_in.run;
        const std::optional<std::int64_t> model = run.parameters ? run.parameters : run.model;
        const std::optional<std::int64_t> card =
            m_proof.total ? std::optional(m_proof.total->mid) : run.card;
        if (!model || !card || m_proof.free_was_enough || m_proof.reaches_limit) {
            return;
        }
        const std::int64_t gpus = std::clamp<std::int64_t>(run.gpus.value_or(1), 1, 1 << 20);
        const std::int64_t room = std::min(*card, std::int64_t{1} << 42) * gpus;
        const Bytes weights{*model / 8 * run.weight_bits};
        const Figures figures{{"parameters", formatCount(*model)},
                              {"weights", weights},
                              {"states", Bytes{*model * kStates}},
                              {"bits", std::to_string(run.weight_bits)},
                              {"room", Bytes{room}}};
        const RunActivity activity = m_in.situation.activity;
        if (weights.value > room / 20 * 19) {
            add(Cause::loading, 0.62, "stated-weights", figures);
        } else if (activity != RunActivity::training && weights.value > room / 5 * 4) {
            add(Cause::model_states, 0.58, "stated-weights", figures);
        } else if (activity == RunActivity::training && *model * kStates > room && !run.uses("lora")
                   && !run.uses("zero-2") && !run.uses("optimizer-8bit")
                   && (run.has_adam || !run.has_sgd) && run.weight_bits >= 16) {
            add(Cause::model_states, 0.62, "stated-states", figures);
        }
    }

    /// Criterion: nothing above explains it; or the driver had more free than was asked for.
    void addUnclear()
    {
        const OomMessage& m = *m_in.message;
        if (m_proof.free_was_enough && !m_proof.reaches_limit) {
            const bool by_reserve = m.reserve && tried() > m.reserve->value;
            by_reserve ? add(Cause::allocator_setting, 0.95, "reserve")
                       : add(Cause::unclear, 0.9, "free-enough");
        } else if (m_proof.limit_is_usual && m_proof.reaches_limit) {
            return; // see addUsualLimit
        } else if (m_proof.allocated && m_proof.total) {
            add(Cause::unclear, 0.5, "full");
        } else if (m_proof.beyond_free && !m_proof.unallocated) {
            add(Cause::unclear, 0.5, "beyond-free");
        } else if (m_proof.tried && m_proof.total && m.in_use) {
            add(Cause::unclear, 0.5, "in-use", {{"in_use", *m.in_use}});
        } else if (m_proof.tried) {
            add(Cause::unclear, 0.5, "only-tried");
            if (m_proof.may_hit_block_limit) {
                add(Cause::unclear, 0.5, "block-limit");
            }
        } else {
            add(Cause::unclear, 0.5, m_proof.total ? "no-request" : "bare");
        }
    }

    /// Criterion: the driver's or torch's error without any figure.
    void addBare()
    {
        if (m_in.message == nullptr || !m_causes.empty()) {
            return;
        }
        add(Cause::unclear, 0.5, "bare");
        addWrittenBudget();
        const std::string_view words = lineAt(m_in.log, m_in.message->offset - 1);
        const bool is_driver = words.find("error: out of memory") != std::string_view::npos;
        if (is_driver && startsUp(m_in)) {
            add(Cause::other_process, 0.6, "driver-start");
        } else if (m_in.frame) {
            add(*m_in.frame);
        } else if (is_driver && m_in.situation.kind == RunKind::unknown) {
            add(Cause::other_process, 0.55, "driver-full");
            add(Cause::non_pytorch_memory, 0.4, "driver", {{"line", std::string(words)}});
        }
        if (is_driver) {
            add(Cause::other_process, 0.4, "driver-full");
        }
    }

    /// Criterion: whoever wrote the text says what the parts take. Weights stay as they are, so the
    /// largest of the others is what a change of the run would have to shrink.
    void addWrittenBudget()
    {
        const auto budget =
            m_in.log.size() <= kWrittenByPeople ? writtenBudget(m_in.log) : std::nullopt;
        if (!budget) {
            return;
        }
        const auto words = [](Bytes bytes) {
            return bytes.value > 0 ? Figure(bytes) : Figure("not said");
        };
        const Figures parts{{"weights", words(budget->weights)},
                            {"activations", words(budget->activations)},
                            {"gradients", words(budget->gradients)},
                            {"states", words(budget->states)}};
        const Bytes most = std::max({budget->activations, budget->gradients, budget->states});
        add(most == budget->activations  ? Cause::activations
                : most == budget->states ? Cause::optimizer_state
                                         : Cause::gradients,
            0.6, "written-budget", parts);
    }

    const TextCase& m_in;
    const MessageProof& m_proof;
    std::vector<CauseFinding> m_causes;
};

} // namespace

std::vector<CauseFinding> causesOf(const TextCase& in)
{
    return TextCauses(in).run();
}

} // namespace tidemark::diagnose
