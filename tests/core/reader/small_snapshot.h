// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/reader.h"
#include "tests/support/pickle_writer.h"

#include <QtTest/QTest>

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::test {

inline void writeFrames(PickleWriter& w)
{
    w.list([&] {
        w.dict([&] {
            w.key("name").text("forward").key("filename").text("model.py").key("line").integer(7);
        });
        w.dict([&] {
            w.key("name").text("<module>").key("filename").text("train.py").key("line").integer(70);
        });
    });
}

inline void writeEvent(PickleWriter& w, std::string_view action, std::uint64_t address,
                       std::int64_t size)
{
    w.dict([&] {
        w.key("action").text(action);
        w.key(action == "oom" ? "device_free" : "addr").unsignedInteger(address);
        w.key("size").integer(size).key("stream").integer(0).key("time_us").integer(1'700'000'000);
        w.key("frames");
        writeFrames(w);
    });
}

/// One segment of 2 MiB with one active block of 512 bytes, and the two events that made them.
inline PickleWriter smallSnapshot(int protocol = 4)
{
    constexpr std::int64_t kAddress = 0x7f0000000000;
    PickleWriter w(protocol);
    const auto block = [&](std::int64_t at, std::int64_t size, std::string_view state) {
        w.dict([&] {
            w.key("address").integer(at).key("size").integer(size);
            w.key("requested_size").integer(400).key("state").text(state).key("frames");
            writeFrames(w);
        });
    };
    const auto segment = [&] {
        w.key("device").integer(0).key("address").integer(kAddress);
        w.key("total_size").integer(2 << 20).key("stream").integer(0);
        w.key("segment_type").text("small").key("is_expandable").boolean(false);
        w.key("segment_pool_id").tuple([&] { w.integer(0).integer(0); });
        w.key("blocks").list([&] {
            block(kAddress, 512, "active_allocated");
            block(kAddress + 512, (2 << 20) - 512, "inactive");
        });
    };
    w.dict([&] {
        w.key("segments").list([&] { w.dict(segment); });
        w.key("device_traces").list([&] {
            w.list([&] {
                writeEvent(w, "segment_alloc", kAddress, 2 << 20);
                writeEvent(w, "alloc", kAddress, 400);
            });
        });
    });
    return w;
}

/// A root dictionary with one device trace of one event, whose entries `fill` writes.
template <class Fill>
PickleWriter oneEvent(Fill&& fill, int protocol = 4)
{
    PickleWriter w(protocol);
    w.dict([&] {
        w.key("segments").list([] {});
        w.key("device_traces").list([&] { w.list([&] { w.dict([&] { fill(w); }); }); });
    });
    return w;
}

inline Result<trace::Snapshot> readString(std::string_view content,
                                          const reader::ReadOptions& options = {})
{
    NoProgress progress;
    return reader::readBytes(std::as_bytes(std::span(content)), options, progress, {});
}

/// The snapshot, or a failed test.
inline trace::Snapshot readOrFail(const PickleWriter& w)
{
    auto result = readString(w.string());
    if (!result.has_value()) {
        QTest::qFail(result.error().message.c_str(), __FILE__, __LINE__);
        return {};
    }
    return std::move(result).value();
}

/// The error's code and sentence, or "read".
inline std::string outcome(const Result<trace::Snapshot>& result)
{
    return result.has_value()
        ? "read"
        : std::to_string(static_cast<int>(result.error().code)) + " " + result.error().message;
}

} // namespace tidemark::test
