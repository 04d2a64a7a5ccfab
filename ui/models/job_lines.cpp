// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/job_lines.h"

#include "core/base/format.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDateTime>
#include <QtCore/QStringList>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tidemark::ui {
namespace {

/// The context of these texts for translators.
struct JobTexts {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::JobLines)
};

/// What makes a line: each device of a rank by itself.
using LineKey = std::pair<job::RankKey, std::int32_t>;

LineKey keyOf(const job::RankSummary& row)
{
    return {job::rankKey(row), row.device};
}

void widen(Interval<double>& extent, double from, double to)
{
    extent = extent.isEmpty()
        ? Interval<double>{from, to}
        : Interval<double>{std::min(extent.begin, from), std::max(extent.end, to)};
}

void takeExtent(JobLines::Column& column, const job::RankSummary& row)
{
    widen(column.events, 0, static_cast<double>(std::max<std::int64_t>(1, row.events)));
    if (row.first_time && row.last_time) {
        const auto from = static_cast<double>(microseconds(*row.first_time));
        widen(column.clock, from,
              std::max(from + 1, static_cast<double>(microseconds(*row.last_time))));
    }
}

/// When a rank has made a tenth of its events; nullopt: its times are not known.
std::optional<double> busyFrom(const job::RankSummary& row)
{
    constexpr std::int64_t kTenth = 10;
    for (const job::RankCurve::Point& point : row.curve.points) {
        if (point.time && point.event >= row.events / kTenth) {
            return static_cast<double>(microseconds(*point.time));
        }
    }
    return std::nullopt;
}

double quietShare(const job::Job& job, const JobLines& lines, std::size_t column)
{
    constexpr double kMost = 0.5;
    constexpr double kBefore = 0.04; ///< A little of the quiet is shown.
    const Interval<double>& clock = lines.columns[column].clock;
    std::optional<double> busy;
    for (const JobLines::Line& line : lines.lines) {
        if (const std::size_t row = line.cells[column]; row != kNoRow) {
            if (const auto from = busyFrom(job.rows[row])) {
                busy = std::min(busy.value_or(*from), *from);
            }
        }
    }
    if (!busy || clock.isEmpty()) {
        return 0;
    }
    const double share = (*busy - clock.begin) / (clock.end - clock.begin);
    return share < kMost ? 0 : std::min(share, 1.0) - kBefore;
}

Bytes topOf(const job::RankSummary& row)
{
    std::int64_t top = std::max(row.peak.value, row.reserved.value);
    for (const job::RankCurve::Point& point : row.curve.points) {
        top = std::max(top, label::totalOf(point.buckets));
    }
    return {top};
}

/// A noted exception may be a page.
QString shortened(const std::string& words)
{
    constexpr qsizetype kMost = 300;
    const QString all = text(words);
    return all.size() <= kMost ? all : QString(all.left(kMost) % u'…');
}

} // namespace

bool JobLines::hasClock() const
{
    return std::ranges::any_of(columns,
                               [](const Column& column) { return !column.clock.isEmpty(); });
}

std::size_t JobLines::lineOf(std::size_t row) const
{
    const auto found = std::ranges::find_if(lines, [row](const Line& line) {
        return line.row == row || std::ranges::find(line.cells, row) != line.cells.end();
    });
    return found == lines.end() ? kNoRow : static_cast<std::size_t>(found - lines.begin());
}

bool hasMoments(const job::Job& job)
{
    std::map<LineKey, int> dumps;
    return std::ranges::any_of(job.rows, [&](const auto& row) { return ++dumps[keyOf(row)] > 1; });
}

std::vector<std::size_t> comparedRows(const job::Job& job, RankOrder order)
{
    std::map<LineKey, std::size_t> last;
    for (std::size_t i = 0; i < job.rows.size(); ++i) {
        last[keyOf(job.rows[i])] = i;
    }
    for (const std::size_t row : job.deciding) {
        last[keyOf(job.rows[row])] = row;
    }
    std::vector<std::size_t> rows;
    std::set<std::size_t> taken;
    const auto take = [&](std::size_t row) {
        if (taken.insert(row).second) {
            rows.push_back(row);
        }
    };
    const auto takeLineOf = [&](std::size_t row) { take(last[keyOf(job.rows[row])]); };
    if (order == RankOrder::outliers_first) {
        if (job.first) {
            takeLineOf(job.first->row);
        }
        for (const job::Outlier& outlier : job.outliers) {
            takeLineOf(outlier.row);
        }
    }
    for (const auto& [key, row] : last) {
        take(row);
    }
    return rows;
}

std::size_t medianOf(const job::Job& job, std::size_t row)
{
    const auto outlier = std::ranges::find(job.outliers, row, &job::Outlier::row);
    const std::size_t median =
        outlier != job.outliers.end() ? outlier->against : job.median.value_or(kNoRow);
    return median == row ? kNoRow : median;
}

JobLines linesOf(const job::Job& job, RankOrder order, ShownMoments moments)
{
    JobLines lines;
    std::map<LineKey, std::size_t> places;
    for (const std::size_t row : comparedRows(job, order)) {
        places[keyOf(job.rows[row])] = lines.lines.size();
        lines.lines.push_back({row, {}, false});
    }
    const auto place = [&](std::size_t row) -> JobLines::Line& {
        return lines.lines[places[keyOf(job.rows[row])]];
    };
    std::vector<job::DumpMoment> shown;
    if (moments == ShownMoments::all) {
        std::set<job::DumpMoment> known;
        for (const job::RankSummary& row : job.rows) {
            known.insert(row.moment);
        }
        shown.assign(known.begin(), known.end());
        if (shown.size() > kMostMoments) {
            shown.erase(shown.begin(), shown.end() - kMostMoments);
        }
    }
    lines.columns.resize(std::max<std::size_t>(1, shown.size()));
    for (JobLines::Line& line : lines.lines) {
        line.cells.assign(lines.columns.size(), kNoRow);
        if (shown.empty()) {
            line.cells[0] = line.row;
        }
    }
    for (std::size_t i = 0; i < job.rows.size(); ++i) {
        const auto at = std::ranges::find(shown, job.rows[i].moment);
        if (at != shown.end()) {
            place(i).cells[static_cast<std::size_t>(at - shown.begin())] = i;
        }
    }
    for (const job::Outlier& outlier : job.outliers) {
        place(outlier.row).is_outlier = true;
    }
    for (std::size_t c = 0; c < lines.columns.size(); ++c) {
        if (c < shown.size()) {
            lines.columns[c].title =
                shown[c].isNone() ? JobTexts::tr("dump") : text(shown[c].text());
        }
        for (const JobLines::Line& line : lines.lines) {
            if (const std::size_t row = line.cells[c]; row != kNoRow && job.rows[row].isRead()) {
                takeExtent(lines.columns[c], job.rows[row]);
                lines.top = std::max(lines.top, topOf(job.rows[row]));
            }
        }
        lines.columns[c].quiet = quietShare(job, lines, c);
    }
    return lines;
}

QString rankText(const job::RankSummary& row)
{
    return text(job::rankName(row));
}

QString dumpName(const job::RankSummary& row)
{
    return row.moment.isNone()
        ? rankText(row)
        : QString(rankText(row) % QStringLiteral(", ") % text(row.moment.text()));
}

QString clockText(TimePoint time)
{
    return QDateTime::fromMSecsSinceEpoch(microseconds(time) / 1000)
        .toString(QStringLiteral("HH:mm:ss.zzz"));
}

QString fateText(const job::Job& job, std::size_t row)
{
    const job::RankSummary& rank = job.rows[row];
    if (!rank.isRead()) {
        return JobTexts::tr("unreadable");
    }
    if (!job.first) {
        return {};
    }
    const std::optional<job::RankOom>& first = job.rows[job.first->row].oom;
    if (job.first->row == row) {
        const bool is_timed = first && first->time;
        if (!job.first->certain) {
            return is_timed ? JobTexts::tr("perhaps first to fail, %1").arg(clockText(*first->time))
                            : JobTexts::tr("perhaps first to fail");
        }
        return is_timed ? JobTexts::tr("first to fail, %1").arg(clockText(*first->time))
                        : JobTexts::tr("first to fail");
    }
    const bool has_failed = rank.hasFailed();
    const auto& ended = has_failed ? rank.oom->time : rank.last_time;
    if (!first || !first->time || !ended) {
        return has_failed ? JobTexts::tr("failed, too") : QString();
    }
    const Duration later = *ended - *first->time;
    const QString words = durationText(later < Duration{} ? -later : later);
    if (has_failed) {
        return later < Duration{} ? JobTexts::tr("failed %1 earlier").arg(words)
                                  : JobTexts::tr("failed %1 later").arg(words);
    }
    return later < Duration{} ? JobTexts::tr("last event %1 earlier").arg(words)
                              : JobTexts::tr("last event %1 later").arg(words);
}

QString rankNotes(const job::RankSummary& row)
{
    QStringList facts;
    if (!row.host.empty()) {
        facts << text(row.host);
    }
    if (!row.card.empty()) {
        facts << text(row.card);
    }
    for (const auto& [name, value] : row.coordinates) {
        facts << text(name) % u' ' % countText(value);
    }
    if (row.steps > 0) {
        facts << JobTexts::tr("%Ln step|"
                              "%Ln steps",
                              nullptr, static_cast<int>(row.steps));
    }
    if (row.oom && row.oom->device_free) {
        const OneUnit unit{row.oom->requested, *row.oom->device_free};
        facts << JobTexts::tr("%1 requested, %2 free")
                     .arg(unit.text(row.oom->requested), unit.text(*row.oom->device_free));
    } else if (row.oom) {
        facts << JobTexts::tr("%1 requested").arg(bytesText(row.oom->requested));
    }
    QStringList lines;
    if (!facts.isEmpty()) {
        lines << facts.join(QStringLiteral(" · "));
    }
    if (!row.isRead()) {
        lines << text(row.error);
    }
    if (!row.reason.empty()) {
        lines << JobTexts::tr("Reason for the dump: %1").arg(shortened(row.reason));
    }
    if (!row.failure.empty()) {
        lines << shortened(row.failure);
    }
    return lines.join(u'\n');
}

} // namespace tidemark::ui
