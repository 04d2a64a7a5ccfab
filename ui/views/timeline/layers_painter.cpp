// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/layers_painter.h"

#include "core/base/format.h"
#include "ui/models/numbers.h"
#include "ui/models/stack_texts.h"
#include "ui/models/text.h"
#include "ui/views/timeline/timeline_pixels.h"
#include "ui/views/timeline/timeline_words.h"

#include <QtGui/QPainter>
#include <QtGui/QPainterPath>

#include <algorithm>
#include <map>
#include <vector>

namespace tidemark::ui {
namespace {

using projection::AllocationLayers;
using projection::LayerRecord;

/// How far rectangles reach under their right and lower neighbours, in units: no light shines
/// through between them.
constexpr double kOverlap = 0.12;

/// A record that may go on in the next column.
struct OpenRectangle {
    std::uint32_t bottom_px = 0;
    std::uint32_t top_px = 0;
    QRgb colour = 0;
    std::size_t first = 0; ///< Column.

    [[nodiscard]] bool looksLike(const OpenRectangle& other) const
    {
        return bottom_px == other.bottom_px && top_px == other.top_px && colour == other.colour;
    }
};

/// Gathers rectangles by colour.
class Rectangles {
public:
    Rectangles(const TimelineScale& scale, const AllocationLayers& layers)
        : m_scale(scale)
        , m_columns(layers.columns.size())
        , m_per_px(scale.rect.height() / std::max(1, layers.height_px))
    {
    }
    void add(const OpenRectangle& open, std::size_t end)
    {
        const double left = m_scale.columnLeft(open.first, m_columns);
        const double top = m_scale.rect.bottom() - open.top_px * m_per_px;
        const double width = m_scale.columnLeft(end, m_columns) - left;
        m_paths[open.colour].addRect(left, top, width + kOverlap,
                                     (open.top_px - open.bottom_px) * m_per_px + kOverlap);
    }
    void paint(QPainter& painter)
    {
        painter.setPen(Qt::NoPen);
        for (auto& [colour, path] : m_paths) {
            path.setFillRule(Qt::WindingFill);
            painter.fillPath(path, QColor(colour));
        }
    }

private:
    TimelineScale m_scale;
    std::size_t m_columns;
    double m_per_px;
    std::map<QRgb, QPainterPath> m_paths; // A fixed order: the same file every time.
};

/// The rectangles of a column that are not shared with the one before.
void openOwn(std::span<const LayerRecord> records, std::size_t shared, std::size_t column,
             const PickedColours& colours, std::vector<OpenRectangle>& open)
{
    open.resize(shared);
    std::uint32_t bottom = shared == 0 ? 0 : records[shared - 1].top_px;
    for (const LayerRecord& record : records.subspan(shared)) {
        open.push_back({bottom, record.top_px, colours.of(record).of(record), column});
        bottom = record.top_px;
    }
}

/// Lets what goes on keep its beginning, and hands the rest to `rectangles`. Both lists are sorted.
void closeEnded(std::span<const OpenRectangle> before, std::span<OpenRectangle> now,
                std::size_t shared, std::size_t column, Rectangles& rectangles)
{
    std::size_t n = shared;
    for (std::size_t i = shared; i < before.size(); ++i) {
        while (n < now.size() && now[n].top_px < before[i].top_px) {
            ++n;
        }
        if (n < now.size() && now[n].looksLike(before[i])) {
            now[n].first = before[i].first;
        } else if (before[i].top_px > before[i].bottom_px) {
            rectangles.add(before[i], column);
        }
    }
}

QString lifetimeText(const ViewState& state, AllocationId allocation)
{
    const replay::Allocations& all = state.replay().allocations;
    const Interval<StateId> lifetime = all.lifetime(allocation);
    const std::size_t i = allocation.index();
    const bool is_old = lifetime.begin == StateId::start();
    const bool stays = lifetime.end > state.replay().lastState();
    const StateId last = stays ? state.replay().lastState() : lifetime.end;
    const QString from = text(formatEventNumber(lifetime.begin.eventNumber()));
    const QString to = text(formatEventNumber(lifetime.end.eventNumber()));
    QString words = is_old && stays ? TimelineWords::tr("before the trace to its end")
        : is_old                    ? TimelineWords::tr("before the trace to %1").arg(to)
        : stays                     ? TimelineWords::tr("from %1 to the end of the trace").arg(from)
                                    : TimelineWords::tr("from %1 to %2").arg(from, to);
    if (!is_old && !stays) {
        words += QStringLiteral(" · ")
            % TimelineWords::tr("%Ln event|"
                                "%Ln events",
                                nullptr, plural(last.value - lifetime.begin.value));
        const trace::Events& events = state.traceDevice().events;
        if (events.hasTimes() && !all.alloc_event[i].isNone() && !all.free_event[i].isNone()) {
            words += QStringLiteral(", ")
                % durationText(events.time[all.free_event[i].index()]
                               - events.time[all.alloc_event[i].index()]);
        }
    }
    return words;
}

} // namespace

void paintLayers(QPainter& painter, const TimelineScale& scale,
                 const projection::TimelineProjection& projection, const AllocationLayers& layers,
                 const TimelineStyle& style, const Selection* selection)
{
    const PickedColours colours(style, selection);
    Rectangles rectangles(scale, layers);
    std::vector<OpenRectangle> open;
    std::vector<OpenRectangle> before;
    forEachColumn(
        layers, [&](std::size_t column, std::span<const LayerRecord> records, std::size_t shared) {
            before = open;
            openOwn(records, shared, column, colours, open);
            closeEnded(before, open, shared, column, rectangles);
        });
    closeEnded(open, {}, 0, layers.columns.size(), rectangles);

    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    paintCached(painter, scale, projection, style);
    rectangles.paint(painter);
    painter.restore();
}

void paintSelected(QPainter& painter, const TimelineScale& scale, const AllocationLayers& layers,
                   const TimelineStyle& style)
{
    constexpr double kLeastHeight = 2;
    const std::size_t count = layers.columns.size();
    QPainterPath path;
    for (std::size_t i = 0; i < count;) {
        const Interval<std::int64_t> place = layers.columns[i].selected;
        std::size_t end = i + 1;
        while (end < count && layers.columns[end].selected == place) {
            ++end;
        }
        if (!place.isEmpty()) {
            const double left = scale.columnLeft(i, count);
            const double top = scale.y(static_cast<double>(place.end));
            const double height = scale.y(static_cast<double>(place.begin)) - top;
            const double more = std::max(0.0, kLeastHeight - height);
            path.addRect(left, top - more / 2, scale.columnLeft(end, count) - left, height + more);
        }
        i = end;
    }
    if (path.isEmpty()) {
        return;
    }
    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    QColor lift(Qt::white);
    lift.setAlphaF(0.3F);
    const QPainterPath outline = path.simplified();
    painter.fillPath(outline, lift);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(style.colours.card, 3));
    painter.drawPath(outline);
    painter.setPen(QPen(style.colours.text, 1.4));
    painter.drawPath(outline);
    painter.restore();
}

QString allocationWords(const ViewState& state, AllocationId allocation)
{
    const label::DeviceLabels& labels = state.labels();
    const replay::Allocations& all = state.replay().allocations;
    const std::size_t i = allocation.index();
    QString what = text(label::bucketName(labels.bucket[i]));
    const QString role = text(label::roleWords(labels.role[i]));
    if (!role.isEmpty()) {
        what += QStringLiteral(" · ") % role;
    }
    const QString size =
        bytesText(all.requested[i]) % QStringLiteral(" · ") % exactBytesText(all.requested[i]);
    const StackTexts texts(state.analysis().snapshot);
    const StackTexts::Texts& made = texts.of(all.stack[i]);
    QString where = made.line;
    if (!made.operation.isEmpty()) {
        where += (where.isEmpty() ? QString() : QStringLiteral(" · ")) % made.operation;
    }
    QString words = what % u'\n' % size;
    if (!where.isEmpty()) {
        words += u'\n' % where;
    }
    if (!made.caller.isEmpty()) {
        words += u'\n' % TimelineWords::tr("called at %1").arg(made.caller);
    }
    return words % u'\n' % lifetimeText(state, allocation);
}

} // namespace tidemark::ui
