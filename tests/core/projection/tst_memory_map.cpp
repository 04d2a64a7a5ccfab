// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/memory_map.h"
#include "tests/core/replay/memory_checks.h"
#include "tests/support/random_memory.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace tidemark::tst_memory_map {

using namespace tidemark::projection;
using replay::MemoryState;
using replay::SegmentState;

namespace {

/// A random run at its end with buckets that follow from the numbers of the allocations.
struct Scene {
    test::ReplayedMemory run;
    label::DeviceLabels labels;
    MemoryState memory;
    MapLayout layout;

    explicit Scene(unsigned seed, std::size_t events = 400)
        : run(test::RandomMemory(seed, events, true).snapshot(0))
        , memory(run.at(events))
        , layout(layoutMemoryMap(memory))
    {
        for (std::size_t i = 0; i < run.device().allocations.count(); ++i) {
            labels.bucket.push_back(label::bucketAt(i * 7 % label::kBucketCount));
        }
    }
    [[nodiscard]] MemoryMapProjection project(const MapView& view) const
    {
        return projectMemoryMap(memory, layout, labels, view);
    }
};

/// A block or hole with its pixels, computed without scales.
struct Piece {
    std::uint32_t row = 0;
    double left = 0;
    double right = 0;
    AllocationId allocation;
    std::uint32_t index = 0;
    Bytes size;
};

std::vector<Piece> piecesOf(const Scene& scene, const MapView& view)
{
    std::vector<Piece> pieces;
    for (std::uint32_t row = 0; row < scene.layout.rows.size(); ++row) {
        const MapRow& of = scene.layout.rows[row];
        if (of.isHeading()) {
            continue;
        }
        const SegmentState& s = scene.memory.segments[of.segment];
        const double widest = static_cast<double>(scene.layout.widest[of.pool].value);
        const auto toX = [&](double bytes) {
            return (bytes / widest - view.offset) * view.zoom * view.width_px;
        };
        const auto add = [&](Address address, Bytes size, AllocationId a, std::uint32_t index) {
            const double from = static_cast<double>(address - s.address);
            pieces.push_back(
                {row, toX(from), toX(from + static_cast<double>(size.value)), a, index, size});
        };
        for (std::uint32_t i = 0; i < s.block_count; ++i) {
            const replay::BlockInState& b = scene.memory.blocks[s.first_block + i];
            add(b.address, b.size, b.allocation, s.first_block + i);
        }
        for (std::uint32_t i = 0; i < s.hole_count; ++i) {
            const replay::Hole& h = scene.memory.holes[s.first_hole + i];
            add(h.address, h.size, AllocationId::none(), s.first_hole + i);
        }
    }
    return pieces;
}

MapView wholeView(const Scene& scene, int width)
{
    MapView view;
    view.width_px = width;
    view.row_px = 10;
    view.height_px = 10 * static_cast<int>(scene.layout.rows.size());
    return view;
}

/// A cell against the pieces whose middle lies in it; empty if they agree.
std::string compareCell(const Scene& scene, const MapCell& cell, const std::vector<Piece>& pieces)
{
    std::array<std::int64_t, label::kBucketCount> bytes{};
    Bytes in_blocks;
    Bytes in_holes;
    Bytes largest;
    std::uint32_t blocks = 0;
    std::uint32_t holes = 0;
    for (const Piece& p : pieces) {
        const double middle = (p.left + p.right) / 2;
        if (p.row != cell.row || middle < cell.left_px || middle >= cell.right_px) {
            continue;
        }
        if (p.allocation.isNone()) {
            in_holes += p.size;
            ++holes;
        } else {
            bytes[label::indexOf(scene.labels.bucket[p.allocation.index()])] += p.size.value;
            in_blocks += p.size;
            largest = std::max(largest, p.size);
            ++blocks;
        }
        if (p.right - p.left >= 1 && cell.blocks + cell.holes != 1) {
            return "a wide piece was merged";
        }
    }
    if (cell.blocks != blocks || cell.holes != holes || cell.block_bytes != in_blocks
        || cell.hole_bytes != in_holes) {
        return fmt::format("{} blocks and {} holes instead of {} and {}", cell.blocks, cell.holes,
                           blocks, holes);
    }
    if (blocks > 0 && bytes[label::indexOf(cell.bucket)] != *std::ranges::max_element(bytes)) {
        return "another bucket has more bytes";
    }
    if (cell.allocation.isNone() != (blocks == 0)
        || cell.only.isNone() != (blocks != 1 || holes != 0)) {
        return "another allocation";
    }
    return {};
}

} // namespace

class TstMemoryMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsAreGroupedByPoolAndTheLargestComesFirst()
    {
        const Scene scene(1);
        std::vector<bool> seen(scene.memory.segments.size());
        std::uint32_t pool = 0;
        for (std::size_t i = 0; i < scene.layout.rows.size(); ++i) {
            const MapRow& row = scene.layout.rows[i];
            if (row.isHeading()) {
                QVERIFY(i == 0
                        || scene.memory.pools[pool].reserved
                            >= scene.memory.pools[row.pool].reserved);
                pool = row.pool;
                continue;
            }
            QCOMPARE(row.pool, pool);
            const SegmentState& s = scene.memory.segments[row.segment];
            QVERIFY(s.pool == scene.memory.pools[pool].pool
                    && s.stream == scene.memory.pools[pool].stream
                    && s.is_small_pool == scene.memory.pools[pool].is_small_pool);
            QVERIFY(!seen[row.segment]);
            seen[row.segment] = true;
            const MapRow& above = scene.layout.rows[i - 1];
            if (above.isHeading()) {
                QCOMPARE(scene.layout.widest[pool].value, s.size.value);
            } else {
                QVERIFY(scene.memory.segments[above.segment].size >= s.size);
            }
        }
        QVERIFY(std::ranges::find(seen, false) == seen.end());
    }
    void nothingIsLostAtAnyWidth()
    {
        for (const int width : {1, 7, 60, 500, 3000}) {
            const Scene scene(2, 800);
            const MapView view = wholeView(scene, width);
            const MemoryMapProjection p = scene.project(view);
            std::uint32_t blocks = 0;
            std::uint32_t holes = 0;
            Bytes active;
            Bytes pending;
            Bytes free;
            std::vector<int> per_row(scene.layout.rows.size());
            for (const MapCell& cell : p.cells) {
                blocks += cell.blocks;
                holes += cell.holes;
                active += cell.block_bytes;
                pending += cell.pending_bytes;
                free += cell.hole_bytes;
                QVERIFY(++per_row[cell.row] <= 2 * width + 1);
            }
            const replay::PoolTotals& total = scene.memory.total;
            QCOMPARE(blocks, total.blocks);
            QCOMPARE(holes, total.holes);
            QCOMPARE(active.value, total.active.value);
            QCOMPARE(pending.value, total.pending.value);
            QCOMPARE(free.value, total.free.value);
            QCOMPARE(p.bars.size(), scene.layout.rows.size());
        }
    }
    void everyCellIsTheSumOfWhatLiesInIt()
    {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            const Scene scene(seed, 600);
            for (const int width : {3, 40, 300}) {
                MapView view = wholeView(scene, width);
                const std::vector<Piece> pieces = piecesOf(scene, view);
                double right = 0;
                std::uint32_t row = 0;
                for (const MapCell& cell : scene.project(view).cells) {
                    const std::string difference = compareCell(scene, cell, pieces);
                    QVERIFY2(difference.empty(),
                             fmt::format("seed {}: {}", seed, difference).c_str());
                    // Each begins where the one before ends: together they are the segment.
                    QVERIFY(std::abs(cell.left_px - (cell.row == row ? right : 0.0)) < 1e-6);
                    row = cell.row;
                    right = cell.right_px;
                }
            }
        }
    }
    void aPartOfTheMapHoldsWhatCanBeSeenOfIt()
    {
        const Scene scene(3, 600);
        std::mt19937 random(5);
        for (int i = 0; i < 100; ++i) {
            MapView view = wholeView(scene, 200);
            view.height_px = 73;
            view.zoom = 1 + static_cast<double>(random() % 1000) / 10;
            view.offset = static_cast<double>(random() % 1000) / 1000;
            view.scroll_px = static_cast<std::int64_t>(random() % 300);
            view = bounded(view, scene.layout);
            const MemoryMapProjection p = scene.project(view);
            std::uint32_t expected = 0;
            for (const Piece& piece : piecesOf(scene, view)) {
                const std::int64_t top = std::int64_t{piece.row} * 10 - view.scroll_px;
                expected += piece.right > 1e-6 && piece.left < 200 - 1e-6 && top > -10 && top < 73;
            }
            std::uint32_t actual = 0;
            for (const MapCell& cell : p.cells) {
                actual += cell.blocks + cell.holes;
            }
            QCOMPARE(actual, expected);
            for (const MapBar& bar : p.bars) {
                QVERIFY(bar.top_px > -10 && bar.top_px < 73);
                QVERIFY(bar.left_px >= 0 && bar.right_px <= 200);
            }
        }
    }
    void everyPieceIsHitInItsMiddleHoweverThin()
    {
        const Scene scene(4, 600);
        for (const double zoom : {1.0, 30.0}) {
            MapView view = wholeView(scene, 50);
            view.zoom = zoom;
            view.offset = zoom > 1 ? 0.2 : 0;
            for (const Piece& p : piecesOf(scene, view)) {
                const double x = (p.left + p.right) / 2;
                const auto hit = hitMemoryMap(scene.memory, scene.layout, view, x, p.row * 10 + 5);
                if (x < 0 || x >= 50) {
                    QVERIFY(!hit->block.has_value() && !hit->hole.has_value());
                    continue;
                }
                QCOMPARE(hit->row, p.row);
                QCOMPARE(hit->block.has_value(), !p.allocation.isNone());
                QCOMPARE(hit->block.has_value() ? *hit->block : hit->hole.value(), p.index);
            }
        }
        const MapView view = wholeView(scene, 50);
        QVERIFY(!hitMemoryMap(scene.memory, scene.layout, view, 5, -1).has_value());
        QVERIFY(!hitMemoryMap(scene.memory, scene.layout, view, 5, view.height_px).has_value());
        QVERIFY(!hitMemoryMap(scene.memory, scene.layout, view, 5, 5)->block.has_value());
    }
    void aBlockIsFoundWhereItIsHit()
    {
        const Scene scene(6);
        const MapView view = wholeView(scene, 900);
        for (const replay::BlockInState& b : scene.memory.blocks) {
            const auto place = placeInMemoryMap(scene.memory, scene.layout, view, b.allocation);
            const double x = (place->left_px + place->right_px) / 2;
            const auto hit = hitMemoryMap(scene.memory, scene.layout, view, x, place->row * 10 + 1);
            QVERIFY(scene.memory.blocks[hit->block.value()].allocation == b.allocation);
        }
        QVERIFY(!placeInMemoryMap(scene.memory, scene.layout, view, AllocationId::none()));
    }
    void zoomingKeepsTheAddressUnderThePixelAndPanningTakesItAlong()
    {
        const Scene scene(7);
        MapView view = wholeView(scene, 400);
        view.height_px = 30;
        const auto addressAt = [&](const MapView& v, double x, double y) {
            return hitMemoryMap(scene.memory, scene.layout, v, x, y)->address;
        };
        const double x = 130.5; // in the first segment of a pool, which spans the width
        const MapView closer = bounded(zoomedAround(view, x, 8), scene.layout);
        QCOMPARE(closer.zoom, 8.0);
        const auto difference = static_cast<double>(addressAt(closer, x, 15))
            - static_cast<double>(addressAt(view, x, 15));
        QVERIFY(std::abs(difference) <= 1);
        const MapView moved = bounded(panned(closer, -40, -10), scene.layout);
        QVERIFY(std::abs(static_cast<double>(addressAt(moved, x - 40, 5))
                         - static_cast<double>(addressAt(closer, x, 15)))
                <= 1);
    }
    void noViewLeavesTheMap()
    {
        const Scene scene(8);
        MapView view = wholeView(scene, 400);
        view.height_px = 50;
        view.zoom = 1e30;
        view.offset = -4;
        view.scroll_px = 1'000'000;
        view = bounded(view, scene.layout);
        QCOMPARE(view.offset, 0.0);
        QVERIFY(view.zoom * 400 * 64 <= 41943040.0 * 40);
        QCOMPARE(view.scroll_px, static_cast<std::int64_t>(scene.layout.rows.size()) * 10 - 50);
        view.zoom = 0.01;
        view.scroll_px = -3;
        view = bounded(view, scene.layout);
        QCOMPARE(view.zoom, 1.0);
        QCOMPARE(view.scroll_px, 0);
    }
    void anEmptyStateHasNoRows()
    {
        const MemoryState memory;
        const MapLayout layout = layoutMemoryMap(memory);
        const MapView view = bounded({100, 100, 10, 5, 3, 0.5}, layout);
        QVERIFY(projectMemoryMap(memory, layout, {}, view).bars.empty());
        QVERIFY(!hitMemoryMap(memory, layout, view, 5, 5).has_value());
    }
    void streamsAreNumberedAsTheyAppear()
    {
        replay::SegmentSpans spans;
        spans.stream = {96, 0, 96, 32};
        const std::vector<std::uint64_t> streams = streamsByAppearance(spans);
        QCOMPARE(streamNumber(streams, 0), 0UL);
        QCOMPARE(streamNumber(streams, 96), 1UL);
        QCOMPARE(streamNumber(streams, 32), 2UL);
        QCOMPARE(streamNumber(streams, 7), 3UL);
    }
};

TIDEMARK_TEST(TstMemoryMap)

} // namespace tidemark::tst_memory_map

#include "tst_memory_map.moc"
