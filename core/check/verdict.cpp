// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/verdict.h"

#include "core/base/language.h"
#include "core/compare/difference.h"
#include "core/compare/place_texts.h"
#include "core/curves/step_growth.h"
#include "core/label/stacks/code_lines.h"
#include "core/report/selection.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tidemark::check {
namespace {

/// The lines of a run, by stack.
class PlaceFinder {
public:
    explicit PlaceFinder(const diagnose::Analysis& analysis)
        : m_snapshot(*analysis.snapshot)
        , m_finder(*analysis.snapshot)
    {
    }

    [[nodiscard]] GrewAt of(StackId stack, std::int64_t bytes) const
    {
        const label::CodeLines lines = m_finder.of(m_snapshot, stack);
        GrewAt where;
        where.bytes = bytes;
        if (lines.shown.isNone()) {
            return where;
        }
        const Frame& frame = m_snapshot.stacks.frame(lines.shown);
        where.text = label::linesText(m_snapshot, lines);
        where.filename = m_snapshot.text(frame.filename);
        where.line = frame.line;
        return where;
    }

    [[nodiscard]] FrameId lineOf(StackId stack) const
    {
        return m_finder.of(m_snapshot, stack).shown;
    }

private:
    const trace::Snapshot& m_snapshot;
    label::LineFinder m_finder;
};

/// The line with the most bytes at the peak, of one bucket or of all.
GrewAt largestPlace(const diagnose::Analysis& analysis, const PlaceFinder& places,
                    std::size_t device, const std::optional<label::Bucket>& bucket)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    struct Sum {
        StackId stack;
        std::int64_t bytes = 0;
    };
    std::map<FrameId, Sum> sums;
    for (const AllocationId a : replay::liveAt(replay, replay.peak)) {
        if (bucket && analysis.labels->devices[device].bucket[a.index()] != *bucket) {
            continue;
        }
        const StackId stack = replay.allocations.stack[a.index()];
        Sum& sum = sums[places.lineOf(stack)];
        sum.stack = sum.bytes == 0 ? stack : sum.stack;
        sum.bytes += replay.allocations.requested[a.index()].value;
    }
    const auto most =
        std::ranges::max_element(sums, {}, [](const auto& row) { return row.second.bytes; });
    return most == sums.end() ? GrewAt() : places.of(most->second.stack, most->second.bytes);
}

/// What grew most from the baseline; nullopt where nothing did.
std::optional<GrewAt> grownPlace(const diagnose::Analysis& analysis, const PlaceFinder& places,
                                 const compare::Difference& difference,
                                 const std::optional<label::Bucket>& bucket,
                                 const trace::Snapshot& baseline)
{
    const compare::PlaceDifference* most = nullptr;
    for (const compare::PlaceDifference& place : difference.parts.places) {
        const bool is_it = place.delta().value > 0 && (!bucket || place.bucket == *bucket);
        if (is_it && (most == nullptr || place.delta() > most->delta())) {
            most = &place;
        }
    }
    if (most == nullptr) {
        return std::nullopt;
    }
    GrewAt where = places.of(most->stack_b, most->delta().value);
    const std::string text = compare::PlaceTexts(baseline, *analysis.snapshot).where(*most);
    where.text = text.empty() ? where.text : text;
    where.is_growth = true;
    return where;
}

std::optional<std::size_t> deviceIn(const diagnose::Analysis& analysis, std::int32_t device)
{
    for (std::size_t d = 0; d < analysis.deviceCount(); ++d) {
        const trace::Device& one = analysis.snapshot->devices[d];
        if (!one.isEmpty() && one.index == device) { // Host memory has −1.
            return d;
        }
    }
    return std::nullopt;
}

GrewAt leakingPlace(const diagnose::Analysis& analysis, const PlaceFinder& places,
                    std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const auto stacks =
        curves::growthPerStep(replay, analysis.labels->devices[device], replay.lastState()).stacks;
    if (stacks.empty()) {
        return {};
    }
    GrewAt where =
        places.of(stacks.front().stack, static_cast<std::int64_t>(stacks.front().bytes_per_step));
    where.is_growth = true;
    return where;
}

} // namespace

Result<std::vector<Verdict>> judge(const diagnose::Analysis& analysis,
                                   std::span<const Budget> budgets)
{
    const std::vector<DeviceMeasures> devices = measuresOf(analysis);
    std::vector<Verdict> verdicts;
    for (const Budget& budget : budgets) {
        bool is_checked = budget.is_learnt;
        for (const DeviceMeasures& measures : devices) {
            if (budget.device && *budget.device != measures.device) {
                continue;
            }
            const std::optional<std::int64_t> actual = measures.of(budget);
            if (actual) {
                verdicts.push_back(
                    {analysis.file.string(), budget, measures.device, *actual, GrewAt()});
            } else if (!budget.is_learnt && measures.device < 0 && !budget.device) {
                continue; // Host memory has no steps; who wants its growth names it.
            } else if (!budget.is_learnt) {
                return Error{ErrorCode::badArgument,
                             say("Growth per step needs three complete steps; {} has {}.",
                                 deviceWords(measures.device), measures.steps),
                             {}};
            }
            is_checked = true;
        }
        if (!is_checked) {
            return Error{ErrorCode::badArgument,
                         budget.device
                             ? say("No memory of {} is recorded, so its budget cannot be checked.",
                                   deviceWords(*budget.device))
                             : say("The file has no memory to check."),
                         {}};
        }
    }
    return verdicts;
}

void findPlaces(std::vector<Verdict>& verdicts, const diagnose::Analysis& analysis,
                const diagnose::Analysis* baseline)
{
    const PlaceFinder places(analysis);
    std::map<std::int32_t, std::optional<compare::Difference>> differences;
    for (Verdict& verdict : verdicts) {
        const auto device = deviceIn(analysis, verdict.device);
        if (verdict.holds() || !device) {
            continue;
        }
        const auto& budget = verdict.budget;
        if (budget.measure == Measure::growth) {
            verdict.where = leakingPlace(analysis, places, *device);
            continue;
        }
        if (budget.measure == Measure::ooms) {
            const EventId oom = analysis.replay->devices[*device].ooms.front();
            const trace::Events& events = analysis.snapshot->devices[*device].events;
            verdict.where = places.of(events.stack[oom.index()], events.size[oom.index()].value);
            continue;
        }
        const auto [known, is_new] = differences.try_emplace(verdict.device);
        if (is_new && baseline != nullptr) {
            if (const auto other = deviceIn(*baseline, verdict.device)) {
                compare::DifferenceOptions options;
                options.device_a = *other;
                options.device_b = *device;
                known->second = compare::findDifference(*baseline, analysis, options);
            }
        }
        const std::optional<GrewAt> grown = known->second
            ? grownPlace(analysis, places, *known->second, budget.bucket, *baseline->snapshot)
            : std::nullopt;
        verdict.where = grown ? *grown : largestPlace(analysis, places, *device, budget.bucket);
    }
}

std::string sentenceOf(const Verdict& verdict)
{
    const Budget& budget = verdict.budget;
    const std::string name = budgetName(budget, verdict.device);
    if (verdict.holds()) {
        return say("{} is {}, within {}", name, amountText(budget.measure, verdict.actual),
                   amountText(budget.measure, budget.limit));
    }
    std::string text = isBytes(budget.measure)
        ? say("{} is {}, {} over its budget of {}", name, Bytes{verdict.actual},
              Bytes{verdict.actual - budget.limit}, Bytes{budget.limit})
        : say("{}: {}, the budget is {}", name, amountText(budget.measure, verdict.actual),
              amountText(budget.measure, budget.limit));
    const GrewAt& where = verdict.where;
    if (budget.measure == Measure::ooms) {
        return text
            + (where.text.empty() ? say("; {} requested", Bytes{where.bytes})
                                  : say("; {} requested {}", where.text, Bytes{where.bytes}));
    }
    if (where.text.empty()) {
        return text;
    }
    if (budget.measure == Measure::growth) {
        return text + say("; {} grows by {} per step", where.text, Bytes{where.bytes});
    }
    return text
        + (where.is_growth ? say("; {} grew by {}", where.text, Bytes{where.bytes})
                           : say("; most is from {}, {}", where.text, Bytes{where.bytes}));
}

} // namespace tidemark::check
