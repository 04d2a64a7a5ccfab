// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/simulations_model.h"

#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

Bytes bytesIn(const allocator::Simulation& simulation, int column)
{
    switch (column) {
    case SimulationsModel::ReservedPeak:
        return simulation.reserved_peak;
    case SimulationsModel::Cached:
        return simulation.cached();
    default:
        return simulation.largest_free;
    }
}

} // namespace

std::shared_ptr<const report::SimulatedDevice>
withFormerOutcomes(const std::shared_ptr<const report::SimulatedDevice>& found,
                   const std::shared_ptr<const report::SimulatedDevice>& former)
{
    if (former == nullptr || former->device != found->device
        || former->study.capacity.bytes != found->study.capacity.bytes) {
        return found;
    }
    auto all = std::make_shared<report::SimulatedDevice>(*found);
    std::vector<allocator::Simulation>& candidates = all->study.candidates;
    const auto add = [&](const allocator::Simulation& outcome) {
        const allocator::Settings& settings = outcome.conditions.settings;
        const bool is_there =
            std::ranges::any_of(candidates, [&](const allocator::Simulation& other) {
                return allocator::placeAlike(other.conditions.settings, settings);
            });
        if (!is_there) {
            candidates.insert(std::ranges::upper_bound(candidates, outcome, allocator::isBetter),
                              outcome);
        }
    };
    std::ranges::for_each(former->study.candidates, add);
    add(former->study.result);
    return all;
}

void SimulationsModel::setStudy(std::shared_ptr<const report::SimulatedDevice> device)
{
    beginResetModel();
    m_device = std::move(device);
    m_rows =
        m_device ? report::simulationRows(m_device->study) : std::vector<report::SimulationRow>();
    m_largest = {};
    for (const report::SimulationRow& row : m_rows) {
        m_largest = std::max(m_largest, bytesIn(*row.simulation, ReservedPeak));
    }
    endResetModel();
}

const allocator::Simulation* SimulationsModel::simulationAt(int row) const
{
    return row < 0 || row >= rowCount() ? nullptr
                                        : m_rows[static_cast<std::size_t>(row)].simulation;
}

int SimulationsModel::rowOf(const allocator::Simulation& simulation) const
{
    const auto found = std::ranges::find_if(
        m_rows, [&](const report::SimulationRow& row) { return row.simulation == &simulation; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int SimulationsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SimulationsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SimulationsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const report::SimulationRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const bool is_size = index.column() != Settings && index.column() != Outcome;
    switch (role) {
    case Qt::DisplayRole:
        if (is_size) {
            return columnText(bytesIn(*row.simulation, index.column()), m_largest);
        }
        return text(index.column() == Settings ? row.settings : row.outcome);
    case Qt::ToolTipRole:
        if (index.column() == ReservedPeak) {
            return (row.simulation->oom
                        ? tr("%1\nAt the failed request: %2 cached, largest free block %3")
                        : tr("%1, at least %2 cached\nLargest free block at the end: %3"))
                .arg(exactBytesText(row.simulation->reserved_peak),
                     exactBytesText(row.simulation->cached()),
                     exactBytesText(row.simulation->largest_free));
        }
        if (is_size) {
            return exactBytesText(bytesIn(*row.simulation, index.column()));
        }
        return text(index.column() == Settings ? row.settings : row.outcome);
    case BytesRole:
        return is_size
            ? QVariant(static_cast<qint64>(bytesIn(*row.simulation, index.column()).value))
            : QVariant();
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case EmphasisRole:
        return static_cast<int>(row.simulation->fits() && row.simulation->conditions.capacity
                                    ? Emphasis::strong
                                    : Emphasis::normal);
    default:
        return {};
    }
}

QString SimulationsModel::title(int column) const
{
    switch (column) {
    case Settings:
        return tr("settings");
    case Outcome:
        return tr("result");
    case ReservedPeak:
        return tr("peak reserved");
    case Cached:
        return tr("cached");
    default:
        return tr("largest free block");
    }
}

QString SimulationsModel::titleTip(int column) const
{
    return column == LargestFree ? tr("At the first failed request, else at the end")
        : column == Cached
        ? tr("At the first failed request, else the least while most was reserved")
        : QString();
}

} // namespace tidemark::ui
