// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/causes.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/doubts.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

Bucket largestBucket(const label::BucketBytes& bytes)
{
    return label::bucketAt(
        static_cast<std::size_t>(std::ranges::max_element(bytes) - bytes.begin()));
}

/// A file that does not tell is not clear; one that does shows that nothing ran out.
void addNone(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Moment& m = in.facts.moment;
    const std::vector<Doubt> doubts = doubtsOf(in);
    const bool tells = std::ranges::none_of(doubts, [](Doubt doubt) {
        return doubt == Doubt::no_history || doubt == Doubt::contradiction;
    });
    CauseWriter writer(out, in, tells ? Cause::none : Cause::unclear, 1);
    if (tells) {
        writer.set("peak", m.active).say("no-oom", m.state);
        if (in.basis.capacity.bytes && !in.basis.before.is_open) {
            writer.set("need", Bytes{static_cast<std::int64_t>(in.basis.before.reserved.mid)})
                .say("fits");
        }
    }
    const std::int64_t unlabelled = in.facts.bucketAtMoment(Bucket::unknown);
    writer.set("live", m.active).set("unlabelled", Bytes{unlabelled});
    const bool ends_early = std::ranges::find(doubts, Doubt::cut_off) != doubts.end();
    for (const Doubt doubt : doubts) {
        if (doubt != Doubt::no_history
            || !ends_early) { // Else it may be in the part that is missing.
            writer.say(doubtId(doubt), m.state);
        }
    }
    writer.finish();
}

/// What grew, as the headline names it.
std::string collectedWords(const Growth& growth, Cause cause)
{
    const std::string turns = formatCount(growth.turns);
    if (cause == Cause::leak) {
        return growth.is_graph ? say("the graphs of {} forwards take", turns)
                               : say("memory kept from {} steps takes", turns);
    }
    return growth.is_graph ? say("the graphs of {} forwards", turns)
                           : say("results collected over {} evaluation batches", turns);
}

/// Figures that only headlines need.
void addHeadlineFigures(const CauseInput& in, Cause cause, Figures& f)
{
    const Measures& m = in.measures;
    std::int64_t bytes = 0;
    switch (cause) {
    case Cause::none: {
        const Bucket largest = largestBucket(in.facts.moment.buckets);
        bytes = in.facts.bucketAtMoment(largest);
        f["bucket"] = label::bucketNoun(largest);
        f["hold"] = label::infoOf(largest).is_plural ? say("take") : say("takes");
        f["share"] = formatPercent(
            in.total() == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(in.total()));
        return;
    }
    case Cause::loading:
        bytes = in.facts.states.parameters;
        break;
    case Cause::model_states:
        bytes = in.facts.persistentAtMoment();
        break;
    case Cause::optimizer_state:
        bytes = in.facts.states.optimizer;
        break;
    case Cause::activations:
        bytes = m.saved.live() > 0 ? m.saved.live() : m.pass.live();
        break;
    case Cause::activations_sequence:
        bytes = m.attention.live();
        break;
    case Cause::logits:
        bytes = m.logits.live();
        break;
    case Cause::longest_batch:
        f["ratio"] = say("{:.1f}", largerThanBefore(in));
        return;
    case Cause::evaluation_accumulation:
    case Cause::leak:
        bytes = in.basis.growth.bytes;
        f["turns"] = formatCount(in.basis.growth.turns);
        f["collected"] = collectedWords(in.basis.growth, cause);
        break;
    case Cause::evaluation_batch:
        bytes = m.pass.live();
        break;
    case Cause::kv_cache:
        bytes = cacheAtMoment(in.facts);
        break;
    case Cause::compile_workspace:
        bytes = in.facts.bucketAtMoment(Bucket::workspace);
        break;
    case Cause::private_pools:
        bytes = in.facts.replay.privateCachedAt(in.facts.moment.state).value;
        break;
    case Cause::other_process:
    case Cause::non_pytorch_memory:
    case Cause::memory_fraction:
        addLimitFigures(in, cause, f);
        return;
    default:
        break;
    }
    f["bytes"] = Bytes{bytes};
    f["share"] = formatPercent(in.share(bytes));
}

} // namespace

std::int64_t CauseInput::cached() const
{
    const std::int64_t in_pools = facts.replay.privateCachedAt(facts.moment.state).value;
    return std::max<std::int64_t>(
        0, facts.moment.reserved.value - facts.moment.active.value - in_pools);
}

Figures CauseInput::figures() const
{
    const Moment& m = facts.moment;
    const Capacity& had = basis.died_with;
    const std::string room = !had.bytes ? say("allocated memory")
        : had.is_limit                  ? say("this process's limit")
                                        : say("the GPU");
    return {
        {"total", Bytes{total()}},
        {"capacity", had.bytes ? had.ends() : Between{{total()}, {total()}}},
        {"room", room},
        {"requested", m.requested},
        {"tried", m.tried},
        {"free", m.device_free ? Figure(*m.device_free) : Figure(say("an unknown amount"))},
        {"reserved", m.reserved},
        {"cached", Bytes{cached()}},
        {"hole", m.largest_hole},
        {"parameters", Bytes{facts.states.parameters}},
        {"gradients", Bytes{facts.states.gradients}},
        {"optimizer", Bytes{facts.states.optimizer}},
        {"trainable", Bytes{facts.states.trainable}},
        {"need", Bytes{static_cast<std::int64_t>(basis.before.requested.mid)}},
    };
}

CauseWriter& CauseWriter::set(std::string_view name, Figure value)
{
    m_figures.insert_or_assign(std::string(name), std::move(value));
    return *this;
}

CauseWriter& CauseWriter::say(std::string_view evidence, std::optional<StateId> at, StackId stack)
{
    const std::optional<StateId> place = !at && stack.isNone() ? m_moment : at;
    m_finding.evidence.push_back({evidenceText(m_cause, evidence, m_figures), place, stack});
    return *this;
}

void CauseWriter::finish()
{
    m_out.push_back(std::move(m_finding));
}

bool runsOut(const Facts& facts, const NeedBasis& basis)
{
    return facts.isOom() || fitsInto(basis.before, basis.capacity) == false;
}

bool needsFix(const Facts& facts, const NeedBasis& basis)
{
    const bool fits_a_larger_one = fitsInto(basis.before, basis.capacity) == true
        && *basis.capacity.bytes > basis.died_with.most();
    return runsOut(facts, basis) && !fits_a_larger_one;
}

std::vector<CauseFinding> rankCauses(const CauseInput& in)
{
    static constexpr double kNamed = 0.3; // below, a cause explains too little to come first
    std::vector<CauseFinding> causes;
    if (!runsOut(in.facts, in.basis)) {
        addNone(in, causes);
        addGrowthCauses(in, causes); // it will run out one day
        applyDoubts(in, causes);
        sayWhatWouldHelp(causes);
        const std::vector<Doubt> doubts = doubtsOf(in);
        if (std::ranges::find(doubts, Doubt::late) != doubts.end()) {
            causes.front().to_be_sure = say("Record at least one complete step.");
        }
        return causes;
    }
    addLimitCauses(in, causes);
    addFragmentation(in, causes);
    addGrowthCauses(in, causes);
    addBatchCauses(in, causes);
    addActivationCauses(in, causes);
    addStateCauses(in, causes);
    applyDoubts(in, causes);
    std::ranges::stable_sort(causes, std::ranges::greater{}, &CauseFinding::score);
    if (causes.empty() || causes.front().score < kNamed) {
        CauseWriter(causes, in, Cause::unclear, kNamed)
            .say("nothing", in.facts.moment.state)
            .finish();
        std::ranges::stable_sort(causes, std::ranges::greater{}, &CauseFinding::score);
    }
    sayWhatWouldHelp(causes);
    return causes;
}

std::string causeHeadline(const CauseInput& in, Cause cause)
{
    const label::FailedRequest* failed = in.facts.failed;
    const bool only_asked = (cause == Cause::logits && in.measures.logits.live() == 0)
        || (cause == Cause::activations_sequence && in.measures.attention.live() == 0);
    if (only_asked && failed != nullptr) {
        cause = Cause::single_huge_tensor; // nothing of it lives yet, so no share is named
    }
    Figures figures = in.figures();
    addHeadlineFigures(in, cause, figures);
    return filledIn(causeText(cause).headline, figures);
}

} // namespace tidemark::diagnose
