// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/events_model.h"

#include "core/base/short_text.h"
#include "core/label/stacks/attached_texts.h"
#include "ui/models/allocations_model.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tidemark::ui {

const trace::Events& EventsModel::events() const
{
    return m_analysis->snapshot->devices[m_device].events;
}

void EventsModel::setDevice(const diagnose::Analysis& analysis, std::size_t device)
{
    beginResetModel();
    m_analysis = analysis;
    m_device = device;
    m_texts = StackTexts(analysis.snapshot);
    m_largest = events().size.empty() ? Bytes{} : std::ranges::max(events().size);
    m_has_streams =
        std::ranges::any_of(events().stream, [](std::uint64_t stream) { return stream != 0; });
    endResetModel();
}

void EventsModel::setLabels(const diagnose::Analysis& analysis)
{
    m_analysis = analysis;
    if (rowCount() > 0) {
        Q_EMIT dataChanged(index(0, Bucket), index(rowCount() - 1, Bucket));
    }
}

void EventsModel::clear()
{
    beginResetModel();
    m_analysis.reset();
    m_texts = StackTexts();
    endResetModel();
}

AllocationId EventsModel::allocationOf(int row) const
{
    const auto& of_events = m_analysis->replay->devices[m_device].event_allocation;
    const auto event = static_cast<std::size_t>(row);
    return event < of_events.size() ? of_events[event] : AllocationId::none();
}

FrameId EventsModel::shownFrame(int row) const
{
    return m_texts.shownFrame(events().stack[static_cast<std::size_t>(row)]);
}

bool EventsModel::hasTimes() const
{
    return m_analysis && events().hasTimes();
}

bool EventsModel::hasStreams() const
{
    return m_has_streams;
}

int EventsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_analysis ? 0 : static_cast<int>(events().count());
}

int EventsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString EventsModel::actionText(std::size_t event) const
{
    const trace::Events& all = events();
    if (all.action[event] == trace::Action::other) {
        const EventId id(event);
        const auto name =
            std::ranges::lower_bound(all.other_names, id, {}, &std::pair<EventId, StringId>::first);
        if (name != all.other_names.end() && name->first == id) {
            return text(shownName(m_analysis->snapshot->text(name->second)));
        }
    }
    return text(trace::actionName(all.action[event]));
}

QString EventsModel::attached(std::size_t event) const
{
    const auto& texts = events().user_metadata;
    return texts.empty() || texts[event].isNone()
        ? QString()
        : text(label::attachedWords(m_analysis->snapshot->text(texts[event])));
}

QString EventsModel::display(std::size_t event, int column) const
{
    const trace::Events& all = events();
    const replay::DeviceReplay& replay = m_analysis->replay->devices[m_device];
    const StateId after = StateId::after(EventId(event));
    const bool is_oom = all.action[event] == trace::Action::oom;
    switch (column) {
    case Number:
        return countText(static_cast<std::int64_t>(event));
    case Time:
        return all.hasTimes() ? durationText(all.time[event] - all.time.front()) : QString();
    case Action:
        return actionText(event);
    case Size:
        return columnText(all.size[event], m_largest);
    case Active:
        return columnText(replay.activeAt(after), replay.activeAt(replay.peak));
    case Reserved:
        return columnText(replay.reservedAt(after), replay.activeAt(replay.peak));
    case Address:
        return is_oom ? tr("free %1").arg(knownText(all.deviceFree(EventId(event))))
                      : QStringLiteral("0x%1").arg(all.address[event], 0, 16);
    case Stream:
        return QStringLiteral("0x%1").arg(all.stream[event], 0, 16);
    case Bucket: {
        const AllocationId id = allocationOf(static_cast<int>(event));
        const label::DeviceLabels& labels = m_analysis->labels->devices[m_device];
        return id.isNone() ? QString()
                           : bucketWithRole(labels.bucket[id.index()], labels.role[id.index()]);
    }
    case Line:
        return m_texts.of(all.stack[event]).where();
    default:
        return {};
    }
}

std::optional<int> EventsModel::find(const QString& words, int from, int step) const
{
    const auto has = [&words](const QString& there) {
        return there.contains(words, Qt::CaseInsensitive);
    };
    // What a row says of its action, bucket and stack is looked at once for each of those.
    std::array<bool, trace::kActionNames.size()> actions{};
    for (std::size_t i = 0; i < actions.size(); ++i) {
        actions[i] = has(text(trace::kActionNames[i]));
    }
    std::array<bool, label::kBucketCount> buckets{};
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        buckets[i] = has(text(label::bucketName(label::bucketAt(i))));
    }
    std::unordered_map<StackId, bool> stacks;
    bool is_address = false;
    const qulonglong address = words.toULongLong(&is_address, 16);
    is_address = is_address && words.startsWith(QStringLiteral("0x"), Qt::CaseInsensitive);
    const trace::Events& all = events();
    const label::DeviceLabels& labels = m_analysis->labels->devices[m_device];
    for (int row = from + step; row >= 0 && row < rowCount(); row += step) {
        const auto event = static_cast<std::size_t>(row);
        const trace::Action action = all.action[event];
        const AllocationId id = allocationOf(row);
        bool is_found = actions[static_cast<std::size_t>(action)]
            || (is_address && all.address[event] == address)
            || (!id.isNone() && buckets[label::indexOf(labels.bucket[id.index()])])
            || (action == trace::Action::other && has(actionText(event)));
        if (!is_found) {
            const auto [stack, is_new] = stacks.try_emplace(all.stack[event]);
            if (is_new) {
                stack->second = has(m_texts.of(stack->first).where());
            }
            is_found = stack->second;
        }
        if (is_found) {
            return row;
        }
    }
    return std::nullopt;
}

QVariant EventsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const auto event = static_cast<std::size_t>(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return display(event, index.column());
    case Qt::ToolTipRole:
        return index.column() == Size ? exactBytesText(events().size[event])
            : index.column() == Action && !attached(event).isEmpty()
            ? tr("%1, attached: %2").arg(actionText(event), attached(event))
            : index.column() == Line && !m_texts.of(events().stack[event]).native.isEmpty()
            ? m_texts.of(events().stack[event]).native
            : display(event, index.column());
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case BucketRole: {
        const AllocationId id = allocationOf(index.row());
        return index.column() == Bucket && !id.isNone()
            ? QVariant(static_cast<int>(m_analysis->labels->devices[m_device].bucket[id.index()]))
            : QVariant();
    }
    default:
        return {};
    }
}

QString EventsModel::title(int column) const
{
    switch (column) {
    case Number:
        return tr("event");
    case Time:
        return tr("time");
    case Action:
        return tr("action");
    case Size:
        return tr("size");
    case Active:
        return tr("active");
    case Reserved:
        return tr("reserved");
    case Address:
        return tr("address");
    case Stream:
        return tr("stream");
    case Bucket:
        return tr("bucket");
    default:
        return tr("your line");
    }
}

QString EventsModel::titleTip(int column) const
{
    return column == Active  ? tr("Active bytes after the event")
        : column == Reserved ? tr("Reserved bytes after the event")
                             : QString();
}

} // namespace tidemark::ui
