// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/job_lines.h"
#include "ui/models/one_unit.h"

#include <QtCore/QAbstractTableModel>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tidemark::ui {

/// Figures of a cell, or what it differs by from the median rank.
enum class RankValues : std::uint8_t { against_median, bytes };
/// What lies where: a row for each bucket and a column for each rank, the other way round, or a
/// row for each stage of the pipeline and a column for each data-parallel rank.
enum class RankForm : std::uint8_t { buckets, ranks, stages };

/// From so many ranks on they are rows, outliers first: a heat map.
inline constexpr std::size_t kHeatMapRanks = 24;

/// The most that the ranks of a job held in each bucket at any moment, and what they held or wanted
/// at once when it was decided. Rows have names in the vertical header.
class RankTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    void setJob(std::shared_ptr<const job::Job> job, RankValues values, RankForm form);
    /// What stands before the name of a bucket.
    void setIconOf(std::function<QVariant(label::Bucket)> icon)
    {
        m_icon_of = std::move(icon);
    }
    [[nodiscard]] RankForm form() const
    {
        return m_form;
    }
    /// Whether the coordinates of all ranks tell stage and data-parallel rank.
    [[nodiscard]] static bool hasStages(const job::Job& job);
    /// "GiB": what the figures are in.
    [[nodiscard]] QString unit() const
    {
        return m_unit.name();
    }
    /// The row of the job that a cell is of; kNoRow: none.
    [[nodiscard]] std::size_t rankAt(int row, int column) const;
    /// The first cell of a rank; invalid: it has none.
    [[nodiscard]] QModelIndex cellOf(std::size_t rank) const;
    /// All of it with headings and tabs.
    [[nodiscard]] QString asText() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    /// A bucket, the request that failed, or all together.
    struct Measure {
        std::optional<label::Bucket> bucket{};
        bool is_request = false;
    };
    [[nodiscard]] QString nameOf(const Measure& measure) const;
    [[nodiscard]] static Bytes bytesOf(const job::RankSummary& rank, const Measure& measure);
    [[nodiscard]] const Measure& measureAt(int row, int column) const;
    [[nodiscard]] QString cellText(std::size_t rank, const Measure& measure) const;
    [[nodiscard]] QString cellTip(std::size_t rank, const Measure& measure) const;
    [[nodiscard]] double heatOf(std::size_t rank, const Measure& measure) const;
    [[nodiscard]] QString rankHeading(std::size_t rank) const;
    void findMeasures();
    void findStages();

    std::shared_ptr<const job::Job> m_job;
    RankValues m_values = RankValues::against_median;
    RankForm m_form = RankForm::buckets;
    OneUnit m_unit;
    std::vector<std::size_t> m_ranks; ///< Rows of the job.
    std::vector<Measure> m_measures;
    std::vector<std::int64_t> m_stages;
    std::vector<std::int64_t> m_replicas;
    std::vector<std::size_t> m_places; ///< Of stages × replicas the rank that holds most.
    std::function<QVariant(label::Bucket)> m_icon_of;
};

/// "=", "×2.9", "+2.0 %", "+1.20 GiB" where there was nothing, "none" where nothing is left.
[[nodiscard]] QString againstText(Bytes median, Bytes bytes);

} // namespace tidemark::ui
