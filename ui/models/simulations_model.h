// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/simulation.h"
#include "ui/models/headed.h"

#include <memory>
#include <vector>

namespace tidemark::ui {

/// One replay together with the outcomes that stood there before, which stay as long as they can be
/// compared: those of the same device under the same capacity. `former` may be null.
[[nodiscard]] std::shared_ptr<const report::SimulatedDevice>
withFormerOutcomes(const std::shared_ptr<const report::SimulatedDevice>& found,
                   const std::shared_ptr<const report::SimulatedDevice>& former);

/// What a device's run comes to under several allocator settings, the recorded ones first.
class SimulationsModel : public TableModel {
    Q_OBJECT
public:
    enum Column : int { Settings, Outcome, ReservedPeak, Cached, LargestFree, ColumnCount };

    using TableModel::TableModel;

    /// Null: nothing was replayed (yet).
    void setStudy(std::shared_ptr<const report::SimulatedDevice> device);
    [[nodiscard]] const std::shared_ptr<const report::SimulatedDevice>& study() const
    {
        return m_device;
    }
    /// Null for a row that is not there.
    [[nodiscard]] const allocator::Simulation* simulationAt(int row) const;
    /// The row of a simulation of the study; −1 if it has none.
    [[nodiscard]] int rowOf(const allocator::Simulation& simulation) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] QString titleTip(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Settings || column == Outcome;
    }

    std::shared_ptr<const report::SimulatedDevice> m_device;
    std::vector<report::SimulationRow> m_rows;
    Bytes m_largest;
};

} // namespace tidemark::ui
