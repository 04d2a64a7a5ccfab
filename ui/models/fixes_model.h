// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/answer.h"
#include "core/message/fix.h"
#include "ui/models/headed.h"

#include <memory>
#include <vector>

namespace tidemark::diagnose {
struct Diagnosis;
struct DeviceDiagnosis;
} // namespace tidemark::diagnose

namespace tidemark::ui {

/// The fix ladder of one device, in cost order; what does not apply here is left out unless asked
/// for.
class FixesModel : public TableModel {
    Q_OBJECT
public:
    enum Column : int { CostRank, Change, Science, Needs, Against, Status, ColumnCount };

    using TableModel::TableModel;

    /// Null: nothing is known (yet).
    void setDiagnosis(std::shared_ptr<const diagnose::Diagnosis> diagnosis, std::size_t device);
    /// As `largestOf`; 0 without a diagnosis.
    [[nodiscard]] Bytes largest() const;
    /// Also the fixes that do not apply, are not needed or are in use already.
    void setShowAll(bool all);
    /// How many `setShowAll` adds.
    [[nodiscard]] int hiddenCount() const;
    /// Null for a row that is not there.
    [[nodiscard]] const diagnose::Fix* fixAt(int row) const;
    [[nodiscard]] const diagnose::DeviceDiagnosis* diagnosis() const;
    /// The row of the recommended fix, −1 if there is none.
    [[nodiscard]] int recommendedRow() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column != CostRank && column != Needs;
    }

    void collectRows();

    std::shared_ptr<const diagnose::Diagnosis> m_diagnosis;
    std::size_t m_device = 0;
    bool m_shows_all = false;
    std::vector<std::size_t> m_rows; ///< Indices of the fixes that are shown.
};

/// Whether the result stays what it was: "same result", "to be verified", "other experiment".
[[nodiscard]] QString scienceText(const diagnose::Fix& fix);
/// The largest figure that fixes are compared with: need or capacity.
[[nodiscard]] Bytes largestOf(const diagnose::DeviceDiagnosis& device);
/// How a fix stands against the capacity: "fits, at least 2.31 GiB free", "0.40 GiB short", "–".
[[nodiscard]] QString againstText(const diagnose::Fix& fix,
                                  const diagnose::DeviceDiagnosis& device);
/// What an answer leads to, in one line: the need, what stays free, the step's batch; where that is
/// not certain its whole sentence. Empty without an answer.
[[nodiscard]] QString answerFacts(const diagnose::DeviceDiagnosis& diagnosis);
/// How far each knob could be turned alone; empty where none is known.
[[nodiscard]] QString limitsText(const diagnose::Limits& limits);
/// Whether the fix has figures of its own, that is, is a change of sizes that applies here.
[[nodiscard]] bool hasPrediction(const diagnose::Fix& fix);

} // namespace tidemark::ui
