// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/remedies.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/fixes/set_search.h"
#include "core/diagnose/moment.h"
#include "core/message/texts.h"
#include "core/shapes/linear_names.h"
#include "core/shapes/objection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace tidemark::plan {
namespace {

using diagnose::Fix;
using diagnose::FixStatus;
using diagnose::FixText;

/// One fix of the ladder as a change of the run.
struct Remedy {
    std::string_view id;
    /// The changed run; nothing: it is no fix for this run.
    std::function<std::optional<walk::RunShape>(const walk::ModelShape&, walk::RunShape)> change;
    /// In `predict --apply` words.
    std::function<std::string(const walk::RunShape& before, const walk::RunShape& after)> words;
};

constexpr int kUsualRank = 16;

std::optional<walk::RunShape> smallerBatch(const walk::ModelShape& /*model*/, walk::RunShape run)
{
    // Its largest divisor, so that a step sees the same samples.
    for (std::int64_t part = 2; part <= run.batch; ++part) {
        if (run.batch % part == 0) {
            run.batch /= part;
            run.accumulation *= part;
            return run;
        }
    }
    return std::nullopt;
}

std::optional<walk::RunShape> sharded(walk::RunShape run, int stage)
{
    if (run.gpus < 2 || run.zero >= stage || (run.lora && stage < 3)) {
        return std::nullopt;
    }
    run.zero = stage;
    return run;
}

bool isSgd(walk::Optimizer optimizer)
{
    return optimizer == walk::Optimizer::sgd || optimizer == walk::Optimizer::sgd_momentum;
}

std::string plainWords(std::string_view words)
{
    return std::string(words);
}

const std::vector<Remedy>& remedies()
{
    const auto says = [](std::string_view words) {
        return [words](const walk::RunShape&, const walk::RunShape&) { return plainWords(words); };
    };
    static const std::vector<Remedy> kRemedies{
        {"micro-batch", smallerBatch,
         [](const walk::RunShape& before, const walk::RunShape& after) {
             return fmt::format("micro-batch={:g},accumulation={}",
                                static_cast<double>(after.batch)
                                    / static_cast<double>(before.batch),
                                after.accumulation);
         }},
        {"bf16",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.precision != walk::Precision::fp32) {
                 return std::nullopt;
             }
             run.precision = walk::Precision::autocast_bf16;
             return run;
         },
         says("precision=bf16")},
        {"checkpointing-full",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.checkpoints) {
                 return std::nullopt;
             }
             run.checkpoints = true;
             return run;
         },
         says("checkpointing=full")},
        {"fused-optimizer",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.optimizer != walk::Optimizer::adamw_foreach) {
                 return std::nullopt;
             }
             run.optimizer = walk::Optimizer::adamw;
             return run;
         },
         says("fused=on")},
        {"attention-flash",
         [](const walk::ModelShape& model, walk::RunShape run) -> std::optional<walk::RunShape> {
             const bool makes_scores =
                 run.attention == walk::Attention::eager || run.attention == walk::Attention::own;
             if (!makes_scores || model.needsScores()) {
                 return std::nullopt;
             }
             run.attention = walk::Attention::sdpa;
             return run;
         },
         says("attention=flash")},
        {"fused-loss",
         [](const walk::ModelShape& model, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.fuses_loss || !model.isCausal()) {
                 return std::nullopt;
             }
             run.fuses_loss = true;
             return run;
         },
         says("fused-loss=on")},
        {"sequence",
         [](const walk::ModelShape& model, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.sequence < 2 || model.images) {
                 return std::nullopt;
             }
             run.sequence /= 2;
             run.target_sequence /= 2;
             return run;
         },
         says("sequence=0.5")},
        {"optimizer-8bit",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.optimizer != walk::Optimizer::adamw
                 && run.optimizer != walk::Optimizer::adamw_foreach
                 && run.optimizer != walk::Optimizer::adamw_for_loop) {
                 return std::nullopt;
             }
             run.optimizer = walk::Optimizer::adamw_8bit;
             return run;
         },
         says("optimizer=adamw8bit")},
        {"optimizer-adafactor",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.optimizer == walk::Optimizer::adafactor || isSgd(run.optimizer)) {
                 return std::nullopt;
             }
             run.optimizer = walk::Optimizer::adafactor;
             return run;
         },
         says("optimizer=adafactor")},
        {"optimizer-sgd",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (isSgd(run.optimizer)) {
                 return std::nullopt;
             }
             run.optimizer = walk::Optimizer::sgd;
             return run;
         },
         says("optimizer=sgd")},
        {"bf16-pure",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.precision == walk::Precision::bf16) {
                 return std::nullopt;
             }
             run.precision = walk::Precision::bf16;
             return run;
         },
         says("precision=pure-bf16")},
        {"zero-1",
         [](const walk::ModelShape&, walk::RunShape run) { return sharded(std::move(run), 1); },
         says("zero=1")},
        {"zero-2",
         [](const walk::ModelShape&, walk::RunShape run) { return sharded(std::move(run), 2); },
         says("zero=2")},
        {"zero-3",
         [](const walk::ModelShape&, walk::RunShape run) { return sharded(std::move(run), 3); },
         says("zero=3")},
        {"offload-optimizer",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.states != walk::Offload::none || run.optimizer == walk::Optimizer::sgd) {
                 return std::nullopt;
             }
             run.zero = std::max(run.zero, 2);
             run.states = walk::Offload::cpu;
             return run;
         },
         says("offload=optimizer")},
        {"offload-parameters",
         [](const walk::ModelShape&, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.weights != walk::Offload::none) {
                 return std::nullopt;
             }
             run.zero = 3;
             run.weights = walk::Offload::cpu;
             return run;
         },
         says("offload=parameters")},
        {"lora",
         [](const walk::ModelShape& model, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.lora) {
                 return std::nullopt;
             }
             run.lora = walk::Lora{kUsualRank, shapes::usualTargets(model)};
             return run;
         },
         [](const walk::RunShape&, const walk::RunShape&) {
             return fmt::format("lora={}", kUsualRank);
         }},
        {"qlora",
         [](const walk::ModelShape& model, walk::RunShape run) -> std::optional<walk::RunShape> {
             if (run.quantization != walk::Quantization::none) {
                 return std::nullopt;
             }
             if (!run.lora) {
                 run.lora = walk::Lora{kUsualRank, shapes::usualTargets(model)};
             }
             run.quantization = walk::Quantization::nf4_double;
             return run;
         },
         [](const walk::RunShape&, const walk::RunShape& after) {
             return fmt::format("qlora={}", after.lora->rank);
         }},
    };
    return kRemedies;
}

const FixText& textOf(std::string_view id)
{
    return *std::ranges::find(diagnose::fixTexts(), id, &FixText::id);
}

/// The figures of a fix's texts; `before` is the run without it.
diagnose::Figures figuresOf(const walk::RunShape& before, const walk::RunShape& run)
{
    const std::string batch = formatCount(run.batch);
    const std::int64_t part = run.batch < before.batch ? before.batch / run.batch : 2;
    return {{"micro", batch},
            {"new_micro", batch},
            {"fraction", fmt::format("1/{}", part)},
            {"accumulation", formatCount(run.accumulation)},
            {"accumulating", formatCount(run.accumulation)},
            {"ratio", "1/2"},
            {"gpus", formatCount(run.gpus)},
            {"block", "the layer's class"},
            {"two_blocks", "the parameters of two layers"},
            {"rank", formatCount(run.lora ? run.lora->rank : kUsualRank)}};
}

std::string sentenceOf(const Estimate& before, const Estimate& after)
{
    return say("The peak would be {} instead of {}, in {}.", after.budget.peak.bytes,
               before.budget.peak.bytes, label::phaseNoun(after.budget.peak.phase));
}

/// The run with a fix taken so many times: as often as it changes something and can be planned.
walk::RunShape takenTimes(const Question& question, const Remedy& remedy, std::size_t times,
                          walk::RunShape run)
{
    for (std::size_t i = 0; i < times; ++i) {
        auto changed = remedy.change(question.model, run);
        if (!changed || !shapes::objectionTo(question.model, *changed).empty()) {
            break;
        }
        run = std::move(*changed);
    }
    return run;
}

/// A fix applied to the run as it is.
struct Tried {
    const Remedy* remedy = nullptr;
    const FixText* text = nullptr;
    std::size_t times = 1; ///< Halving a batch again is stronger.
    walk::RunShape run;
    Estimate estimate;
};

Bytes shortBy(const Question& question, const Estimate& tried)
{
    const Bytes need = tried.need().expected;
    return question.capacity && need > *question.capacity ? need - *question.capacity : Bytes{};
}

Fix fixOf(const Question& question, const Estimate& base, const Tried& tried)
{
    const diagnose::Figures figures = figuresOf(question.run, tried.run);
    Fix fix;
    fix.id = tried.text->id;
    fix.knowledge = tried.text->knowledge;
    fix.cost_rank = tried.text->cost_rank;
    fix.title = diagnose::filledIn(tried.text->title, figures);
    fix.apply = tried.remedy->words(question.run, tried.run);
    fix.saves = base.budget.peak.bytes - tried.estimate.budget.peak.bytes;
    fix.new_peak = tried.estimate.peak.expected;
    fix.new_peak_low = tried.estimate.peak.low;
    fix.new_peak_high = tried.estimate.peak.high;
    fix.new_peak_state = {tried.estimate.budget.peak.moment};
    fix.new_need = tried.estimate.peak.expected;
    fix.new_reserved = tried.estimate.need().expected;
    fix.fits = tried.estimate.fits;
    fix.short_by = shortBy(question, tried.estimate);
    fix.changes_science = tried.text->changes_science;
    fix.why = sentenceOf(base, tried.estimate);
    fix.cost = diagnose::filledIn(tried.text->cost, figures);
    fix.verify = diagnose::filledIn(tried.text->verify, figures);
    for (const std::string& conflict : tried.text->conflicts) {
        fix.conflicts.push_back(diagnose::filledIn(conflict, figures));
    }
    fix.needs = tried.text->needs;
    fix.needs.gpu = translated(tried.text->needs.gpu);
    fix.needs.other = translated(tried.text->needs.other);
    for (const auto& [framework, line] : tried.text->how) {
        fix.how.emplace_back(framework, diagnose::filledIn(line, figures));
    }
    fix.status = base.fits == true ? FixStatus::not_needed
        : fix.fits == false        ? FixStatus::not_enough
                                   : FixStatus::would_help;
    return fix;
}

/// Sets of fixes as runs that are planned.
class PlannedTrials : public diagnose::SetTrials {
public:
    PlannedTrials(const Question& question, const std::vector<Tried>& tried)
        : m_question(question)
        , m_tried(tried)
    {
    }

    [[nodiscard]] walk::RunShape runOf(const diagnose::FixSet& set) const
    {
        walk::RunShape run = m_question.run;
        for (const diagnose::SetMember& member : set) {
            run = takenTimes(m_question, *m_tried[member.candidate].remedy, member.strength + 1,
                             std::move(run));
        }
        return run;
    }
    std::vector<std::optional<bool>> fit(std::span<const diagnose::FixSet> sets) override
    {
        std::vector<std::optional<bool>> fits;
        for (const diagnose::FixSet& set : sets) {
            fits.push_back(estimate(m_question, runOf(set)).fits);
        }
        return fits;
    }
    [[nodiscard]] std::size_t most() const override
    {
        constexpr std::size_t kMostPlans = 120;
        return kMostPlans;
    }

private:
    const Question& m_question;
    const std::vector<Tried>& m_tried;
};

std::vector<diagnose::SetCandidate> candidatesOf(const std::vector<Tried>& tried,
                                                 const Estimate& base)
{
    std::vector<diagnose::SetCandidate> candidates;
    for (const Tried& one : tried) {
        candidates.push_back(
            {.cost = diagnose::costOf(one.text->cost_rank, one.text->changes_science),
             .group = one.text->group,
             .saves = (base.budget.peak.bytes - one.estimate.budget.peak.bytes).value,
             .strengths = one.times,
             .changes_science = one.text->changes_science,
             .fits_alone = one.estimate.fits == true});
    }
    return candidates;
}

/// The cheapest set that fits. Its members become as mild as they are in it.
diagnose::Answer findAnswer(const Question& question, const Estimate& base,
                            std::vector<Tried>& tried)
{
    diagnose::Answer answer;
    PlannedTrials trials(question, tried);
    const diagnose::FixSet set = diagnose::cheapestSet(trials, candidatesOf(tried, base));
    if (set.empty()) {
        answer.fits = false;
        answer.sentence = say("No set of fixes is sure to fit.");
        return answer;
    }
    const Estimate found = estimate(question, trials.runOf(set));
    std::vector<std::string> titles;
    for (const diagnose::SetMember& member : set) {
        Tried& one = tried[member.candidate];
        if (member.strength + 1 < one.times) {
            one.times = member.strength + 1;
            one.run = takenTimes(question, *one.remedy, one.times, question.run);
            one.estimate = estimate(question, one.run);
        }
        answer.fixes.push_back(one.text->id);
        answer.apply +=
            (answer.apply.empty() ? "" : ",") + one.remedy->words(question.run, one.run);
        titles.push_back(diagnose::filledIn(one.text->title, figuresOf(question.run, one.run)));
    }
    answer.new_need = found.peak.expected;
    answer.new_reserved = found.need().expected;
    answer.least_reserved = found.need().low;
    answer.fits = found.fits;
    answer.available = *question.capacity;
    answer.margin = *question.capacity - found.need().high;
    answer.sentence =
        say("{}: the GPU would use {} of {}.", fmt::join(titles, say(", and ")),
            Around{found.need().expected, found.need().low, found.need().high}, *question.capacity);
    return answer;
}

} // namespace

Remedies findRemedies(const Question& question, const Estimate& base)
{
    std::vector<Tried> tried;
    for (const Remedy& remedy : remedies()) {
        auto changed = remedy.change(question.model, question.run);
        if (!changed || !shapes::objectionTo(question.model, *changed).empty()) {
            continue;
        }
        // Halving again is a fix of its own kind: the mildest batch that fits.
        Estimate found = estimate(question, *changed);
        std::size_t times = 1;
        while (remedy.id == "micro-batch" && question.capacity && found.fits != true) {
            auto smaller = remedy.change(question.model, *changed);
            if (!smaller) {
                break;
            }
            changed = std::move(smaller);
            found = estimate(question, *changed);
            ++times;
        }
        // What lowers the peak and costs more in holes or kernels is no saving.
        if (found.budget.peak.bytes < base.budget.peak.bytes
            && found.need().expected < base.need().expected) {
            tried.push_back(
                {&remedy, &textOf(remedy.id), times, std::move(*changed), std::move(found)});
        }
    }
    Remedies result;
    if (question.capacity && base.fits != true) {
        result.answer = findAnswer(question, base, tried);
    }
    for (const Tried& one : tried) {
        result.fixes.push_back(fixOf(question, base, one));
        if (result.answer
            && std::ranges::find(result.answer->fixes, one.text->id)
                != result.answer->fixes.end()) {
            result.fixes.back().status = FixStatus::recommended;
        }
    }
    std::ranges::stable_sort(result.fixes, {}, &Fix::cost_rank);
    return result;
}

} // namespace tidemark::plan
