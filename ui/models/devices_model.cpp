// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/facts_model.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>

namespace tidemark::ui {

void DevicesModel::setAnalysis(const diagnose::Analysis& analysis)
{
    beginResetModel();
    m_analysis = analysis;
    m_largest_peak = {};
    m_largest_reserved = {};
    for (const replay::DeviceReplay& replay : analysis.replay->devices) {
        m_largest_peak = std::max(m_largest_peak, replay.activeAt(replay.peak));
        m_largest_reserved = std::max(m_largest_reserved, replay.reservedAt(replay.lastState()));
    }
    endResetModel();
}

void DevicesModel::clear()
{
    beginResetModel();
    m_analysis = {};
    endResetModel();
}

int DevicesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_analysis.deviceCount());
}

int DevicesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DevicesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const auto row = static_cast<std::size_t>(index.row());
    const trace::Device& device = m_analysis.snapshot->devices[row];
    const replay::DeviceReplay& replay = m_analysis.replay->devices[row];
    const Bytes peak = replay.activeAt(replay.peak);
    const Bytes reserved = replay.reservedAt(replay.lastState());
    switch (role) {
    case Qt::DisplayRole:
        break;
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case Qt::ToolTipRole:
        return index.column() == Peak    ? exactBytesText(peak)
            : index.column() == Reserved ? exactBytesText(reserved)
                                         : QString();
    case EmphasisRole:
        return static_cast<int>(device.isEmpty() ? Emphasis::secondary : Emphasis::normal);
    default:
        return {};
    }
    switch (index.column()) {
    case Name:
        return device.isEmpty() ? tr("%1, empty").arg(deviceName(device)) : deviceName(device);
    case Events:
        return countText(static_cast<std::int64_t>(device.events.count()));
    case Peak:
        return columnText(peak, m_largest_peak);
    case Reserved:
        return columnText(reserved, m_largest_reserved);
    case Ooms:
        return countText(static_cast<std::int64_t>(replay.ooms.size()));
    case Allocations:
        return countText(static_cast<std::int64_t>(replay.allocations.count()));
    default:
        return {};
    }
}

QString DevicesModel::title(int column) const
{
    switch (column) {
    case Name:
        return tr("device");
    case Events:
        return tr("events");
    case Peak:
        return tr("peak");
    case Reserved:
        return tr("reserved");
    case Ooms:
        return tr("OOM events");
    default:
        return tr("allocations");
    }
}

} // namespace tidemark::ui
