// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/job/rank_bands_painter.h"

#include "ui/views/look/palette.h"

#include <QtGui/QImage>
#include <QtGui/QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace tidemark::ui {
namespace {

/// The points that have a place on the axis, from left to right.
struct Placed {
    double x = 0;
    const job::RankCurve::Point* point = nullptr;
};

std::vector<Placed> placed(const BandsFrame& frame, const job::RankSummary& row)
{
    std::vector<Placed> points;
    points.reserve(row.curve.points.size() + 1);
    for (const job::RankCurve::Point& point : row.curve.points) {
        if (const auto at = placeOf(row, frame.axis, point)) {
            // Times of a host may run backwards; a band does not.
            const double x = frame.xOf(*at);
            points.push_back({points.empty() ? x : std::max(x, points.back().x), &point});
        }
    }
    // The last state holds until the request failed, or to the last event.
    std::optional<double> end = oomPlaceOf(row, frame.axis);
    if (frame.axis == JobAxis::event) {
        end = std::max(end.value_or(0), static_cast<double>(row.events));
    } else if (row.last_time) {
        const auto last = static_cast<double>(microseconds(*row.last_time));
        end = std::max(end.value_or(last), last);
    }
    if (end && !points.empty()) {
        points.push_back({std::max(frame.xOf(*end), points.back().x), points.back().point});
    }
    return points;
}

/// Sizes at one column of pixels.
struct Column {
    std::array<double, label::kBucketCount> buckets{};
    double reserved = 0;
};

Column mixOf(const Placed& left, const Placed& right, double x)
{
    const double length = right.x - left.x;
    const double share = length <= 0 ? 0 : std::clamp((x - left.x) / length, 0.0, 1.0);
    Column column;
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const auto from = static_cast<double>(left.point->buckets[b]);
        column.buckets[b] = from + share * (static_cast<double>(right.point->buckets[b]) - from);
    }
    column.reserved = static_cast<double>(left.point->reserved.value); // It changes in steps.
    return column;
}

/// Pixels of a picture that is filled column by column: polygons with so many corners cost a
/// hundred times as much.
class BandPixels {
public:
    BandPixels(const BandsFrame& frame, double ratio)
        : m_ratio(ratio)
        , m_image(std::max(1, static_cast<int>(std::lround(frame.rect.width() * ratio))),
                  std::max(1, static_cast<int>(std::lround(frame.rect.height() * ratio))),
                  QImage::Format_ARGB32_Premultiplied)
        , m_per_byte(m_image.height()
                     / static_cast<double>(std::max<std::int64_t>(1, frame.top.value)))
    {
        m_image.fill(Qt::transparent);
        m_pixels = reinterpret_cast<QRgb*>(m_image.bits()); // 32 bits a pixel: lines without gaps.
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            m_colours[b] = bucketColour(label::bucketAt(b)).rgb();
        }
    }

    void paint(const BandsFrame& frame, const std::vector<Placed>& points, QRgb reserved)
    {
        std::size_t next = 0; // The first point at or behind the column.
        int former = -1; // Where reserved was.
        for (int px = 0; px < m_image.width(); ++px) {
            const double left = frame.rect.left() + px / m_ratio;
            const double right = frame.rect.left() + (px + 1) / m_ratio;
            while (next < points.size() && points[next].x < left) {
                ++next;
            }
            if (next == points.size() || (next == 0 && points[0].x >= right)) {
                former = -1;
                continue; // Before the first event, or behind the last.
            }
            // Of several points in a column the fullest one.
            const Placed* fullest = nullptr;
            for (std::size_t i = next; i < points.size() && points[i].x < right; ++i) {
                if (fullest == nullptr
                    || label::totalOf(points[i].point->buckets)
                        > label::totalOf(fullest->point->buckets)) {
                    fullest = &points[i];
                }
            }
            const Column column = fullest != nullptr
                ? mixOf(*fullest, *fullest, left)
                : mixOf(points[next - 1], points[next], (left + right) / 2);
            fill(px, column);
            former = dash(px, column.reserved, former, reserved);
        }
    }
    [[nodiscard]] QImage taken()
    {
        m_image.setDevicePixelRatio(m_ratio);
        return std::move(m_image);
    }

private:
    [[nodiscard]] QRgb& pixel(int x, int y)
    {
        return m_pixels[static_cast<std::ptrdiff_t>(y) * m_image.width() + x];
    }
    /// Stacked from below; a pixel that two bands share has a part of both.
    void fill(int px, const Column& column)
    {
        double bottom = m_image.height();
        for (std::size_t b = 0; b < label::kBucketCount && bottom > 0; ++b) {
            const double top = std::max(0.0, bottom - column.buckets[b] * m_per_byte);
            for (int y = static_cast<int>(top); y < bottom; ++y) {
                const double covered = std::min(y + 1.0, bottom) - std::max<double>(y, top);
                pixel(px, y) =
                    covered >= 1 ? m_colours[b] : sum(pixel(px, y), m_colours[b], covered);
            }
            bottom = top;
        }
    }
    static QRgb sum(QRgb there, QRgb colour, double covered)
    {
        const auto part = [covered](int channel) { return static_cast<int>(channel * covered); };
        return qRgba(std::min(255, qRed(there) + part(qRed(colour))),
                     std::min(255, qGreen(there) + part(qGreen(colour))),
                     std::min(255, qBlue(there) + part(qBlue(colour))),
                     std::min(255, qAlpha(there) + part(255)));
    }
    /// A dashed line one pixel wide, its steps too; returns where it is.
    int dash(int px, double reserved, int former, QRgb colour)
    {
        constexpr int kDash = 4;
        constexpr int kPeriod = 7;
        const int y =
            std::clamp(m_image.height() - static_cast<int>(std::lround(reserved * m_per_byte)), 0,
                       m_image.height() - 1);
        if (px % kPeriod < kDash) {
            pixel(px, y) = colour;
        }
        for (int step = std::min(y, former); former >= 0 && step < std::max(y, former); ++step) {
            if (step % kPeriod < kDash) {
                pixel(px, step) = colour;
            }
        }
        return y;
    }

    double m_ratio;
    QImage m_image;
    QRgb* m_pixels = nullptr; ///< Of the image.
    double m_per_byte;
    std::array<QRgb, label::kBucketCount> m_colours{};
};

} // namespace

double BandsFrame::xOf(double at) const
{
    const double length = extent.end - extent.begin;
    return length <= 0 ? rect.left() : rect.left() + (at - extent.begin) / length * rect.width();
}

std::optional<double> placeOf(const job::RankSummary& row, JobAxis axis,
                              const job::RankCurve::Point& point)
{
    if (axis == JobAxis::event) {
        return static_cast<double>(std::max<std::int64_t>(0, point.event));
    }
    const auto& time = point.time ? point.time : point.event < 0 ? row.first_time : std::nullopt;
    return time ? std::optional(static_cast<double>(microseconds(*time))) : std::nullopt;
}

std::optional<double> oomPlaceOf(const job::RankSummary& row, JobAxis axis)
{
    if (!row.hasFailed()) {
        return std::nullopt;
    }
    if (axis == JobAxis::event) {
        return static_cast<double>(row.oom->event);
    }
    return row.oom->time ? std::optional(static_cast<double>(microseconds(*row.oom->time)))
                         : std::nullopt;
}

void paintBands(QPainter& painter, const BandsFrame& frame, const job::RankSummary& row,
                const ThemeColours& colours)
{
    const std::vector<Placed> points = placed(frame, row);
    if (!points.empty()) {
        constexpr float kReserved = 0.6F; ///< Of its colour.
        const QColor& line = colours.reserved;
        BandPixels pixels(frame, painter.device()->devicePixelRatioF());
        pixels.paint(frame, points,
                     qPremultiply(qRgba(line.red(), line.green(), line.blue(),
                                        static_cast<int>(255 * kReserved))));
        painter.drawImage(frame.rect.topLeft(), pixels.taken());
    }
    const auto oom = oomPlaceOf(row, frame.axis);
    if (oom && *oom >= frame.extent.begin && *oom <= frame.extent.end) {
        const double x = frame.xOf(*oom);
        painter.setPen(QPen(colours.danger, 2));
        painter.drawLine(QPointF(x, frame.rect.top()), QPointF(x, frame.rect.bottom()));
    }
}

} // namespace tidemark::ui
