// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"
#include "tests/core/replay/memory_checks.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <map>

namespace tidemark::tst_memory_state_files {

using namespace tidemark::replay;

namespace {

/// "a block of 512 B is pending" by address; free blocks are joined where they touch.
using Pieces = std::map<Address, std::string>;

Pieces piecesOf(const trace::Device& device)
{
    Pieces pieces;
    for (const trace::Segment& s : device.segments) {
        Address at = s.address;
        const Address end = s.address + static_cast<Address>(s.total_size.value);
        const auto addFree = [&](Address until) {
            if (at < until) {
                pieces[at] = fmt::format("free {}", until - at);
            }
        };
        for (const trace::Block& b : device.blocksOf(s)) {
            if (b.state == trace::BlockState::inactive) {
                continue;
            }
            addFree(b.address);
            pieces[b.address] =
                fmt::format("{} of {}{}", b.size.value, b.requested.value,
                            b.state == trace::BlockState::active_pending_free ? " pending" : "");
            at = b.address + static_cast<Address>(b.size.value);
        }
        addFree(end);
    }
    return pieces;
}

Pieces piecesOf(const MemoryState& memory, const Allocations& a)
{
    Pieces pieces;
    for (const BlockInState& b : memory.blocks) {
        pieces[b.address] =
            fmt::format("{} of {}{}", b.size.value, a.requested[b.allocation.index()].value,
                        b.is_pending ? " pending" : "");
    }
    for (const Hole& h : memory.holes) {
        pieces[h.address] = fmt::format("free {}", h.size.value);
    }
    return pieces;
}

using Segments = std::map<Address, std::string>;

template <class Of>
std::string traits(const Of& s, Bytes size)
{
    return fmt::format("{} stream {} pool {}/{} {} {}", size.value, s.stream, s.pool.graph,
                       s.pool.user, s.is_small_pool, s.is_expandable);
}

/// Sizes that do not add up to their segment, as in files that other programs made.
bool addsUp(const trace::Device& device)
{
    for (const trace::Segment& s : device.segments) {
        Bytes sum;
        for (const trace::Block& b : device.blocksOf(s)) {
            sum += b.size;
        }
        if (sum != s.total_size) {
            return false;
        }
    }
    return true;
}

} // namespace

class TstMemoryStateFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEndIsTheFilesOwnAndNoStateIsTorn_data()
    {
        QTest::addColumn<QString>("file");
        for (const auto& path : test::recordings()) {
            if (test::isOfPrivateBuild(path)) {
                continue;
            }
            QTest::newRow(path.filename().c_str()) << QString::fromStdString(path.string());
        }
    }
    void theEndIsTheFilesOwnAndNoStateIsTorn()
    {
        QFETCH(QString, file);
        NoProgress progress;
        const trace::Snapshot snapshot = reader::read(file.toStdString(), {}, progress, {}).value();
        const Replay replay = run(snapshot, progress, {}).value();
        const std::vector<BlockSizes> sizes = blockSizeBounds(snapshot, replay);
        for (std::size_t d = 0; d < snapshot.devices.size(); ++d) {
            const std::string difference =
                compare(snapshot.devices[d], replay.devices[d], sizes[d]);
            QVERIFY2(difference.empty(), fmt::format("device {}: {}", d, difference).c_str());
        }
    }

private:
    static std::string compare(const trace::Device& device, const DeviceReplay& replay,
                               const BlockSizes& sizes)
    {
        if (!addsUp(device)) {
            return {};
        }
        const MemoryState end = memoryStateAt(replay, sizes, replay.lastState());
        Segments expected;
        for (const trace::Segment& s : device.segments) {
            expected[s.address] = traits(s, s.total_size);
        }
        Segments actual;
        for (const SegmentState& s : end.segments) {
            actual[s.address] = traits(s, s.size);
        }
        if (actual != expected) {
            return "the segments at the end are others";
        }
        if (piecesOf(end, replay.allocations) != piecesOf(device)) {
            return "the blocks at the end are others";
        }
        const std::size_t stride = std::max<std::size_t>(1, replay.stateCount() / 200);
        for (std::size_t s = 0; s < replay.stateCount(); s += stride) {
            const MemoryState memory =
                memoryStateAt(replay, sizes, {static_cast<std::uint32_t>(s)});
            const std::string fault = test::faultIn(memory, replay);
            if (!fault.empty()) {
                return fmt::format("state {}: {}", s, fault);
            }
            if (replay.violations == 0
                && (memory.total.reserved != replay.reservedAt(memory.state)
                    || !memory.outside.empty() || memory.clipped > 0)) {
                return fmt::format("state {}: {} reserved instead of {}, {} outside, {} clipped", s,
                                   memory.total.reserved.value,
                                   replay.reservedAt(memory.state).value, memory.outside.size(),
                                   memory.clipped);
            }
        }
        return {};
    }
};

TIDEMARK_TEST(TstMemoryStateFiles)

} // namespace tidemark::tst_memory_state_files

#include "tst_memory_state_files.moc"
