// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/corrections_model.h"

#include "core/base/short_text.h"
#include "ui/models/allocations_model.h"
#include "ui/models/numbers.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <QtCore/QMimeData>
#include <QtCore/QRegularExpression>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace tidemark::ui {

void CorrectionsModel::setCorrections(std::shared_ptr<const label::Corrections> corrections)
{
    beginResetModel();
    m_corrections = std::move(corrections);
    endResetModel();
}

const label::Correction* CorrectionsModel::at(int row) const
{
    return row >= 0 && row < rowCount() ? &m_corrections->rules[static_cast<std::size_t>(row)]
                                        : nullptr;
}

Qt::ItemFlags CorrectionsModel::flags(const QModelIndex& index) const
{
    // Between rows, not onto one.
    return QAbstractTableModel::flags(index)
        | (index.isValid() ? Qt::ItemIsDragEnabled : Qt::ItemIsDropEnabled);
}

Qt::DropActions CorrectionsModel::supportedDropActions() const
{
    return Qt::MoveAction;
}

QStringList CorrectionsModel::mimeTypes() const
{
    return {QStringLiteral("application/x-tidemark-correction-rows")};
}

QMimeData* CorrectionsModel::mimeData(const QModelIndexList& indexes) const
{
    std::set<int> rows;
    for (const QModelIndex& index : indexes) {
        rows.insert(index.row());
    }
    QByteArray words;
    for (const int row : rows) {
        words += QByteArray::number(row) + ' ';
    }
    auto* data = new QMimeData; // Of the drag that asked for it.
    data->setData(mimeTypes().front(), words);
    return data;
}

bool CorrectionsModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row,
                                    int /*column*/, const QModelIndex& parent)
{
    const QByteArray words = data->data(mimeTypes().front());
    if (action != Qt::MoveAction || words.isEmpty() || parent.isValid()) {
        return false;
    }
    QList<int> rows;
    for (const QByteArray& word : words.trimmed().split(' ')) {
        rows << word.toInt();
    }
    Q_EMIT moveRequested(rows, row < 0 ? rowCount() : row);
    return false; // Nothing is moved here: the corrections come again in their new order.
}

int CorrectionsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_corrections ? 0 : static_cast<int>(m_corrections->rules.size());
}

int CorrectionsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

Bytes CorrectionsModel::largest(Bytes label::CorrectionEffect::*bytes) const
{
    return m_corrections->effects.empty()
        ? Bytes{}
        : std::invoke(bytes, *std::ranges::max_element(m_corrections->effects, {}, bytes));
}

QString CorrectionsModel::display(std::size_t row, int column) const
{
    const label::Correction& rule = m_corrections->rules[row];
    const label::CorrectionEffect& effect = m_corrections->effects[row];
    if (rule.dimension && column >= Allocations && column <= AtPeak) {
        return {};
    }
    switch (column) {
    case What:
        return text(label::describeSubject(rule));
    case Becomes:
        return rule.dimension ? text(label::describeTarget(rule))
                              : bucketWithRole(rule.bucket, rule.role.value_or(label::Role::none));
    case Allocations:
        return countText(effect.allocations);
    case All:
        return columnText(effect.bytes, largest(&label::CorrectionEffect::bytes));
    case AtPeak:
        return columnText(effect.peak_bytes, largest(&label::CorrectionEffect::peak_bytes));
    case Note:
        return text(rule.note);
    default:
        return {};
    }
}

QString CorrectionsModel::toolTip(std::size_t row, int column) const
{
    const label::Correction& rule = m_corrections->rules[row];
    const label::CorrectionEffect& effect = m_corrections->effects[row];
    if (rule.dimension && column >= Allocations && column <= AtPeak) {
        return {};
    }
    switch (column) {
    case What: {
        QStringList frames{text(label::describeSubject(rule))};
        for (const label::FrameText& frame : rule.match.stack) {
            frames << QStringLiteral("%1  %2:%3")
                          .arg(text(shownName(frame.name)), text(shownName(frame.filename)))
                          .arg(frame.line);
        }
        return frames.join(u'\n');
    }
    case All:
        return exactBytesText(effect.bytes);
    case AtPeak:
        return exactBytesText(effect.peak_bytes);
    case Note:
        return text(rule.note);
    default:
        return {};
    }
}

QVariant CorrectionsModel::data(const QModelIndex& index, int role) const
{
    const auto row = static_cast<std::size_t>(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return display(row, index.column());
    case Qt::ToolTipRole:
        return toolTip(row, index.column());
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case BucketRole:
        return index.column() == Becomes && !m_corrections->rules[row].dimension
            ? QVariant(static_cast<int>(m_corrections->rules[row].bucket))
            : QVariant();
    case EmphasisRole: {
        const label::CorrectionEffect& effect = m_corrections->effects[row];
        const bool finds = effect.allocations > 0 || effect.devices > 0;
        return static_cast<int>(finds ? Emphasis::normal : Emphasis::secondary);
    }
    default:
        return {};
    }
}

QString CorrectionsModel::title(int column) const
{
    switch (column) {
    case What:
        return tr("Apply to");
    case Becomes:
        return tr("Label");
    case Allocations:
        return tr("Allocations");
    case All:
        return tr("Total bytes");
    case AtPeak:
        return tr("At the peak");
    default:
        return tr("Reason");
    }
}

QString effectText(const label::CorrectionEffect& effect)
{
    if (effect.allocations == 0) {
        return CorrectionsModel::tr("No matching allocations in this file.");
    }
    return CorrectionsModel::tr("%Ln allocation, %1 in total, %2 at the peak|%Ln allocations, %1 "
                                "in total, %2 at the peak",
                                nullptr, plural(effect.allocations))
        .arg(bytesText(effect.bytes), bytesText(effect.peak_bytes));
}

std::optional<Bytes> bytesFromText(const QString& words)
{
    static const QRegularExpression form(
        QStringLiteral("^\\s*(\\d+(?:\\.\\d+)?)\\s*(?:([KMGT])(?:iB)?|B)?\\s*$"),
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = form.match(withDecimalPoint(words));
    if (!match.hasMatch()) {
        return std::nullopt;
    }
    const QString unit = match.captured(2).toUpper();
    const qsizetype power = unit.isEmpty() ? 0 : QStringLiteral("KMGT").indexOf(unit) + 1;
    const double bytes =
        match.captured(1).toDouble() * std::pow(1024.0, static_cast<double>(power));
    return bytes < 0x1p62 ? std::optional(Bytes{std::llround(bytes)}) : std::nullopt;
}

} // namespace tidemark::ui
