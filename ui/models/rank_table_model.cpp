// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/rank_table_model.h"

#include "ui/models/numbers.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace tidemark::ui {
namespace {

/// Of what the median rank wanted: a difference that has the full colour.
constexpr double kFullHeat = 0.5;

const std::int64_t* coordinate(const job::RankSummary& row, const char* name)
{
    const auto found = row.coordinates.find(name);
    return found == row.coordinates.end() ? nullptr : &found->second;
}

} // namespace

QString againstText(Bytes median, Bytes bytes)
{
    if (median == bytes) {
        return QStringLiteral("=");
    }
    if (median.value <= 0) {
        return signedBytesText(bytes - median);
    }
    if (bytes.value == 0) {
        return RankTableModel::tr("none");
    }
    const double ratio = static_cast<double>(bytes.value) / static_cast<double>(median.value);
    if (std::abs(ratio - 1) < 0.005) {
        return QStringLiteral("≈");
    }
    return factorText(ratio);
}

bool RankTableModel::hasStages(const job::Job& job)
{
    std::set<std::int64_t> stages;
    for (const std::size_t row : comparedRows(job, RankOrder::rank)) {
        const std::int64_t* const stage = coordinate(job.rows[row], "pp");
        if (stage == nullptr || coordinate(job.rows[row], "dp") == nullptr) {
            return false;
        }
        stages.insert(*stage);
    }
    return stages.size() > 1;
}

void RankTableModel::setJob(std::shared_ptr<const job::Job> job, RankValues values, RankForm form)
{
    beginResetModel();
    m_job = std::move(job);
    m_values = values;
    m_form = form;
    m_ranks.clear();
    m_measures.clear();
    m_stages.clear();
    m_replicas.clear();
    m_places.clear();
    if (m_job != nullptr) {
        m_ranks = comparedRows(
            *m_job, form == RankForm::ranks ? RankOrder::outliers_first : RankOrder::rank);
        findMeasures();
        if (form == RankForm::stages) {
            findStages();
        }
    }
    endResetModel();
}

void RankTableModel::findMeasures()
{
    Bytes largest;
    for (const std::size_t rank : m_ranks) {
        largest = std::max(largest, m_job->rows[rank].wanted());
    }
    m_unit = OneUnit(largest);
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const bool is_held = std::ranges::any_of(
            m_ranks, [&](std::size_t rank) { return m_job->rows[rank].largest[b] != 0; });
        if (is_held) {
            m_measures.push_back({label::bucketAt(b)});
        }
    }
    if (std::ranges::any_of(m_ranks,
                            [&](std::size_t rank) { return m_job->rows[rank].hasFailed(); })) {
        m_measures.push_back({{}, true});
    }
    m_measures.push_back({});
    if (m_form == RankForm::ranks) {
        // What differs most is seen without scrolling.
        const auto most = [this](const Measure& measure) {
            double heat = measure.bucket || measure.is_request ? 0 : 2; // All at once is first.
            for (const std::size_t rank : m_ranks) {
                heat = std::max(heat, std::abs(heatOf(rank, measure)));
            }
            return heat;
        };
        std::vector<std::pair<double, Measure>> ordered;
        for (const Measure& measure : m_measures) {
            ordered.emplace_back(-most(measure), measure);
        }
        std::ranges::stable_sort(ordered, {}, &std::pair<double, Measure>::first);
        std::ranges::transform(ordered, m_measures.begin(), &std::pair<double, Measure>::second);
    }
}

void RankTableModel::findStages()
{
    std::set<std::int64_t> stages;
    std::set<std::int64_t> replicas;
    for (const std::size_t rank : m_ranks) {
        stages.insert(*coordinate(m_job->rows[rank], "pp"));
        replicas.insert(*coordinate(m_job->rows[rank], "dp"));
    }
    m_stages.assign(stages.begin(), stages.end());
    m_replicas.assign(replicas.begin(), replicas.end());
    m_places.assign(m_stages.size() * m_replicas.size(), kNoRow);
    for (const std::size_t rank : m_ranks) {
        const auto stage = std::ranges::lower_bound(m_stages, *coordinate(m_job->rows[rank], "pp"));
        const auto replica =
            std::ranges::lower_bound(m_replicas, *coordinate(m_job->rows[rank], "dp"));
        std::size_t& place =
            m_places[static_cast<std::size_t>(stage - m_stages.begin()) * m_replicas.size()
                     + static_cast<std::size_t>(replica - m_replicas.begin())];
        if (place == kNoRow || m_job->rows[rank].wanted() > m_job->rows[place].wanted()) {
            place = rank;
        }
    }
}

std::size_t RankTableModel::rankAt(int row, int column) const
{
    const auto r = static_cast<std::size_t>(row);
    const auto c = static_cast<std::size_t>(column);
    if (row < 0 || column < 0 || row >= rowCount() || column >= columnCount()) {
        return kNoRow;
    }
    switch (m_form) {
    case RankForm::buckets:
        return m_ranks[c];
    case RankForm::ranks:
        return m_ranks[r];
    case RankForm::stages:
        break;
    }
    return m_places[r * m_replicas.size() + c];
}

QModelIndex RankTableModel::cellOf(std::size_t rank) const
{
    const std::vector<std::size_t>& all = m_form == RankForm::stages ? m_places : m_ranks;
    const auto found = std::ranges::find(all, rank);
    if (found == all.end()) {
        return {};
    }
    const int at = static_cast<int>(found - all.begin());
    switch (m_form) {
    case RankForm::buckets:
        return index(0, at);
    case RankForm::ranks:
        return index(at, 0);
    case RankForm::stages:
        break;
    }
    const int columns = static_cast<int>(m_replicas.size());
    return index(at / columns, at % columns);
}

int RankTableModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid()) {
        return 0;
    }
    const std::size_t rows = m_form == RankForm::buckets ? m_measures.size()
        : m_form == RankForm::ranks                      ? m_ranks.size()
                                                         : m_stages.size();
    return static_cast<int>(rows);
}

int RankTableModel::columnCount(const QModelIndex& parent) const
{
    if (parent.isValid()) {
        return 0;
    }
    const std::size_t columns = m_form == RankForm::buckets ? m_ranks.size()
        : m_form == RankForm::ranks                         ? m_measures.size()
                                                            : m_replicas.size();
    return static_cast<int>(columns);
}

const RankTableModel::Measure& RankTableModel::measureAt(int row, int column) const
{
    static const Measure kAll{};
    return m_form == RankForm::stages
        ? kAll
        : m_measures[static_cast<std::size_t>(m_form == RankForm::buckets ? row : column)];
}

QString RankTableModel::nameOf(const Measure& measure) const
{
    if (measure.bucket) {
        return text(label::bucketName(*measure.bucket));
    }
    return measure.is_request ? tr("Failed request") : tr("Total");
}

Bytes RankTableModel::bytesOf(const job::RankSummary& rank, const Measure& measure)
{
    if (measure.bucket) {
        return {rank.largest[label::indexOf(*measure.bucket)]};
    }
    if (measure.is_request) {
        return rank.hasFailed() ? rank.oom->requested : Bytes{};
    }
    return rank.wanted();
}

QString RankTableModel::cellText(std::size_t rank, const Measure& measure) const
{
    const job::RankSummary& row = m_job->rows[rank];
    if (!row.isRead()) {
        return QStringLiteral("–");
    }
    const Bytes bytes = bytesOf(row, measure);
    if (m_values == RankValues::bytes) {
        return m_unit.number(bytes);
    }
    const std::size_t median = medianOf(*m_job, rank);
    return median == kNoRow ? m_job->median ? QStringLiteral("=") : QStringLiteral("–")
                            : againstText(bytesOf(m_job->rows[median], measure), bytes);
}

QString RankTableModel::cellTip(std::size_t rank, const Measure& measure) const
{
    const job::RankSummary& row = m_job->rows[rank];
    if (!row.isRead()) {
        return text(row.error);
    }
    const Bytes bytes = bytesOf(row, measure);
    QString words = tr("%1, %2: %3").arg(dumpName(row), nameOf(measure), exactBytesText(bytes));
    if (measure.bucket) {
        const Bytes then{row.decisive[label::indexOf(*measure.bucket)]};
        words += u'\n'
            % (row.hasFailed() ? tr("at the failed request: %1") : tr("at its peak: %1"))
                  .arg(exactBytesText(then));
    }
    const std::size_t median = medianOf(*m_job, rank);
    if (median != kNoRow) {
        const Bytes held = bytesOf(m_job->rows[median], measure);
        words += u'\n'
            % tr("%1, the median: %2 (%3)")
                  .arg(rankText(m_job->rows[median]), exactBytesText(held),
                       signedBytesText(bytes - held));
    }
    return words;
}

double RankTableModel::heatOf(std::size_t rank, const Measure& measure) const
{
    const std::size_t median = medianOf(*m_job, rank);
    if (median == kNoRow || !m_job->rows[rank].isRead()) {
        return 0;
    }
    const job::RankSummary& held = m_job->rows[median];
    const Bytes delta = bytesOf(m_job->rows[rank], measure) - bytesOf(held, measure);
    const double all = static_cast<double>(std::max<std::int64_t>(1, held.wanted().value));
    const double share = static_cast<double>(delta.value) / (kFullHeat * all);
    return std::clamp(std::copysign(std::sqrt(std::abs(share)), share), -1.0, 1.0);
}

QVariant RankTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    const std::size_t rank = rankAt(index.row(), index.column());
    if (rank == kNoRow) {
        return {};
    }
    const Measure& measure = measureAt(index.row(), index.column());
    switch (role) {
    case Qt::DisplayRole:
        return cellText(rank, measure);
    case Qt::ToolTipRole:
        return cellTip(rank, measure);
    case BytesRole:
        return QVariant(qint64{bytesOf(m_job->rows[rank], measure).value});
    case HeatRole:
        return heatOf(rank, measure);
    default:
        return {};
    }
}

QString RankTableModel::rankHeading(std::size_t rank) const
{
    const job::RankSummary& row = m_job->rows[rank];
    return m_form == RankForm::buckets && row.rank ? QString::number(*row.rank) : rankText(row);
}

QVariant RankTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const bool is_column = orientation == Qt::Horizontal;
    if (section < 0 || section >= (is_column ? columnCount() : rowCount())) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((is_column ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    const auto at = static_cast<std::size_t>(section);
    if (m_form == RankForm::stages) {
        return role != Qt::DisplayRole ? QVariant()
            : is_column                ? QVariant(tr("dp %1").arg(m_replicas[at]))
                                       : QVariant(tr("stage %1").arg(m_stages[at]));
    }
    if (is_column == (m_form == RankForm::buckets)) {
        const job::RankSummary& row = m_job->rows[m_ranks[at]];
        return role == Qt::DisplayRole ? QVariant(rankHeading(m_ranks[at]))
            : role == Qt::ToolTipRole  ? QVariant(dumpName(row) % u'\n' % text(row.file))
                                       : QVariant();
    }
    const Measure& measure = m_measures[at];
    if (role == Qt::DecorationRole && measure.bucket && m_icon_of) {
        return m_icon_of(*measure.bucket);
    }
    return role == Qt::DisplayRole ? QVariant(nameOf(measure)) : QVariant();
}

QString RankTableModel::asText() const
{
    QStringList lines;
    QStringList cells{m_values == RankValues::bytes ? unit() : QString()};
    const auto plain = [](QString words) {
        return words.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
    };
    for (int c = 0; c < columnCount(); ++c) {
        cells << plain(headerData(c, Qt::Horizontal, Qt::DisplayRole).toString());
    }
    lines << cells.join(u'\t');
    for (int r = 0; r < rowCount(); ++r) {
        cells = {plain(headerData(r, Qt::Vertical, Qt::DisplayRole).toString())};
        for (int c = 0; c < columnCount(); ++c) {
            cells << data(index(r, c), Qt::DisplayRole).toString();
        }
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n');
}

} // namespace tidemark::ui
