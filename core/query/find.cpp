// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/find.h"

#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/base/progress.h"
#include "core/label/stacks/stack_text.h"
#include "core/query/code_line.h"
#include "core/query/order.h"
#include "core/query/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

namespace tidemark::query {
namespace {

Error searchStopped()
{
    return {ErrorCode::cancelled, say("The search was stopped."), {}};
}

bool containsLower(std::string_view text, std::string_view low)
{
    const auto same = [](char a, char b) { return lowered(a) == b; };
    return std::search(text.begin(), text.end(), low.begin(), low.end(), same) != text.end();
}

/// The texts of a condition, held against others.
class TextMatcher {
public:
    explicit TextMatcher(const Condition& condition)
        : m_is_whole(condition.is_whole)
    {
        for (const std::string& low : condition.texts) {
            std::optional<CodeLine> line = m_is_whole ? std::nullopt : codeLineOf(low);
            if (line) {
                m_code_lines.push_back(std::move(*line));
            } else {
                m_lows.push_back(&low);
                m_has_line = m_has_line || low.find(':') != std::string::npos;
            }
        }
    }
    [[nodiscard]] bool matches(std::string_view text) const
    {
        return std::ranges::any_of(m_lows,
                                   [&](const std::string* low) {
                                       return m_is_whole ? lowered(text) == *low
                                                         : containsLower(text, *low);
                                   })
            || std::ranges::any_of(m_code_lines,
                                   [&](const CodeLine& line) { return line.isIn(text); });
    }
    /// Of what is in neither the function nor the file: "model.py:41".
    [[nodiscard]] bool matchesLine(const trace::Snapshot& snapshot, FrameId frame) const
    {
        return (m_has_line && matches(label::frameText(snapshot, frame)))
            || std::ranges::any_of(m_code_lines, [&](const CodeLine& line) {
                   return line.isOf(snapshot, snapshot.stacks.frame(frame));
               });
    }

private:
    std::vector<const std::string*> m_lows;
    std::vector<CodeLine> m_code_lines;
    bool m_is_whole;
    bool m_has_line = false;
};

/// Which parts of a frame a condition looks at.
struct FrameParts {
    bool has_function = false;
    bool has_file = false;
};

/// Which stacks hold one of the texts; each text of the file and each frame is looked at once.
std::vector<char> stacksWith(const trace::Snapshot& snapshot, const TextMatcher& wanted,
                             FrameParts parts)
{
    std::vector<char> strings(snapshot.strings.size(), 0);
    for (std::size_t i = 0; i < strings.size(); ++i) {
        strings[i] = wanted.matches(snapshot.text(StringId(i))) ? 1 : 0;
    }
    const auto has = [&](StringId id) { return !id.isNone() && strings[id.index()] != 0; };
    const StackPool& stacks = snapshot.stacks;
    std::vector<char> frames(stacks.frameCount(), 0);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Frame& frame = stacks.frame(FrameId(i));
        const bool holds = (parts.has_function && has(frame.name))
            || (parts.has_file && has(frame.filename))
            || (parts.has_file && wanted.matchesLine(snapshot, FrameId(i)));
        frames[i] = holds ? 1 : 0;
    }
    std::vector<char> found(stacks.stackCount(), 0);
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = std::ranges::any_of(stacks.frames(StackId(i)),
                                       [&](FrameId f) { return frames[f.index()] != 0; })
            ? 1
            : 0;
    }
    return found;
}

std::vector<char> linesWith(const AllocationTable& table, const TextMatcher& wanted)
{
    std::vector<char> found(table.lineCount(), 0);
    for (std::size_t i = 1; i < found.size(); ++i) {
        found[i] = wanted.matches(table.lineText(static_cast<LineNumber>(i))) ? 1 : 0;
    }
    return found;
}

std::vector<char> modulesWith(const label::ModulePaths& paths, const TextMatcher& wanted)
{
    std::vector<char> found(paths.count(), 0);
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = wanted.matches(paths.path(label::ModuleId(i)).text()) ? 1 : 0;
    }
    return found;
}

/// Per bucket and role: whether their names hold one of the texts.
class LabelTexts {
public:
    explicit LabelTexts(const TextMatcher& wanted)
    {
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            const label::Bucket bucket = label::bucketAt(b);
            for (std::size_t r = 0; r < label::kRoleCount; ++r) {
                const std::string_view role = label::roleId(static_cast<label::Role>(r));
                std::string words(role);
                std::ranges::replace(words, '_', ' ');
                const std::string shown = bucketWithRole(bucket, static_cast<label::Role>(r));
                m_holds[b * label::kRoleCount + r] = wanted.matches(shown) || wanted.matches(words)
                    || wanted.matches(label::bucketId(bucket)) || wanted.matches(role);
            }
        }
    }
    [[nodiscard]] bool holds(label::Bucket bucket, label::Role role) const
    {
        return m_holds[label::indexOf(bucket) * label::kRoleCount + static_cast<std::size_t>(role)];
    }

private:
    std::array<bool, label::kBucketCount * label::kRoleCount> m_holds{};
};

/// Applies conditions to a list that grows shorter.
class RowFilter {
public:
    RowFilter(const AllocationTable& table, std::vector<AllocationId> ids,
              const std::stop_token& stop)
        : m_table(table)
        , m_all(table.replay().allocations)
        , m_labels(table.labels())
        , m_ids(std::move(ids))
        , m_stop(stop)
    {
    }
    Result<Done> apply(const Condition& condition);
    std::vector<AllocationId> take()
    {
        return std::move(m_ids);
    }

private:
    template <class Holds>
    Result<Done> keep(bool is_negated, const Holds& holds)
    {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < m_ids.size(); ++i) {
            if (i % kStopCheckStride == 0 && m_stop.stop_requested()) {
                return searchStopped();
            }
            m_ids[kept] = m_ids[i];
            kept += holds(m_ids[i]) != is_negated ? 1U : 0U;
        }
        m_ids.resize(kept);
        return Done{};
    }
    template <class ValueOf>
    Result<Done> keepRanges(const Condition& condition, const ValueOf& value_of)
    {
        return keep(condition.is_negated, [&](AllocationId a) {
            const std::int64_t value = value_of(a);
            return std::ranges::any_of(
                condition.ranges, [value](const Range& range) { return range.contains(value); });
        });
    }
    /// An event that there is not is in no range.
    Result<Done> keepEvents(const Condition& condition,
                            std::initializer_list<const std::vector<EventId>*> columns)
    {
        return keep(condition.is_negated, [&](AllocationId a) {
            return std::ranges::any_of(columns, [&](const std::vector<EventId>* column) {
                const EventId event = (*column)[a.index()];
                return !event.isNone()
                    && std::ranges::any_of(condition.ranges, [event](const Range& range) {
                           return range.contains(event.value);
                       });
            });
        });
    }
    Result<Done> keepFrames(const Condition& condition, FrameParts parts);
    Result<Done> keepModules(const Condition& condition);
    Result<Done> keepWords(const Condition& condition);
    Result<Done> keepLiving(const Condition& condition);
    Result<Done> keepLifetimes(const Condition& condition);
    Result<Done> keepAddresses(const Condition& condition);

    const AllocationTable& m_table;
    const replay::Allocations& m_all;
    const label::DeviceLabels& m_labels;
    std::vector<AllocationId> m_ids;
    const std::stop_token& m_stop;
};

Result<Done> RowFilter::keepFrames(const Condition& condition, FrameParts parts)
{
    const std::vector<char> stacks = stacksWith(m_table.snapshot(), TextMatcher(condition), parts);
    return keep(condition.is_negated, [&](AllocationId a) {
        const StackId stack = m_all.stack[a.index()];
        return !stack.isNone() && stacks[stack.index()] != 0;
    });
}

Result<Done> RowFilter::keepModules(const Condition& condition)
{
    const auto details = m_table.details(m_stop);
    if (!details) {
        return searchStopped();
    }
    const std::vector<char> modules = modulesWith(details->paths, TextMatcher(condition));
    const std::vector<label::ModuleId>& of = details->devices[m_table.deviceIndex()].modules.module;
    return keep(condition.is_negated, [&](AllocationId a) {
        const label::ModuleId module = of[a.index()];
        return !module.isNone() && modules[module.index()] != 0;
    });
}

Result<Done> RowFilter::keepWords(const Condition& condition)
{
    const auto details = m_table.details(m_stop);
    if (!details) {
        return searchStopped();
    }
    const TextMatcher wanted(condition);
    const std::vector<char> modules = modulesWith(details->paths, wanted);
    const std::vector<label::ModuleId>& of = details->devices[m_table.deviceIndex()].modules.module;
    const std::vector<char> stacks = stacksWith(m_table.snapshot(), wanted, {true, true});
    const std::vector<char> lines = linesWith(m_table, wanted);
    const LabelTexts labels(wanted);
    return keep(condition.is_negated, [&](AllocationId a) {
        const std::size_t i = a.index();
        const StackId stack = m_all.stack[i];
        return (!stack.isNone() && stacks[stack.index()] != 0)
            || labels.holds(m_labels.bucket[i], m_labels.role[i])
            || (!of[i].isNone() && modules[of[i].index()] != 0) || lines[m_table.line(a)] != 0;
    });
}

Result<Done> RowFilter::keepLiving(const Condition& condition)
{
    const replay::DeviceReplay& replay = m_table.replay();
    StateId state;
    switch (condition.moment) {
    case LiveMoment::start:
        break;
    case LiveMoment::peak:
        state = replay.peak;
        break;
    case LiveMoment::end:
        state = replay.lastState();
        break;
    case LiveMoment::oom:
        if (replay.ooms.empty()) {
            return Error{ErrorCode::badArgument,
                         say("The trace has no out-of-memory event; write live@peak."),
                         {}};
        }
        state = StateId::before(replay.ooms.back());
        break;
    case LiveMoment::event:
        if (condition.event >= replay.lastState().value) {
            return Error{ErrorCode::badArgument,
                         replay.lastState().value == 0
                             ? say("The trace has no events; write live@end.")
                             : say("There is no event {}; the last is event {}.", condition.event,
                                   replay.lastState().value - 1),
                         {}};
        }
        state = StateId::after(EventId(condition.event));
        break;
    }
    return keep(condition.is_negated, [&](AllocationId a) { return m_all.isLive(a, state); });
}

Result<Done> RowFilter::keepLifetimes(const Condition& condition)
{
    if (condition.counts_events) {
        return keepRanges(condition, [&](AllocationId a) { return m_table.lifetimeInEvents(a); });
    }
    if (!m_table.hasTimes()) {
        return Error{ErrorCode::badArgument,
                     fmt::format("“{}”: this file has no times; count events, such as "
                                 "life<200events.",
                                 condition.word),
                     {}};
    }
    constexpr std::int64_t kNanoseconds = 1000; // Of a microsecond.
    return keepRanges(condition,
                      [&](AllocationId a) { return m_table.lifetime(a) * kNanoseconds; });
}

/// What begins at the address, or holds it.
Result<Done> RowFilter::keepAddresses(const Condition& condition)
{
    return keep(condition.is_negated, [&](AllocationId a) {
        const Address begin = m_all.address[a.index()];
        const auto size = static_cast<Address>(m_all.requested[a.index()].value);
        return std::ranges::any_of(condition.addresses, [&](Address address) {
            return address == begin || (address > begin && address - begin < size);
        });
    });
}

Result<Done> RowFilter::apply(const Condition& condition)
{
    const auto isChosen = [&condition](std::size_t value) {
        return (condition.choices >> value & 1U) != 0;
    };
    switch (condition.key) {
    case Key::text:
        return keepWords(condition);
    case Key::bucket:
        return keep(condition.is_negated, [&](AllocationId a) {
            return isChosen(label::indexOf(m_labels.bucket[a.index()]));
        });
    case Key::role:
        return keep(condition.is_negated, [&](AllocationId a) {
            return isChosen(static_cast<std::size_t>(m_labels.role[a.index()]));
        });
    case Key::phase:
        return keep(condition.is_negated, [&](AllocationId a) {
            const std::optional<label::Phase> phase = m_table.phase(a);
            return phase && isChosen(static_cast<std::size_t>(*phase));
        });
    case Key::step:
        return keepRanges(condition, [&](AllocationId a) { return m_table.stepNumber(a); });
    case Key::size:
        return keepRanges(condition, [&](AllocationId a) { return m_table.bytes(a).value; });
    case Key::life:
        return keepLifetimes(condition);
    case Key::live:
        return keepLiving(condition);
    case Key::kept:
        return keep(condition.is_negated, [&](AllocationId a) { return m_table.isKept(a); });
    case Key::stack:
        return keepFrames(condition, {true, true});
    case Key::function:
        return keepFrames(condition, {true, false});
    case Key::file:
        return keepFrames(condition, {false, true});
    case Key::line: {
        const std::vector<char> lines = linesWith(m_table, TextMatcher(condition));
        return keep(condition.is_negated,
                    [&](AllocationId a) { return lines[m_table.line(a)] != 0; });
    }
    case Key::module:
        return keepModules(condition);
    case Key::address:
        return keepAddresses(condition);
    case Key::event:
        return keepEvents(condition,
                          {&m_all.alloc_event, &m_all.free_requested_event, &m_all.free_event});
    case Key::made:
        return keepEvents(condition, {&m_all.alloc_event});
    case Key::freed:
        return keepEvents(condition, {&m_all.free_event});
    case Key::stream:
        return keepRanges(condition, [&](AllocationId a) {
            return static_cast<std::int64_t>(m_all.stream[a.index()]);
        });
    case Key::confidence:
        return keepRanges(condition, [&](AllocationId a) {
            return std::int64_t{m_labels.confidence[a.index()]};
        });
    }
    return Done{};
}

/// What costs least per allocation comes first, so that the dear ones see few.
int costOf(Key key)
{
    if (key == Key::text) {
        return 3;
    }
    if (infoOf(key).kind != KeyKind::text) {
        return 0;
    }
    return key == Key::module ? 2 : 1;
}

} // namespace

Result<std::vector<AllocationId>> findAmong(const AllocationTable& table,
                                            std::vector<AllocationId> ids, const Query& query,
                                            const std::stop_token& stop)
{
    std::vector<const Condition*> conditions;
    for (const Condition& condition : query.conditions) {
        conditions.push_back(&condition);
    }
    std::ranges::stable_sort(conditions, {},
                             [](const Condition* condition) { return costOf(condition->key); });
    RowFilter sieve(table, std::move(ids), stop);
    for (const Condition* condition : conditions) {
        if (const Result<Done> applied = sieve.apply(*condition); !applied.has_value()) {
            return applied.error();
        }
    }
    return sieve.take();
}

Result<std::vector<AllocationId>> find(const AllocationTable& table, const Query& query,
                                       const std::stop_token& stop)
{
    std::vector<AllocationId> ids(table.count());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ids[i] = AllocationId(i);
    }
    return findAmong(table, std::move(ids), query, stop);
}

} // namespace tidemark::query
