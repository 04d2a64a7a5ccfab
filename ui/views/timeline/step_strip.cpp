// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/step_strip.h"

#include "ui/views/timeline/timeline_words.h"

#include <QtGui/QFontMetricsF>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr double kIndent = 4; ///< From the line of a step to its number.
constexpr double kNumberGap = 6; ///< Between two numbers.
constexpr double kLeastStepWidth = 6; ///< Below it lines would be one grey area.

/// The smallest 1, 2 or 5 times a power of ten with which numbers of this width do not touch.
std::int64_t strideFor(double step_width, double label_width)
{
    std::int64_t power = 1;
    while (true) {
        for (const std::int64_t factor : {1, 2, 5}) {
            if (static_cast<double>(factor * power) * step_width >= label_width) {
                return factor * power;
            }
        }
        power *= 10;
    }
}

/// Labels that keep their distance, as they come from the left.
class LabelRow {
public:
    LabelRow(Interval<double> strip, const std::function<double(const QString&)>& width_of)
        : m_strip(strip)
        , m_width_of(width_of)
        , m_free_from(strip.begin)
    {
    }

    /// As much as fits between the step's line and `end`, behind what is there: a number alone only
    /// where those beside it have no more room either.
    void add(const StepPlace& place, double end, bool may_be_bare)
    {
        const double left = std::max(place.left, m_strip.begin) + kIndent;
        const double room = std::min(end, m_strip.end) - left;
        const QString number = QString::number(place.number);
        for (const QString& words : {TimelineWords::tr("step %1").arg(number), number}) {
            const double width = m_width_of(words);
            if (words == number && !may_be_bare) {
                return;
            }
            if (left >= m_free_from && width <= room) {
                m_labels.push_back({left, words});
                m_free_from = left + width + kNumberGap;
                return;
            }
        }
    }

    [[nodiscard]] std::vector<StepLabel> take()
    {
        return std::move(m_labels);
    }
    [[nodiscard]] bool isEmpty() const
    {
        return m_labels.empty();
    }

private:
    Interval<double> m_strip;
    const std::function<double(const QString&)>& m_width_of;
    double m_free_from;
    std::vector<StepLabel> m_labels;
};

} // namespace

std::vector<StepLabel> stepLabels(std::span<const StepPlace> visible, Interval<double> strip,
                                  const std::function<double(const QString&)>& width_of)
{
    if (visible.empty()) {
        return {};
    }
    const double step_width = std::max(
        (visible.back().right - visible.front().left) / static_cast<double>(visible.size()), 1e-6);
    const QString widest = QString::number(visible.back().number);
    const bool has_room = width_of(widest) + kIndent + kNumberGap <= step_width;
    const std::int64_t stride = has_room
        ? 1
        : strideFor(step_width,
                    width_of(TimelineWords::tr("step %1").arg(widest)) + kIndent + kNumberGap);
    LabelRow row(strip, width_of);
    for (std::size_t i = 0; i < visible.size(); ++i) {
        const StepPlace& place = visible[i];
        if (stride == 1) {
            row.add(place, place.right, true);
        } else if (place.number % stride == 0) {
            row.add(place, strip.end, false); // Over the steps that follow; they have no number.
        }
    }
    // Steps of very different lengths, or none with a round number.
    for (const StepPlace& place : visible) {
        if (row.isEmpty()) {
            row.add(place, strip.end, true);
        }
    }
    return row.take();
}

void paintSteps(QPainter& painter, const QRectF& strip, const TimelineScale& scale,
                const label::DeviceLabels& labels, const projection::AxisMap& axis,
                const TimelineStyle& style)
{
    std::vector<StepPlace> places;
    const std::vector<label::Step> steps = labels.stepsBegun();
    // Steps follow each other: what ends before the strip begins is passed over in one search.
    const StateId first = axis.toState(scale.coordinateAt(strip.left()));
    const auto visible = std::ranges::partition_point(steps, [first](const label::Step& step) {
        return StateId::after(step.last_event) < first;
    });
    std::size_t knot = 0;
    for (auto step = visible; step != steps.end(); ++step) {
        const double left = scale.x(axis.toX(StateId::before(step->first_event), knot));
        if (left > strip.right()) {
            break;
        }
        const double right = scale.x(axis.toX(StateId::after(step->last_event), knot));
        const auto number = static_cast<std::uint32_t>(step - steps.begin()) + 1;
        if (right >= strip.left()) {
            places.push_back({labels.numbers.of(number), left, right});
        }
    }
    painter.save();
    painter.setClipRect(strip, Qt::IntersectClip);
    painter.setFont(style.font);
    painter.setPen(QPen(style.colours.secondary, 1));
    const QFontMetricsF metrics(style.font, painter.device());
    const auto labels_shown =
        stepLabels(places, {strip.left(), strip.right()},
                   [&](const QString& words) { return metrics.horizontalAdvance(words); });
    const auto line_at = [&](double x) {
        painter.drawLine(QPointF(x, strip.top()), QPointF(x, strip.bottom()));
    };
    if (static_cast<double>(places.size()) * kLeastStepWidth <= strip.width()) {
        for (const StepPlace& place : places) {
            line_at(place.left);
        }
    }
    for (const StepLabel& label : labels_shown) {
        if (label.left - kIndent > strip.left()) { // Else it began before what is shown.
            line_at(label.left - kIndent);
        }
        painter.drawText(QRectF(label.left, strip.top(), metrics.horizontalAdvance(label.words) + 2,
                                strip.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, label.words);
    }
    painter.restore();
}

} // namespace tidemark::ui
