// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/phase_peaks.h"
#include "core/curves/step_growth.h"
#include "core/diagnose/analysis.h"
#include "core/label/runs/step_numbers.h"
#include "core/trace/snapshot.h"
#include "ui/models/headed.h"
#include "ui/models/one_unit.h"
#include "ui/models/stack_texts.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tidemark::ui {

/// What activations and the KV cache take at the peak per sequence and token, a line each; empty
/// where the program's dimensions are not known.
[[nodiscard]] QString perTokenText(const diagnose::Analysis& analysis, std::size_t device);

/// Which of the three measures, which are never mixed.
enum class Measure : std::uint8_t { requested, blocks, reserved };

/// The largest totals: a row for all steps together and one per step, a column per phase that
/// occurs.
class PhasePeaksModel : public TableModel {
    Q_OBJECT
public:
    using TableModel::TableModel;
    /// `numbers`: by which people know the steps.
    void setPeaks(const curves::PhasePeaks& peaks, const label::StepNumbers& numbers);
    void setMeasure(Measure measure);
    /// Where the total of a cell is reached; none for the first column and for phases that a step
    /// does not have.
    [[nodiscard]] std::optional<StateId> stateAt(const QModelIndex& index) const;
    [[nodiscard]] QString unit() const; ///< Of all cells.

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == 0;
    }

    struct Row {
        std::uint32_t step = 0; ///< 0: all of them.
        std::int64_t number = 0; ///< By which people know it.
        std::vector<std::optional<curves::PhasePeak>> cells; ///< As `m_phases`.
    };
    [[nodiscard]] const curves::PhasePeak* peakAt(const QModelIndex& index) const;
    [[nodiscard]] const replay::Peak& measured(const curves::PhasePeak& peak) const;

    Measure m_measure = Measure::requested;
    std::vector<label::Phase> m_phases;
    Bytes m_largest;
    std::vector<Row> m_rows;
};

/// Stacks that hold more after the last step than after the first, rising ones first.
class GrowthModel : public TableModel {
    Q_OBJECT
public:
    enum Column : int { PerStep, Rises, Chance, Now, Verdict, Line, ColumnCount };
    using TableModel::TableModel;
    void setGrowth(const std::shared_ptr<const trace::Snapshot>& snapshot,
                   std::vector<curves::StackGrowth> stacks);
    [[nodiscard]] StackId stackAt(int row) const
    {
        return m_stacks[static_cast<std::size_t>(row)].stack;
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column >= Verdict;
    }

    [[nodiscard]] QString textOf(const curves::StackGrowth& stack, int column) const;
    [[nodiscard]] QString tipOf(const curves::StackGrowth& stack, int column) const;

    std::vector<curves::StackGrowth> m_stacks;
    OneUnit m_slopes; ///< Of all that is allocated per step; that of what is now is the other.
    OneUnit m_totals;
    StackTexts m_texts;
};

} // namespace tidemark::ui
