// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/curves.h"
#include "ui/models/headed.h"
#include "ui/models/host_memory.h"

#include <QtCore/QString>

#include <optional>
#include <vector>

namespace tidemark::ui {

struct BandGrouping;

/// The composition of one state.
struct BucketMoment {
    QString title; ///< Of its columns: "At the peak".
    StateId state;
};

/// Bytes and shares per bucket at one or several moments of a device: buckets from the uppermost
/// band down (only those that occur anywhere in the trace, so rows stay while the cursor moves),
/// then the total, what is free inside PyTorch, what is reserved, and what the host has pinned.
class BucketTableModel : public TableModel {
    Q_OBJECT
public:
    using TableModel::TableModel;

    /// Two columns per moment, bytes and share of the total. `curves` is null for an empty table
    /// and must otherwise outlive its use here (until the next call).
    /// With a grouping its bands take the place of the buckets.
    void setMoments(const curves::DeviceCurves* curves, std::vector<BucketMoment> moments,
                    std::shared_ptr<const BandGrouping> grouping = nullptr,
                    const HostMemory& host = {});
    /// Moves the only moment, without resetting the table. Requires exactly one.
    void moveTo(StateId state);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == 0;
    }

    enum class Kind : std::uint8_t { bucket, total, private_pools, cached, reserved, host };
    struct Row {
        Kind kind = Kind::bucket;
        label::Bucket bucket = label::Bucket::unknown;
    };
    struct Column {
        BucketMoment moment;
        label::BucketBytes buckets{};
        std::int64_t total = 0;
        std::int64_t private_cached = 0;
        std::int64_t reserved = 0;
        std::int64_t host = 0;
    };
    [[nodiscard]] Column columnOf(const BucketMoment& moment) const;
    [[nodiscard]] static std::int64_t bytesOf(const Row& row, const Column& column);
    [[nodiscard]] QString nameOf(const Row& row) const;
    [[nodiscard]] static QString meaningOf(const Row& row);
    [[nodiscard]] QVariant cell(const Row& row, int column, int role) const;

    const curves::DeviceCurves* m_curves = nullptr;
    std::shared_ptr<const BandGrouping> m_grouping;
    HostMemory m_host;
    Bytes m_largest;
    std::vector<Row> m_rows;
    std::vector<Column> m_columns;
};

} // namespace tidemark::ui
