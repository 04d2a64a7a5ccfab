// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/bucket_table_model.h"

#include "ui/models/band_grouping.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {

void BucketTableModel::setMoments(const curves::DeviceCurves* curves,
                                  std::vector<BucketMoment> moments,
                                  std::shared_ptr<const BandGrouping> grouping,
                                  const HostMemory& host)
{
    beginResetModel();
    m_curves = curves;
    m_host = host;
    m_grouping = std::move(grouping);
    m_rows.clear();
    m_columns.clear();
    m_largest = curves != nullptr ? curves->replay().activeAt(curves->replay().peak) : Bytes{};
    if (curves != nullptr) {
        for (std::size_t i = label::kBucketCount; i-- > 0;) {
            const curves::DeviceCurves& bands = m_grouping ? m_grouping->curves : *curves;
            if (bands.largestOf(label::bucketAt(i)) > 0) {
                m_rows.push_back({Kind::bucket, label::bucketAt(i)});
            }
        }
        m_rows.push_back({Kind::total, {}});
        if (curves->replay().hasPrivatePools()) {
            m_rows.push_back({Kind::private_pools, {}});
        }
        m_rows.push_back({Kind::cached, {}});
        m_rows.push_back({Kind::reserved, {}});
        if (m_host.isRecorded()) {
            m_rows.push_back({Kind::host, {}});
        }
        for (const BucketMoment& moment : moments) {
            m_columns.push_back(columnOf(moment));
        }
    }
    endResetModel();
}

void BucketTableModel::moveTo(StateId state)
{
    Q_ASSERT(m_columns.size() == 1);
    m_columns.front() = columnOf({m_columns.front().moment.title, state});
    Q_EMIT dataChanged(index(0, 1), index(rowCount() - 1, columnCount() - 1));
}

BucketTableModel::Column BucketTableModel::columnOf(const BucketMoment& moment) const
{
    const replay::DeviceReplay& replay = m_curves->replay();
    Column column;
    column.moment = moment;
    column.buckets = (m_grouping ? m_grouping->curves : *m_curves).at(moment.state);
    column.total = replay.activeAt(moment.state).value;
    column.reserved = replay.reservedAt(moment.state).value;
    column.host = m_host.isRecorded() ? m_host.at(moment.state).value : 0;
    if (replay.hasPrivatePools()) {
        column.private_cached = replay.privateCachedAt(moment.state).value;
    }
    return column;
}

std::int64_t BucketTableModel::bytesOf(const Row& row, const Column& column)
{
    switch (row.kind) {
    case Kind::bucket:
        return column.buckets[label::indexOf(row.bucket)];
    case Kind::total:
        return column.total;
    case Kind::private_pools:
        return column.private_cached;
    case Kind::cached:
        return std::max<std::int64_t>(0, column.reserved - column.total - column.private_cached);
    case Kind::reserved:
        return column.reserved;
    case Kind::host:
        return column.host;
    }
    return 0;
}

QString BucketTableModel::nameOf(const Row& row) const
{
    switch (row.kind) {
    case Kind::bucket:
        return bandName(m_grouping.get(), row.bucket);
    case Kind::total:
        return tr("Total");
    case Kind::private_pools:
        return tr("Free in private pools");
    case Kind::cached:
        return tr("Cached");
    case Kind::reserved:
        return tr("Reserved");
    case Kind::host:
        return tr("Pinned on the host");
    }
    return {};
}

QString BucketTableModel::meaningOf(const Row& row)
{
    switch (row.kind) {
    case Kind::bucket:
        return {};
    case Kind::total:
        return tr("Requested bytes of all live allocations.");
    case Kind::private_pools:
        return tr("Free in private pools (CUDA graphs, MemPool); nothing else can use it.");
    case Kind::cached:
        return tr("Reserved but not requested: free blocks and rounding.");
    case Kind::reserved:
        return tr("Sum of all segments reserved from the driver.");
    case Kind::host:
        return tr("Host memory that PyTorch keeps pinned at this time.");
    }
    return {};
}

int BucketTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int BucketTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + 2 * static_cast<int>(m_columns.size());
}

QVariant BucketTableModel::cell(const Row& row, int column, int role) const
{
    const Column& moment = m_columns[static_cast<std::size_t>(column - 1) / 2];
    const std::int64_t bytes = bytesOf(row, moment);
    const bool is_share = column % 2 == 0;
    switch (role) {
    case Qt::DisplayRole:
        if (!is_share) {
            return columnText({bytes}, m_largest);
        }
        return row.kind == Kind::bucket && moment.total > 0
            ? percentText(static_cast<double>(bytes) / static_cast<double>(moment.total))
            : QString();
    case Qt::ToolTipRole:
        return exactBytesText({bytes});
    case Qt::TextAlignmentRole:
        return alignmentOf(column);
    case BytesRole:
        return qint64{bytes};
    default:
        return {};
    }
}

QVariant BucketTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == EmphasisRole) {
        const Emphasis emphasis = row.kind == Kind::bucket ? Emphasis::normal
            : row.kind == Kind::total                      ? Emphasis::strong
                                                           : Emphasis::secondary;
        return static_cast<int>(emphasis);
    }
    if (index.column() > 0) {
        return cell(row, index.column(), role);
    }
    switch (role) {
    case Qt::DisplayRole:
        return nameOf(row);
    case Qt::ToolTipRole:
        return meaningOf(row);
    case BucketRole:
        return row.kind == Kind::bucket && !m_grouping ? QVariant(static_cast<int>(row.bucket))
                                                       : QVariant();
    case BriefRole:
        return row.kind == Kind::bucket && m_grouping
            ? QVariant(m_grouping->brief_names[static_cast<qsizetype>(label::indexOf(row.bucket))])
            : QVariant();
    case BandRole:
        return row.kind == Kind::bucket && m_grouping
            ? QVariant(bandNumber(*m_grouping, row.bucket))
            : QVariant();
    default:
        return {};
    }
}

QString BucketTableModel::title(int column) const
{
    if (column == 0) {
        return tr("bucket");
    }
    return column % 2 == 0 ? tr("share")
                           : m_columns[static_cast<std::size_t>(column - 1) / 2].moment.title;
}

} // namespace tidemark::ui
