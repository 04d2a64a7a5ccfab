// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/modules_model.h"

#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

namespace tidemark::ui {

void ModulesModel::setRows(std::shared_ptr<const label::Details> details, std::size_t device,
                           const std::vector<curves::ModuleBytes>& rows)
{
    beginResetModel();
    m_details = std::move(details);
    m_device = device;
    m_rows.clear();
    m_total = 0;
    m_largest = 0;
    std::array<curves::ModuleBytes, label::kBucketCount> sums{};
    for (const curves::ModuleBytes& row : rows) {
        curves::ModuleBytes& sum = sums[label::indexOf(row.bucket)];
        sum.largest = sum.count == 0 ? row.largest : sum.largest;
        sum.bucket = row.bucket;
        sum.bytes += row.bytes;
        sum.count += row.count;
        m_total += row.bytes;
    }
    std::ranges::stable_sort(sums, std::ranges::greater{}, &curves::ModuleBytes::bytes);
    for (const curves::ModuleBytes& sum : sums) {
        if (sum.count > 0) {
            m_largest = std::max(m_largest, sum.bytes);
            addBucket(sum, rows);
        }
    }
    endResetModel();
}

void ModulesModel::addBucket(const curves::ModuleBytes& sum,
                             const std::vector<curves::ModuleBytes>& rows)
{
    const std::size_t head = m_rows.size();
    m_rows.push_back({true, sum});
    std::vector<const label::ModulePath*> paths;
    for (const curves::ModuleBytes& row : rows) {
        if (row.bucket == sum.bucket) {
            m_rows.push_back({false, row});
            paths.push_back(row.module.isNone() ? nullptr : &m_details->paths.path(row.module));
        }
    }
    // The path of the largest row that has one, as far as two thirds of the rows share it.
    const auto first = std::ranges::find_if(paths, [](const auto* p) { return p != nullptr; });
    if (first == paths.end()) {
        return;
    }
    const std::vector<std::string>& leading = (*first)->parts;
    const auto sharesAll = [&](const label::ModulePath* path, std::size_t parts) {
        return path != nullptr && path->parts.size() > parts
            && std::equal(leading.begin(), leading.begin() + static_cast<std::ptrdiff_t>(parts),
                          path->parts.begin());
    };
    const auto with_path = std::ranges::count_if(paths, [](const auto* p) { return p != nullptr; });
    for (std::size_t parts = leading.size() - 1; parts > 0; --parts) {
        const auto count =
            std::ranges::count_if(paths, [&](const auto* p) { return sharesAll(p, parts); });
        if (count < 2 || count * 3 < with_path * 2) {
            continue;
        }
        for (std::size_t i = 0; i < paths.size(); ++i) {
            m_rows[head + 1 + i].shared = sharesAll(paths[i], parts) ? parts : 0;
        }
        m_rows[head].shared = parts;
        m_rows[head].shared_by =
            m_rows[head + 1 + static_cast<std::size_t>(first - paths.begin())].sum.module;
        return;
    }
}

void ModulesModel::clear()
{
    beginResetModel();
    m_rows.clear();
    m_details.reset();
    endResetModel();
}

int ModulesModel::rowOf(AllocationId allocation, label::Bucket bucket) const
{
    if (m_details == nullptr) {
        return -1;
    }
    const label::ModuleId module = m_details->devices[m_device].modules.module[allocation.index()];
    const auto row = std::ranges::find_if(m_rows, [&](const Row& each) {
        return !each.is_bucket && each.sum.bucket == bucket && each.sum.module == module;
    });
    return row == m_rows.end() ? -1 : static_cast<int>(row - m_rows.begin());
}

int ModulesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ModulesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

const label::TensorGuess* ModulesModel::tensorOf(const Row& row) const
{
    return row.is_bucket ? nullptr : m_details->devices[m_device].tensors.of(row.sum.largest);
}

bool ModulesModel::hasAny(Column column) const
{
    return std::ranges::any_of(m_rows,
                               [&](const Row& row) { return !textOf(row, column).isEmpty(); });
}

QString ModulesModel::textOf(const Row& row, int column) const
{
    const curves::ModuleBytes& sum = row.sum;
    switch (column) {
    case Live:
        return columnText({sum.bytes}, {m_largest});
    case Share:
        return m_total == 0
            ? QString()
            : percentText(static_cast<double>(sum.bytes) / static_cast<double>(m_total));
    case Count:
        return countText(sum.count);
    case Layers:
        return sum.layers == 0 ? QString() : countText(sum.layers);
    case Shape: {
        const label::TensorGuess* const tensor = tensorOf(row);
        if (tensor == nullptr || tensor->shape.empty()) {
            return {};
        }
        return text(tensor->shapeText() + " " + tensor->dtype);
    }
    default:
        return row.is_bucket ? bucketText(row) : QStringLiteral("    ") % moduleText(row);
    }
}

QString ModulesModel::bucketText(const Row& row) const
{
    const QString name = text(label::bucketName(row.sum.bucket));
    if (row.shared == 0) {
        return name;
    }
    label::ModulePath outer = m_details->paths.path(row.shared_by);
    outer.parts.resize(row.shared);
    return tr("%1   … = %2").arg(name, text(outer.text()));
}

QString ModulesModel::moduleText(const Row& row) const
{
    if (row.sum.module.isNone()) {
        return tr("no stack recorded");
    }
    const QString own = text(m_details->paths.path(row.sum.module).text(row.shared));
    return row.shared == 0 ? own : QString(QStringLiteral("… › ") % own);
}

QString ModulesModel::tipOf(const Row& row, int column) const
{
    const label::TensorGuess* const tensor = column == Shape ? tensorOf(row) : nullptr;
    if (tensor != nullptr) {
        return tr("Largest allocation: %1").arg(text(tensor->reason))
            % (tensor->any_order ? QString(u' ' % tr("The order of the dimensions is unknown."))
                                 : QString());
    }
    if (column == Module && !row.is_bucket) {
        return row.sum.module.isNone() ? QString()
                                       : text(m_details->paths.path(row.sum.module).text());
    }
    return column == Live ? exactBytesText({row.sum.bytes}) : QString();
}

QVariant ModulesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, column);
    case Qt::TextAlignmentRole:
        return alignmentOf(column);
    case Qt::ToolTipRole:
        return tipOf(row, column);
    case BytesRole:
        return column == Live ? QVariant(qint64{row.sum.bytes}) : QVariant();
    case BucketRole:
        return row.is_bucket && column == Module ? QVariant(static_cast<int>(row.sum.bucket))
                                                 : QVariant();
    case EmphasisRole:
        return static_cast<int>(row.is_bucket                 ? Emphasis::strong
                                    : row.sum.module.isNone() ? Emphasis::secondary
                                                              : Emphasis::normal);
    default:
        return {};
    }
}

QString ModulesModel::title(int column) const
{
    switch (column) {
    case Module:
        return tr("bucket, module or line");
    case Live:
        return tr("live");
    case Share:
        return tr("share");
    case Count:
        return tr("count");
    case Layers:
        return tr("layers");
    default:
        return tr("likely shape");
    }
}

} // namespace tidemark::ui
