// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/language.h"
#include "core/base/progress.h"
#include "core/reader/inert_wrappers.h"
#include "core/reader/input_stream.h"
#include "core/reader/limits.h"
#include "core/reader/list_runs.h"
#include "core/reader/memory_watch.h"
#include "core/reader/native_store.h"
#include "core/reader/value_machine.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

namespace tidemark::reader {

/// Runs the opcodes of a pickle on a machine, as they arrive.
class PickleProgram {
public:
    enum class End : std::uint8_t { stop, cut_off, declined, cancelled, no_memory };

    PickleProgram(InputStream& input, NativeStore& store, ValueMachine& machine,
                  const ReaderLimits& limits, ProgressSink& progress, const std::stop_token& stop);

    End run();
    /// Of the last opcode that was looked at; after STOP, of what follows it.
    [[nodiscard]] std::uint64_t offset() const
    {
        return m_at;
    }
    [[nodiscard]] int protocol() const
    {
        return m_protocol;
    }
    /// Of End::no_memory.
    [[nodiscard]] const Error& error() const
    {
        return *m_error;
    }
    /// Why it declined.
    [[nodiscard]] const char* reason() const
    {
        if (m_error) {
            return toSay("it needs far more memory than a snapshot of its size can");
        }
        return m_reason != nullptr ? m_reason : m_machine.reason();
    }

private:
    enum class Step : std::uint8_t {
        ok,
        failed,
        stopped,
        framed, ///< A frame began: the limit has to be looked at.
    };

    [[nodiscard]] const unsigned char* bytesAt(std::uint64_t offset) const
    {
        return reinterpret_cast<const unsigned char*>(m_input.data()) + offset;
    }
    [[nodiscard]] bool refill();
    [[nodiscard]] End endOfFailure() const;
    /// Runs opcodes until m_limit.
    Step runToLimit();
    template <bool is_tail>
    Step runOpcodes();
    Step runOne(const unsigned char*& at);
    Step runRare(const unsigned char*& at);
    Step runLine(const unsigned char*& at);
    [[nodiscard]] static bool isNextItem(const unsigned char* at);
    [[nodiscard]] bool newList(const unsigned char*& at);
    [[nodiscard]] Slot listOfRun(std::string_view run);
    [[nodiscard]] bool text(const unsigned char*& at, std::uint64_t length, bool is_strict);
    [[nodiscard]] bool counted(const unsigned char*& at, std::uint64_t length,
                               std::string_view& bytes);
    [[nodiscard]] bool line(const unsigned char*& at, std::string_view& text);
    [[nodiscard]] bool pushWrapper(std::string_view module, std::string_view name);
    [[nodiscard]] bool stackGlobal();
    [[nodiscard]] bool reduce();
    [[nodiscard]] bool frame(const unsigned char*& at);
    [[nodiscard]] bool reachesPastEnd(const unsigned char* at) const;
    [[nodiscard]] Step decline(const char* reason)
    {
        m_reason = reason;
        return Step::failed;
    }
    [[nodiscard]] static Step asStep(bool is_ok)
    {
        return is_ok ? Step::ok : Step::failed;
    }

    InputStream& m_input;
    NativeStore& m_store;
    ValueMachine& m_machine;
    const ReaderLimits& m_limits;
    MemoryWatch m_watch;
    ProgressSink& m_progress;
    const std::stop_token& m_stop;
    ListRuns m_runs;
    std::vector<Slot> m_scratch;
    const char* m_reason = nullptr;
    std::uint64_t m_at = 0;
    std::uint64_t m_limit = 0; ///< Opcodes that begin before it can be run now.
    std::uint64_t m_available = 0;
    std::uint64_t m_frame_end = 0; ///< 0: not in a frame.
    bool m_is_complete = false; ///< m_available is the end.
    bool m_is_cut_off = false;
    bool m_is_cancelled = false;
    std::optional<Error> m_error;
    int m_protocol = 0;
};

} // namespace tidemark::reader
