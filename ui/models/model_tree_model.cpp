// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/model_tree_model.h"

#include "core/report/program_report.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::ui {

using curves::ModelNode;
using label::Bucket;

namespace {

bool isBytes(int column)
{
    return column >= ModelTreeModel::Total && column <= ModelTreeModel::Others;
}

/// The bucket of a column of bytes.
Bucket bucketOf(int column)
{
    switch (column) {
    case ModelTreeModel::Parameters:
        return Bucket::parameter;
    case ModelTreeModel::Gradients:
        return Bucket::gradient;
    case ModelTreeModel::States:
        return Bucket::optimizer_state;
    default:
        return Bucket::activation;
    }
}

} // namespace

void ModelTreeModel::setContent(std::shared_ptr<const ModelTreeContent> content)
{
    beginResetModel();
    m_content = std::move(content);
    endResetModel();
}

std::size_t ModelTreeModel::nodeCount() const
{
    return m_content == nullptr ? 0 : m_content->tree.nodes.size();
}

std::uint32_t ModelTreeModel::parentOf(std::uint32_t node) const
{
    return m_content->tree.nodes[node].parent;
}

const std::vector<std::uint32_t>& ModelTreeModel::childrenOf(std::uint32_t node) const
{
    return m_content->tree.nodes[node].children;
}

const ModelNode& ModelTreeModel::at(const QModelIndex& index) const
{
    return m_content->tree.nodes[nodeOf(index)];
}

int ModelTreeModel::columnCount(const QModelIndex& /*parent*/) const
{
    return ColumnCount;
}

bool ModelTreeModel::hasAny(Column column) const
{
    return m_content != nullptr
        && std::ranges::any_of(m_content->tree.nodes, [&](const ModelNode& node) {
               return !textOf(node, column).isEmpty();
           });
}

AllocationId ModelTreeModel::largestAt(const QModelIndex& index) const
{
    return at(index).largest;
}

QModelIndex ModelTreeModel::indexOf(AllocationId allocation) const
{
    if (m_content == nullptr) {
        return {};
    }
    const curves::ModelTree& tree = m_content->tree;
    const auto place = std::ranges::find(tree.live, allocation);
    return place == tree.live.end()
        ? QModelIndex()
        : indexOfNode(tree.of[static_cast<std::size_t>(place - tree.live.begin())]);
}

std::int64_t ModelTreeModel::bytesOf(const ModelNode& node, int column) const
{
    if (column == Total) {
        return node.total;
    }
    if (column != Others) {
        return node.bytes[label::indexOf(bucketOf(column))];
    }
    std::int64_t others = node.total;
    for (const int named : {Parameters, Gradients, States, Saved}) {
        others -= node.bytes[label::indexOf(bucketOf(named))];
    }
    return others;
}

QString ModelTreeModel::shapeOf(const ModelNode& node) const
{
    const label::TensorGuess* const tensor =
        m_content->details->devices[m_content->device].tensors.of(node.largest);
    return tensor == nullptr || tensor->shape.empty()
        ? QString()
        : text(tensor->shapeText() + " " + tensor->dtype).trimmed();
}

QString ModelTreeModel::textOf(const ModelNode& node, int column) const
{
    if (isBytes(column)) {
        const std::int64_t bytes = bytesOf(node, column);
        return bytes == 0 ? QString() : columnText({bytes}, {m_content->tree.nodes.front().total});
    }
    const std::int64_t all = m_content->tree.nodes.front().total;
    switch (column) {
    case Share:
        return all == 0 ? QString()
                        : percentText(static_cast<double>(node.total) / static_cast<double>(all));
    case Count:
        return countText(node.count);
    case Shape:
        return node.is_one_size ? shapeOf(node) : QString();
    case Expression:
        return node.is_one_size && !m_content->program->dimensions.empty()
                && node.largest.index() < m_content->program->size_of.size()
            ? text(report::expressionsText(m_content->program->sizeOf(node.largest)))
            : QString();
    default:
        return node.layers > 1 ? tr("%1  ×%2 layers").arg(text(node.name)).arg(node.layers)
                               : text(node.name);
    }
}

QString ModelTreeModel::tipOf(const ModelNode& node, int column) const
{
    if (isBytes(column)) {
        return exactBytesText({bytesOf(node, column)});
    }
    if (column == Shape && node.is_one_size) {
        const label::TensorGuess* const tensor =
            m_content->details->devices[m_content->device].tensors.of(node.largest);
        return tensor == nullptr ? QString()
                                 : text(tensor->reason)
                + (tensor->any_order ? QString(u' ' % tr("The order of the dimensions is unknown."))
                                     : QString());
    }
    if (column == Part) { // The columns that a narrow window has no room for stand here, too.
        QStringList lines{textOf(node, Part)};
        for (const int each : {Shape, Expression}) {
            lines << textOf(node, each);
        }
        lines.removeAll(QString());
        return lines.join(u'\n');
    }
    return column == Expression ? textOf(node, column) : QString();
}

/// What a bar shows: per bucket of the columns and of all others its share of everything.
QVariant ModelTreeModel::partsOf(const ModelNode& node) const
{
    const auto all = static_cast<double>(m_content->tree.nodes.front().total);
    QVariantList parts;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        parts << (all > 0 ? static_cast<double>(node.bytes[i]) / all : 0.0);
    }
    return parts;
}

QVariant ModelTreeModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const ModelNode& node = at(index);
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return textOf(node, column);
    case Qt::ToolTipRole:
        return tipOf(node, column);
    case Qt::TextAlignmentRole:
        return alignmentOf(column);
    case BytesRole:
        return isBytes(column) ? QVariant(qint64{bytesOf(node, column)}) : QVariant();
    case PartsRole:
        return column == Share ? partsOf(node) : QVariant();
    case EmphasisRole:
        return static_cast<int>(isBytes(column) && column != Total ? Emphasis::secondary
                                                                   : Emphasis::normal);
    default:
        return {};
    }
}

bool ModelTreeModel::isText(int column) const
{
    return !isBytes(column) && column != Count;
}

QString ModelTreeModel::title(int column) const
{
    static const std::array<QString, ColumnCount> kHeadings{
        tr("module, line or size"),
        tr("share"),
        tr("total"),
        tr("parameters"),
        tr("gradients"),
        tr("state"),
        tr("saved"),
        tr("rest"),
        tr("count"),
        tr("likely shape"),
        tr("size as a product"),
    };
    return kHeadings[static_cast<std::size_t>(column)];
}

QString ModelTreeModel::titleTip(int column) const
{
    switch (column) {
    case States:
        return tr("Optimizer state");
    case Saved:
        return tr("Activations saved for backward");
    case Others:
        return tr("Inputs, caches, outputs, temporaries, workspaces, and unlabeled memory");
    case Expression:
        return tr("Size as a product of the model's dimensions");
    default:
        return {};
    }
}

} // namespace tidemark::ui
