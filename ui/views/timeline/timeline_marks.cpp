// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_marks.h"

#include "core/base/format.h"
#include "core/diagnose/diagnosis.h"
#include "ui/models/language.h"
#include "ui/models/numbers.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/look/label_layout.h"
#include "ui/views/timeline/timeline_words.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>
#include <QtGui/QPolygonF>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::ui {
namespace {

/// Above this multiple of what is drawn the capacity is named instead of shown to scale.
constexpr double kCapacityReach = 2.5;
constexpr double kHeadroom = 1.08;
constexpr double kHighReserved = 0.98; ///< Of the most that is reserved.
constexpr double kPeakRadius = 4.5;
/// OOM events closer than this share one box of text.
constexpr double kOomGroupDistance = 150;

/// Paints the marks of one picture; lives for one call of `paintMarks`.
class MarkPainter {
public:
    MarkPainter(QPainter& painter, const TimelineScale& scale, const TimelineStyle& style)
        : m_painter(painter)
        , m_scale(scale)
        , m_style(style)
        , m_bold(style.font)
        , m_layout(scale.rect.adjusted(3, 1 - style.label_room, -3, -2))
    {
        m_bold.setBold(true);
    }

    /// In the unit of the axis, with three digits: what stands apart is in no column.
    [[nodiscard]] QString shown(Bytes bytes) const
    {
        return OneUnit{{std::llround(m_scale.top_bytes)}, bytes}.text(bytes);
    }

    void reservedLine(const projection::TimelineProjection& projection)
    {
        const std::size_t count = projection.columns.size();
        std::int64_t bytes = 0;
        for (const projection::TimelineColumn& column : projection.columns) {
            bytes = std::max(bytes, column.reserved);
        }
        // About the most there is, where it lasts longest: any other level would say little.
        const auto level = static_cast<std::int64_t>(static_cast<double>(bytes) * kHighReserved);
        std::size_t best_begin = 0;
        std::size_t best_end = 0;
        for (std::size_t i = 0; i < count;) {
            std::size_t end = i + 1;
            while (end < count
                   && projection.columns[end].reserved == projection.columns[i].reserved) {
                ++end;
            }
            if (projection.columns[i].reserved >= level && end - i > best_end - best_begin) {
                best_begin = i;
                best_end = end;
            }
            i = end;
        }
        bytes = best_end > best_begin ? projection.columns[best_begin].reserved : 0;
        if (bytes <= 0 || !isInHeight(m_scale.y(static_cast<double>(bytes)))) {
            return;
        }
        const double left = m_scale.columnLeft(best_begin, count);
        m_reserved = QRectF(left, m_scale.y(static_cast<double>(bytes)) - 1.5,
                            m_scale.columnLeft(best_end, count) - left, 3);
        m_reserved_bytes = {bytes};
        m_layout.block(m_reserved);
    }

    void capacity(Bytes bytes, Bytes unsure)
    {
        const QString said = unsure.value == 0 ? shown(bytes) : intervalText(bytes, bytes + unsure);
        const double y = m_scale.y(static_cast<double>(bytes.value));
        const QString words = TimelineWords::tr("capacity %1").arg(said);
        if (y < m_scale.rect.top()) {
            label(TimelineWords::tr("capacity %1, off scale").arg(said), m_style.font,
                  m_style.colours.danger_text, {{m_scale.rect.left() + 6, m_scale.rect.top() + 2}});
            return;
        }
        if (y > m_scale.rect.bottom()) {
            return;
        }
        m_painter.setPen(QPen(m_style.colours.danger, 1.4));
        m_painter.drawLine(QPointF(m_scale.rect.left(), y), QPointF(m_scale.rect.right(), y));
        m_layout.block({m_scale.rect.left(), y - 1, m_scale.rect.width(), 2});
        const double height = textSize(words, m_style.font).height();
        const double left = m_scale.rect.left() + 6;
        const double middle = m_scale.rect.center().x();
        label(words, m_style.font, m_style.colours.danger_text,
              {{left, y - height - 1}, {left, y + 3}, {middle, y - height - 1}, {middle, y + 3}});
    }

    void oomLines(const std::vector<OomMark>& ooms)
    {
        m_painter.setPen(QPen(m_style.colours.danger, 2));
        double last = -1e9;
        for (const OomMark& oom : ooms) {
            const double x = m_scale.x(oom.x);
            if (isInside(x) && x >= last + 1) {
                const double inner =
                    std::max(m_scale.rect.left() + 1, std::min(x, m_scale.rect.right() - 1));
                m_painter.drawLine(QPointF(inner, m_scale.rect.top()),
                                   QPointF(inner, m_scale.rect.bottom()));
                m_layout.block({inner - 1, m_scale.rect.top(), 2, m_scale.rect.height()});
                last = x;
            }
        }
    }

    void oomBoxes(const std::vector<OomMark>& ooms)
    {
        // The last one of a group is the one that ended the run, so groups form from the right.
        for (std::size_t end = ooms.size(); end > 0;) {
            const OomMark& oom = ooms[end - 1];
            const double x = m_scale.x(oom.x);
            std::size_t begin = end - 1;
            while (begin > 0 && x - m_scale.x(ooms[begin - 1].x) < kOomGroupDistance) {
                --begin;
            }
            if (isInside(x)) {
                oomBox(oom, x, end - begin);
            }
            end = begin;
        }
    }

    /// Keeps the circle of the peak free.
    void blockPeak(const PeakMark& peak)
    {
        const QPointF at(m_scale.x(peak.x), m_scale.y(static_cast<double>(peak.value.value)));
        if (isInside(at.x()) && isInHeight(at.y())) {
            m_layout.block({at.x() - 7, at.y() - 7, 14, 14});
        }
    }

    void peak(const PeakMark& peak)
    {
        const QPointF at(m_scale.x(peak.x), m_scale.y(static_cast<double>(peak.value.value)));
        if (!isInside(at.x()) || !isInHeight(at.y())) {
            return;
        }
        m_painter.setPen(QPen(m_style.colours.card, 4.5));
        m_painter.setBrush(m_style.colours.card);
        m_painter.drawEllipse(at, kPeakRadius, kPeakRadius);
        m_painter.setPen(QPen(m_style.colours.text, 1.8));
        m_painter.drawEllipse(at, kPeakRadius, kPeakRadius);
        const QString words = peak.is_dump
            ? TimelineWords::tr("%1 at the dump").arg(shown(peak.value))
            : TimelineWords::tr("peak %1 · %2")
                  .arg(shown(peak.value), text(formatEventNumber(peak.state.eventNumber())));
        const QSizeF size = textSize(words, m_bold);
        const double right = at.x() + 9;
        const double left = at.x() - 9 - size.width();
        std::vector<QPointF> places;
        for (const double y : {at.y() + 5, at.y() - size.height() - 5, at.y() + 24, at.y() + 46,
                               at.y() - size.height() - 22}) {
            places.emplace_back(right, y);
            places.emplace_back(left, y);
        }
        // A peak at the very edge of a crowded picture: anywhere close below it.
        places.emplace_back(at.x() - size.width() / 2, at.y() + 12);
        label(words, m_bold, m_style.colours.text, places);
    }

    void ghost(const GhostMark& ghost)
    {
        const QPointF at(m_scale.x(ghost.x), m_scale.y(static_cast<double>(ghost.value.value)));
        if (!isInside(at.x()) || !isInHeight(at.y())) {
            return;
        }
        m_painter.setPen(QPen(m_style.colours.card, 1.6));
        m_painter.setBrush(m_style.colours.text);
        m_painter.drawEllipse(at, kPeakRadius, kPeakRadius);
        m_layout.block({at.x() - 7, at.y() - 7, 14, 14});
        const QString words = TimelineWords::tr("peak with this fix %1").arg(shown(ghost.value));
        const QSizeF size = textSize(words, m_bold);
        std::vector<QPointF> places;
        for (const double y : {at.y() - size.height() / 2, at.y() - size.height() - 6, at.y() + 6,
                               at.y() + 26, at.y() - size.height() - 26}) {
            places.emplace_back(at.x() + 10, y);
            places.emplace_back(at.x() - 10 - size.width(), y);
        }
        label(words, m_bold, m_style.colours.text, places);
    }

    /// Its line has no circle: what it is called stands beside its highest point.
    void simulated(const SimulatedMark& mark)
    {
        const QPointF at(m_scale.x(mark.x), m_scale.y(static_cast<double>(mark.value.value)));
        if (!isInside(at.x()) || !isInHeight(at.y())) {
            return;
        }
        const QString words =
            TimelineWords::tr("reserved under %1 %2").arg(mark.settings, shown(mark.value));
        const QSizeF size = textSize(words, m_bold);
        std::vector<QPointF> places;
        for (const double y : {at.y() + 3, at.y() - size.height() - 3, at.y() + 23, at.y() + 43,
                               at.y() - size.height() - 23}) {
            places.emplace_back(at.x() + 6, y);
            places.emplace_back(at.x() - 6 - size.width(), y);
            places.emplace_back(at.x() - size.width() / 2, y);
        }
        label(words, m_bold, m_style.colours.link, places);
    }

    /// Small pennants at the upper edge, their notes beside them where there is room.
    void flags(const std::vector<FlagMark>& flags)
    {
        constexpr double kPole = 13;
        constexpr double kHigh = 7;
        constexpr double kLongest = 170;
        const QColor colour = m_style.colours.link;
        const double top = m_scale.rect.top();
        for (const FlagMark& flag : flags) {
            const double x = m_scale.x(flag.x);
            if (!isInside(x)) {
                continue;
            }
            m_painter.setPen(QPen(colour, 1.6));
            m_painter.drawLine(QPointF(x, top), QPointF(x, top + kPole));
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(colour);
            const double side = x + kHigh + 2 > m_scale.rect.right() ? -1 : 1;
            m_painter.drawPolygon(
                QPolygonF({QPointF(x, top), QPointF(x + side * kHigh, top + kHigh / 2),
                           QPointF(x, top + kHigh)}));
            m_layout.block({x - 1, top, 2, kPole});
            if (!flag.words.isEmpty()) {
                const QFontMetricsF metrics(m_style.font, m_painter.device());
                const QString words = metrics.elidedText(flag.words, Qt::ElideRight, kLongest);
                const double width = textSize(words, m_style.font).width();
                label(words, m_style.font, colour,
                      {{x + kHigh + 2, top + 1}, {x - kHigh - 2 - width, top + 1}});
            }
        }
    }

    void reservedLabel()
    {
        if (m_reserved.isEmpty()) {
            return;
        }
        const QString words = TimelineWords::tr("reserved %1").arg(shown(m_reserved_bytes));
        const QSizeF size = textSize(words, m_style.font);
        std::vector<QPointF> places;
        for (const double share : {0.7, 0.5, 0.3, 0.85, 0.1}) {
            const double x = m_reserved.left() + share * (m_reserved.width() - size.width());
            places.emplace_back(x, m_reserved.bottom() + 1);
            places.emplace_back(x, m_reserved.top() - size.height() - 1);
        }
        label(words, m_style.font, m_style.colours.secondary, places);
    }

private:
    /// The vertical axis may show a part of the whole.
    [[nodiscard]] bool isInHeight(double y) const
    {
        return y >= m_scale.rect.top() - 0.5 && y <= m_scale.rect.bottom() + 0.5;
    }

    [[nodiscard]] bool isInside(double x) const
    {
        return x >= m_scale.rect.left() - 0.5 && x <= m_scale.rect.right() + 0.5;
    }

    [[nodiscard]] QSizeF textSize(const QString& words, const QFont& font) const
    {
        const QFontMetricsF metrics(font, m_painter.device());
        return {metrics.horizontalAdvance(words) + 6, metrics.height() + 1};
    }

    void label(const QString& words, const QFont& font, const QColor& colour,
               const std::vector<QPointF>& places)
    {
        const auto area = m_layout.place(textSize(words, font), places);
        if (!area) {
            return;
        }
        QColor plate = m_style.colours.card;
        plate.setAlphaF(0.82F);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(plate);
        m_painter.drawRoundedRect(*area, 3, 3);
        m_painter.setFont(font);
        m_painter.setPen(colour);
        m_painter.drawText(*area, Qt::AlignCenter, words);
    }

    void oomBox(const OomMark& oom, double x, std::size_t times)
    {
        QString title = times == 1 ? TimelineWords::tr("OOM")
                                   : TimelineWords::tr("OOM, %Ln times|"
                                                       "OOM, %Ln times",
                                                       nullptr, plural(std::int64_t(times)));
        if (!oom.phase.isEmpty()) {
            title += QStringLiteral(" · ") % oom.phase;
        }
        const QString words = oomWords(oom, times, {std::llround(m_scale.top_bytes)});
        const QSizeF first = textSize(title, m_bold);
        const QSizeF second = textSize(words, m_style.font);
        const QSizeF whole(std::max(first.width(), second.width()) + 12,
                           first.height() + second.height() + 10);
        const QSizeF small(first.width() + 12, first.height() + 6);
        auto area = m_layout.place(whole, placesBeside(x, whole));
        const bool is_whole = area.has_value();
        if (!is_whole) {
            area = m_layout.place(small, placesBeside(x, small));
        }
        if (!area) {
            // An OOM is never passed over in silence: over whatever there is.
            const double left =
                std::min(x - 8 - small.width(), m_scale.rect.right() - small.width());
            area = QRectF(QPointF(std::max(left, m_scale.rect.left()), m_scale.rect.top()), small);
            m_layout.block(*area);
        }
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_style.colours.danger);
        m_painter.drawRoundedRect(*area, 4, 4);
        m_painter.setPen(m_style.colours.accent_text);
        m_painter.setFont(m_bold);
        if (!is_whole) {
            m_painter.drawText(*area, Qt::AlignCenter, title);
            return;
        }
        const QRectF inner = area->adjusted(9, 5, -3, -5);
        m_painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop, title);
        m_painter.setFont(m_style.font);
        m_painter.drawText(inner, Qt::AlignLeft | Qt::AlignBottom, words);
    }

    /// On either side of a vertical line, from the top down; first below the reserved line, if that
    /// is in the upper half.
    [[nodiscard]] std::vector<QPointF> placesBeside(double x, const QSizeF& size) const
    {
        std::vector<QPointF> places;
        const double top = m_scale.rect.top() + 4;
        const double below = m_reserved.bottom() + 18;
        for (const double from : {below < m_scale.rect.center().y() ? below : top, top}) {
            for (double y = from; y + size.height() < m_scale.rect.bottom(); y += 16) {
                places.emplace_back(x - 8 - size.width(), y);
                places.emplace_back(x + 8, y);
            }
        }
        return places;
    }

    QPainter& m_painter;
    const TimelineScale& m_scale;
    const TimelineStyle& m_style;
    QFont m_bold;
    LabelLayout m_layout;
    QRectF m_reserved; ///< The longest stretch of the highest reserved bytes.
    Bytes m_reserved_bytes;
};

} // namespace

TimelineMarks timelineMarks(const diagnose::Analysis& analysis, std::size_t device,
                            const projection::AxisMap& axis)
{
    TimelineMarks marks;
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const trace::Events& events = analysis.snapshot->devices[device].events;
    if (analysis.diagnosis) {
        const diagnose::DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
        marks.capacity = diagnosis.capacity;
        marks.capacity_unsure = diagnosis.capacity_unsure;
    }
    if (replay.stateCount() > 0 && replay.activeAt(replay.peak).value > 0) {
        marks.peak = PeakMark{axis.toX(replay.peak), replay.peak, replay.activeAt(replay.peak),
                              events.count() == 0};
    }
    for (const EventId event : replay.ooms) {
        const label::PhaseSpan* const span =
            analysis.labels ? analysis.labels->devices[device].phaseAt(event) : nullptr;
        marks.ooms.push_back(
            {axis.toX(StateId::before(event)), event, events.size[event.index()],
             events.deviceFree(event),
             span != nullptr ? inSentence(text(label::phaseName(span->phase))) : QString()});
    }
    return marks;
}

QString oomWords(const OomMark& oom, std::size_t times, Bytes top)
{
    const std::array figures{oom.requested, oom.device_free.value_or(oom.requested)};
    const Bytes largest = *std::ranges::max_element(figures);
    const Bytes all = std::max(top, largest);
    const bool is_of_axis = unitBeside(figures, top).name() == tidemark::OneUnit(all).name();
    const Bytes beside = is_of_axis ? all : largest;
    const auto shown = [beside](Bytes bytes) { return OneUnit{beside, bytes}.text(bytes); };
    return (times == 1 ? TimelineWords::tr("requested %1 · free %2")
                       : TimelineWords::tr("last requested %1 · free %2"))
        .arg(shown(oom.requested),
             oom.device_free ? shown(*oom.device_free) : knownText(std::nullopt));
}

std::vector<FlagMark> flagMarks(std::span<const pipeline::Bookmark> bookmarks, std::size_t device,
                                const projection::AxisMap& axis)
{
    std::vector<FlagMark> flags;
    for (const pipeline::Bookmark& mark : bookmarks) {
        if (mark.device == device) {
            flags.push_back({axis.toX(mark.state), text(mark.note).simplified()});
        }
    }
    return flags;
}

double topBytes(const projection::TimelineHeights& heights, const TimelineMarks& marks)
{
    const double drawn =
        std::max(1.0, static_cast<double>(std::max(heights.total, heights.reserved)));
    double top = drawn;
    if (marks.capacity) {
        const auto capacity = static_cast<double>(marks.capacity->value);
        if (capacity <= drawn * kCapacityReach) {
            top = std::max(top, capacity);
        }
    }
    return top * kHeadroom;
}

void paintMarks(QPainter& painter, const TimelineScale& scale,
                const projection::TimelineProjection& projection, const TimelineMarks& marks,
                const TimelineStyle& style)
{
    painter.save();
    MarkPainter paint(painter, scale, style);
    paint.reservedLine(projection);
    if (marks.capacity) {
        paint.capacity(*marks.capacity, marks.capacity_unsure);
    }
    paint.oomLines(marks.ooms);
    if (marks.peak) {
        paint.blockPeak(*marks.peak);
    }
    paint.oomBoxes(marks.ooms); // Before the names of what can be seen elsewhere, too.
    if (marks.peak) {
        paint.peak(*marks.peak);
    }
    if (marks.ghost) {
        paint.ghost(*marks.ghost);
    }
    if (marks.simulated) {
        paint.simulated(*marks.simulated);
    }
    paint.flags(marks.flags);
    paint.reservedLabel();
    painter.restore();
}

} // namespace tidemark::ui
