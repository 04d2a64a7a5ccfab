// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/fixes_model.h"

#include "core/diagnose/diagnosis.h"
#include "core/report/fix_words.h"
#include "ui/models/one_unit.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>

namespace tidemark::ui {
namespace {

/// Also of a change that cannot be tried, such as a smaller cache.
bool hasNeed(const diagnose::Fix& fix)
{
    return hasPrediction(fix)
        || (fix.status != diagnose::FixStatus::not_applicable
            && fix.status != diagnose::FixStatus::already_on && fix.saves.value > 0
            && fix.new_peak.value > 0);
}

} // namespace

QString scienceText(const diagnose::Fix& fix)
{
    return fix.changes_science ? FixesModel::tr("other experiment")
        : !fix.verify.empty()  ? FixesModel::tr("to verify")
                               : FixesModel::tr("same result");
}

bool hasPrediction(const diagnose::Fix& fix)
{
    return !fix.apply.empty() && fix.new_peak.value > 0
        && fix.status != diagnose::FixStatus::not_applicable
        && fix.status != diagnose::FixStatus::already_on;
}

Bytes largestOf(const diagnose::DeviceDiagnosis& device)
{
    return std::max(device.need, device.capacity.value_or(Bytes{}));
}

QString againstText(const diagnose::Fix& fix, const diagnose::DeviceDiagnosis& device)
{
    if (fix.status == diagnose::FixStatus::not_enough && fix.short_by.value > 0) {
        return FixesModel::tr("%1 short").arg(OneUnit(largestOf(device)).text(fix.short_by));
    }
    if (!hasPrediction(fix)) {
        const bool is_offered = fix.status == diagnose::FixStatus::recommended
            || fix.status == diagnose::FixStatus::would_help;
        return is_offered && fix.fits == true ? FixesModel::tr("fits") : QStringLiteral("–");
    }
    if (!fix.fits.has_value()) {
        // Without a capacity the heading says it once.
        return device.capacity ? FixesModel::tr("may not fit") : QStringLiteral("–");
    }
    if (!*fix.fits) {
        return fix.short_by.value > 0
            ? FixesModel::tr("%1 short").arg(OneUnit(largestOf(device)).text(fix.short_by))
            : FixesModel::tr("does not fit");
    }
    if (const auto spare = report::certainSpare(fix, device)) {
        return FixesModel::tr("fits, ≥ %1 free").arg(OneUnit(largestOf(device)).text(*spare));
    }
    return FixesModel::tr("fits");
}

QString answerFacts(const diagnose::DeviceDiagnosis& diagnosis)
{
    if (!diagnosis.answer) {
        return {};
    }
    const diagnose::Answer& answer = *diagnosis.answer;
    if (answer.fits != true || answer.fixes.empty() || !answer.margin || !answer.available) {
        return text(answer.sentence);
    }
    const OneUnit unit{answer.new_reserved, *answer.available, *answer.margin};
    QStringList facts{FixesModel::tr("Needs %1 of %2")
                          .arg(unit.bare(answer.new_reserved), unit.text(*answer.available)),
                      FixesModel::tr("at least %1 free").arg(unit.text(*answer.margin))};
    if (!answer.batch.empty()) {
        facts << FixesModel::tr("effective batch: %1").arg(text(answer.batch));
    }
    return facts.join(QStringLiteral(" · ")) % u'.';
}

QString limitsText(const diagnose::Limits& limits)
{
    QStringList lines;
    for (const std::string& line : report::limitLines(limits)) {
        lines << text(line);
    }
    return lines.isEmpty()
        ? QString()
        : FixesModel::tr("Largest that fits, each by itself: %1").arg(lines.join(u' '));
}

void FixesModel::setDiagnosis(std::shared_ptr<const diagnose::Diagnosis> diagnosis,
                              std::size_t device)
{
    beginResetModel();
    m_diagnosis = std::move(diagnosis);
    m_device = device;
    collectRows();
    endResetModel();
}

Bytes FixesModel::largest() const
{
    return diagnosis() == nullptr ? Bytes{} : largestOf(*diagnosis());
}

void FixesModel::setShowAll(bool all)
{
    beginResetModel();
    m_shows_all = all;
    collectRows();
    endResetModel();
}

void FixesModel::collectRows()
{
    m_rows.clear();
    const diagnose::DeviceDiagnosis* device = diagnosis();
    if (device == nullptr) {
        return;
    }
    for (std::size_t i = 0; i < device->fixes.size(); ++i) {
        const diagnose::FixStatus status = device->fixes[i].status;
        const bool is_useful = status == diagnose::FixStatus::recommended
            || status == diagnose::FixStatus::would_help
            || status == diagnose::FixStatus::not_enough
            || (status == diagnose::FixStatus::not_needed
                && (hasPrediction(device->fixes[i]) || device->fixes[i].saves.value > 0));
        if (is_useful || m_shows_all) {
            m_rows.push_back(i);
        }
    }
}

int FixesModel::hiddenCount() const
{
    const diagnose::DeviceDiagnosis* device = diagnosis();
    return device == nullptr ? 0 : static_cast<int>(device->fixes.size() - m_rows.size());
}

const diagnose::DeviceDiagnosis* FixesModel::diagnosis() const
{
    return m_diagnosis ? &m_diagnosis->devices[m_device] : nullptr;
}

const diagnose::Fix* FixesModel::fixAt(int row) const
{
    if (row < 0 || static_cast<std::size_t>(row) >= m_rows.size()) {
        return nullptr;
    }
    return &diagnosis()->fixes[m_rows[static_cast<std::size_t>(row)]];
}

int FixesModel::recommendedRow() const
{
    for (int row = 0; row < rowCount(); ++row) {
        if (fixAt(row)->status == diagnose::FixStatus::recommended) {
            return row;
        }
    }
    return -1;
}

int FixesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int FixesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FixesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const diagnose::Fix& fix = *fixAt(index.row());
    if (role == StatusRole) {
        return static_cast<int>(fix.status);
    }
    if (role == Qt::TextAlignmentRole) {
        return alignmentOf(index.column());
    }
    if (role == EmphasisRole && index.column() == Science && !fix.changes_science) {
        return static_cast<int>(Emphasis::secondary);
    }
    if (role == Qt::ToolTipRole) {
        if (index.column() == Science && !fix.verify.empty()) {
            return tr("Verify: %1").arg(text(fix.verify));
        }
        if (index.column() == Needs && hasNeed(fix)) {
            return tr("%1 reserved: %2 live, the rest cached and rounding.\nPeak of the curve: %3 "
                      "(%4 to %5).")
                .arg(exactBytesText(fix.new_reserved), exactBytesText(fix.new_need),
                     exactBytesText(fix.new_peak), exactBytesText(fix.new_peak_low),
                     exactBytesText(fix.new_peak_high));
        }
        return index.column() == CostRank ? tr("Order by cost; 1 is cheapest.") : text(fix.why);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
    case CostRank:
        return QString::number(fix.cost_rank);
    case Change:
        return text(fix.title);
    case Science:
        return scienceText(fix);
    case Needs:
        return hasNeed(fix) ? columnText(fix.new_reserved, largestOf(*diagnosis()))
                            : QStringLiteral("–");
    case Against:
        return againstText(fix, *diagnosis());
    case Status:
        return text(report::statusText(fix.status));
    default:
        return {};
    }
}

QString FixesModel::title(int column) const
{
    switch (column) {
    case CostRank:
        return tr("order");
    case Change:
        return tr("fix");
    case Science:
        return tr("result");
    case Needs:
        return tr("needs");
    case Against:
        return diagnosis() != nullptr && diagnosis()->capacity
            ? tr("vs. %1").arg(columnText(*diagnosis()->capacity, largestOf(*diagnosis())))
            : tr("capacity unknown");
    default:
        return tr("status");
    }
}

} // namespace tidemark::ui
