// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/memory_map/memory_map_words.h"

#include "core/base/format.h"
#include "ui/models/numbers.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/look/theme.h"
#include "ui/views/memory_map/memory_map_panel.h"

#include <fmt/format.h>

#include <QtCore/QStringList>

namespace tidemark::ui {
namespace {

using replay::BlockInState;
using replay::Hole;
using replay::SegmentState;

QString freeText(Bytes free, Bytes of)
{
    const double share =
        of.value > 0 ? static_cast<double>(free.value) / static_cast<double>(of.value) : 0.0;
    return MemoryMapPanel::tr("%1 free").arg(percentText(share));
}

const SegmentState& segmentOf(const MemoryScene& scene, const projection::MapHit& hit)
{
    return scene.memory.segments[scene.layout.rows[hit.row].segment];
}

QString addressText(Address address)
{
    return text(fmt::format("0x{:x}", address));
}

QString bucketText(const ViewState& state, AllocationId a)
{
    return text(label::bucketName(state.labels().bucket[a.index()]));
}

QString lineOf(const ViewState& state, AllocationId a, const StackTexts& texts)
{
    const StackId stack = state.replay().allocations.stack[a.index()];
    return stack.isNone() ? QString() : texts.of(stack).where();
}

/// The user's line, where it is another one.
QString callerOf(const ViewState& state, AllocationId a, const StackTexts& texts)
{
    const StackId stack = state.replay().allocations.stack[a.index()];
    return stack.isNone() ? QString() : texts.of(stack).caller;
}

/// "Activation 64.00 MiB, model.py:41 forward": an allocation that a hole lies beside.
QString neighbourText(const ViewState& state, AllocationId a, const StackTexts& texts)
{
    if (a.isNone()) {
        return MemoryMapPanel::tr("the segment's edge");
    }
    const QString line = lineOf(state, a, texts);
    const QString what = bucketText(state, a) + QLatin1Char(' ')
        + bytesText(state.replay().allocations.requested[a.index()]);
    return line.isEmpty() ? what : what + QStringLiteral(", ") + line;
}

QString whenText(const ViewState& state, AllocationId a)
{
    const replay::Allocations& all = state.replay().allocations;
    const EventId made = all.alloc_event[a.index()];
    const EventId freed = all.free_event[a.index()];
    const QString when = made.isNone()
        ? MemoryMapPanel::tr("allocated before the trace")
        : MemoryMapPanel::tr("allocated at event %1").arg(countText(made.value));
    return freed.isNone()
        ? when
        : MemoryMapPanel::tr("%1, free at event %2").arg(when, countText(freed.value));
}

QStringList blockDetails(const ViewState& state, const BlockInState& block, const StackTexts& texts)
{
    const Bytes requested = state.replay().allocations.requested[block.allocation.index()];
    QStringList lines;
    lines << QStringLiteral("%1 · %2").arg(bucketText(state, block.allocation),
                                           bytesText(requested));
    if (block.is_pending) {
        lines << MemoryMapPanel::tr("freed, but another stream may still use it");
    }
    const QString line = lineOf(state, block.allocation, texts);
    lines << (line.isEmpty() ? MemoryMapPanel::tr("no stack recorded") : line);
    if (const QString caller = callerOf(state, block.allocation, texts); !caller.isEmpty()) {
        lines << MemoryMapPanel::tr("called at %1").arg(caller);
    }
    lines << MemoryMapPanel::tr("requested %1").arg(exactBytesText(requested));
    lines << (block.is_exact ? MemoryMapPanel::tr("block %1")
                             : MemoryMapPanel::tr("block at least %1"))
                 .arg(exactBytesText(block.size));
    lines << whenText(state, block.allocation);
    lines << addressText(block.address);
    return lines;
}

QStringList holeDetails(const ViewState& state, const Hole& hole, const StackTexts& texts)
{
    return {MemoryMapPanel::tr("Free · %1").arg(bytesText(hole.size)), exactBytesText(hole.size),
            MemoryMapPanel::tr("after %1").arg(neighbourText(state, hole.before, texts)),
            MemoryMapPanel::tr("before %1").arg(neighbourText(state, hole.behind, texts)),
            addressText(hole.address)};
}

QStringList segmentDetails(const MemoryScene& scene, const SegmentState& s,
                           const std::vector<std::uint64_t>& streams)
{
    QStringList lines{(s.is_expandable ? MemoryMapPanel::tr("mapped pages of %1, %2")
                                       : MemoryMapPanel::tr("segment of %1, %2"))
                          .arg(bytesText(s.size), freeText(s.free(), s.size)),
                      poolTitle(scene.memory.pools[s.totals], streams)};
    if (!s.is_pool_known) {
        lines << MemoryMapPanel::tr("freed before the end; pool unknown");
    }
    return lines;
}

} // namespace

QString poolTitle(const replay::PoolTotals& pool, const std::vector<std::uint64_t>& streams)
{
    const QString stream =
        MemoryMapPanel::tr("stream %1").arg(projection::streamNumber(streams, pool.stream));
    const QString kind =
        pool.is_small_pool ? MemoryMapPanel::tr("small") : MemoryMapPanel::tr("large");
    QString title;
    if (pool.pool.graph != 0) {
        title = MemoryMapPanel::tr("Private pool (graph %1), %2").arg(pool.pool.graph).arg(kind);
    } else if (pool.pool.user != 0) {
        title = MemoryMapPanel::tr("Private pool (user %1), %2").arg(pool.pool.user).arg(kind);
    } else if (!pool.is_pool_known) {
        title = MemoryMapPanel::tr("Unknown pool, %1").arg(kind);
    } else {
        title = pool.is_small_pool ? MemoryMapPanel::tr("Small pool")
                                   : MemoryMapPanel::tr("Large pool");
    }
    return title + QStringLiteral(" · ") + stream;
}

QString poolFigures(const replay::PoolTotals& pool)
{
    const QString count = MemoryMapPanel::tr("%Ln segment|"
                                             "%Ln segments",
                                             nullptr, plural(pool.segments));
    const QString figures =
        QStringLiteral("%1, %2, %3")
            .arg(count, bytesText(pool.reserved), freeText(pool.free, pool.reserved));
    return pool.holes == 0
        ? figures
        : MemoryMapPanel::tr("%1, largest hole %2").arg(figures, bytesText(pool.largest_hole));
}

QString hitLine(const ViewState& state, const MemoryScene& scene, const projection::MapHit& hit,
                const StackTexts& texts)
{
    if (hit.block.has_value()) {
        const BlockInState& block = scene.memory.blocks[*hit.block];
        QStringList parts{bucketText(state, block.allocation)};
        parts << bytesText(state.replay().allocations.requested[block.allocation.index()]);
        if (block.is_pending) {
            parts << MemoryMapPanel::tr("pending free");
        }
        const QString line = lineOf(state, block.allocation, texts);
        parts << (line.isEmpty() ? MemoryMapPanel::tr("no stack") : line);
        return parts.join(QStringLiteral(" · "));
    }
    if (hit.hole.has_value()) {
        const Hole& hole = scene.memory.holes[*hit.hole];
        return MemoryMapPanel::tr("Free %1 · before %2")
            .arg(bytesText(hole.size), neighbourText(state, hole.behind, texts));
    }
    return {};
}

QString hitDetails(const ViewState& state, const MemoryScene& scene, const projection::MapHit& hit,
                   const StackTexts& texts, const std::vector<std::uint64_t>& streams)
{
    const projection::MapRow& row = scene.layout.rows[hit.row];
    QStringList lines;
    if (row.isHeading()) {
        lines << poolTitle(scene.memory.pools[row.pool], streams)
              << poolFigures(scene.memory.pools[row.pool])
              << MemoryMapPanel::tr("Full width: the largest segment of the pool.");
        return lines.join(QLatin1Char('\n'));
    }
    if (hit.block.has_value()) {
        lines << blockDetails(state, scene.memory.blocks[*hit.block], texts);
    } else if (hit.hole.has_value()) {
        lines << holeDetails(state, scene.memory.holes[*hit.hole], texts);
    }
    lines << segmentDetails(scene, segmentOf(scene, hit), streams);
    return lines.join(QLatin1Char('\n'));
}

QString sumLine(const MemoryScene& scene)
{
    const replay::PoolTotals& total = scene.memory.total;
    const OneUnit unit(total.reserved);
    const QString secondary = currentColours().secondary.name();
    QStringList parts;
    const auto add = [&](const QString& name, const QString& value) {
        parts << QStringLiteral("<span style='color:%1'>%2</span>&nbsp;%3")
                     .arg(secondary, name, QString(value).replace(QLatin1Char(' '), QChar(0xa0)));
    };
    add(MemoryMapPanel::tr("reserved"), unit.text(total.reserved));
    add(MemoryMapPanel::tr("active"),
        (scene.is_exact ? QString() : QStringLiteral("≥ ")) + unit.text(total.active));
    if (total.pending > Bytes{}) {
        add(MemoryMapPanel::tr("pending free"), unit.text(total.pending));
    }
    add(MemoryMapPanel::tr("free blocks"),
        (scene.is_exact ? QString() : QStringLiteral("≤ ")) + unit.text(total.free));
    add(MemoryMapPanel::tr("largest free block"), unit.text(total.largest_hole));
    add(MemoryMapPanel::tr("lost in holes"),
        percentText(scene.fragmentation.shareOf(total.reserved)));
    return parts.join(QStringLiteral(" &nbsp; "));
}

QString sumExplanation(const MemoryScene& scene)
{
    const replay::PoolTotals& total = scene.memory.total;
    QStringList lines;
    lines << MemoryMapPanel::tr("reserved %1").arg(exactBytesText(total.reserved))
          << MemoryMapPanel::tr("active %1, in whole blocks").arg(exactBytesText(total.active))
          << MemoryMapPanel::tr("free blocks %1: cached, without what requests round up to")
                 .arg(exactBytesText(total.free))
          << MemoryMapPanel::tr("lost in holes: free outside the largest free block, as a share of "
                                "reserved, without private pools");
    if (!scene.is_exact) {
        lines << MemoryMapPanel::tr("Some blocks may be larger than recorded.");
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace tidemark::ui
