// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/json_reader.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/reader/decoder_sink.h"
#include "core/reader/memory_watch.h"
#include "core/reader/printable.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace tidemark::reader {
namespace {

constexpr std::uint64_t kJsonChunk = std::uint64_t{512} << 10;

/// The bytes of the stream one after another, as nlohmann's parser wants them. It is told that they
/// end where reading was stopped.
class JsonBytes {
public:
    /// `steps` grows with each value: where it does not, one text or number goes on and on.
    JsonBytes(InputStream& input, const ValueMachine& machine, const std::uint64_t& steps,
              const ReaderLimits& limits, ProgressSink& progress, const std::stop_token& stop)
        : m_input(input)
        , m_watch(machine, limits)
        , m_steps(steps)
        , m_limits(limits)
        , m_progress(progress)
        , m_stop(stop)
    {
    }

    [[nodiscard]] bool hasNext()
    {
        return m_at < m_available || refill();
    }
    [[nodiscard]] char next() const
    {
        return static_cast<char>(m_input.data()[m_at]);
    }
    void advance()
    {
        ++m_at;
    }
    [[nodiscard]] std::uint64_t offset() const
    {
        return m_at;
    }
    /// Why reading was stopped, if it was.
    [[nodiscard]] const std::optional<Error>& error() const
    {
        return m_error;
    }

private:
    bool refill()
    {
        m_input.releaseBefore(m_at);
        std::uint64_t filled = m_at;
        while (filled == m_at && !m_error) {
            const bool is_complete = m_input.isComplete();
            filled = m_input.waitFor(m_at + 1);
            if (m_stop.stop_requested()) {
                m_error = Error{ErrorCode::cancelled, say("Reading was cancelled.")};
            } else if (filled == m_at && is_complete) {
                m_error = m_input.error();
                if (m_error && m_error->code == ErrorCode::damaged) {
                    m_error.reset(); // What came before it is good.
                }
                return false;
            } else {
                m_error = m_watch.problem(filled);
            }
        }
        if (!m_error && isOneValueTooLong()) {
            m_error =
                Error{ErrorCode::tooLarge,
                      say("At byte {} the file holds a text longer than {}; a memory "
                          "snapshot does not, so Tidemark refuses it.",
                          m_value_at, Bytes{static_cast<std::int64_t>(m_limits.max_text_bytes)}),
                      m_value_at};
        }
        m_available = std::min(filled, m_at + kJsonChunk);
        m_progress.report("reading", m_input.fraction(m_at, filled));
        return !m_error;
    }

    /// nlohmann's parser keeps a value whole until it ends.
    bool isOneValueTooLong()
    {
        if (m_steps != m_steps_seen) {
            m_steps_seen = m_steps;
            m_value_at = m_at;
        }
        return m_at - m_value_at > m_limits.max_text_bytes;
    }

    InputStream& m_input;
    MemoryWatch m_watch;
    const std::uint64_t& m_steps;
    const ReaderLimits& m_limits;
    ProgressSink& m_progress;
    const std::stop_token& m_stop;
    std::uint64_t m_at = 0;
    std::uint64_t m_available = 0;
    std::uint64_t m_steps_seen = 0;
    std::uint64_t m_value_at = 0; ///< No value ended after it.
    std::optional<Error> m_error;
};

/// Two of these are equal when both are at the end.
class BytesIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    BytesIterator() = default;
    explicit BytesIterator(JsonBytes& bytes)
        : m_bytes(&bytes)
    {
    }
    char operator*() const
    {
        return m_bytes->next();
    }
    BytesIterator& operator++()
    {
        m_bytes->advance();
        return *this;
    }
    BytesIterator operator++(int)
    {
        const BytesIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const BytesIterator& a, const BytesIterator& b)
    {
        return a.isAtEnd() == b.isAtEnd();
    }

private:
    [[nodiscard]] bool isAtEnd() const
    {
        return m_bytes == nullptr || !m_bytes->hasNext();
    }

    JsonBytes* m_bytes = nullptr;
};

/// JSON as steps of the machine. The member names are nlohmann's.
class Steps {
public:
    Steps(NativeStore& store, ValueMachine& machine, const ReaderLimits& limits)
        : m_store(store)
        , m_machine(machine)
        , m_limits(limits)
    {
    }

    bool null()
    {
        return push(Slot::of(SlotKind::none));
    }
    bool boolean(bool value)
    {
        return push(Slot::of(SlotKind::boolean, value ? 1 : 0));
    }
    bool number_integer(std::int64_t number)
    {
        return push(m_store.integer(number));
    }
    bool number_unsigned(std::uint64_t number)
    {
        return push(m_store.integer(static_cast<std::int64_t>(number)));
    }
    bool number_float(double number, const std::string& text)
    {
        const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
        return push(is_whole ? Slot::of(SlotKind::huge_integer) : m_store.floating(number));
    }
    bool string(const std::string& text)
    {
        const std::optional<Slot> slot = m_store.text(text);
        return slot && push(*slot);
    }
    static bool binary(const nlohmann::json::binary_t& /*value*/)
    {
        return false; // JSON has none.
    }
    bool key(const std::string& name)
    {
        return string(name);
    }
    bool start_object(std::size_t /*count*/)
    {
        return enter() && m_machine.emptyDict() && mark();
    }
    bool end_object()
    {
        --m_depth;
        return m_machine.setItems(true);
    }
    bool start_array(std::size_t /*count*/)
    {
        return enter() && m_machine.emptyList() && mark();
    }
    bool end_array()
    {
        --m_depth;
        return m_machine.appends();
    }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::json::exception& /*problem*/)
    {
        m_problem_offset = position;
        return false;
    }
    [[nodiscard]] std::optional<std::uint64_t> problemOffset() const
    {
        return m_problem_offset;
    }
    /// Values so far.
    [[nodiscard]] const std::uint64_t& count() const
    {
        return m_count;
    }
    [[nodiscard]] bool isTooDeep() const
    {
        return m_depth > m_limits.max_nesting;
    }

private:
    bool enter()
    {
        ++m_depth;
        ++m_count;
        return !isTooDeep();
    }
    bool mark()
    {
        m_machine.mark();
        return true;
    }
    bool push(Slot slot)
    {
        ++m_count;
        m_machine.push(slot);
        return true;
    }

    NativeStore& m_store;
    ValueMachine& m_machine;
    const ReaderLimits& m_limits;
    std::uint64_t m_count = 0;
    std::uint32_t m_depth = 0;
    std::optional<std::uint64_t> m_problem_offset;
};

Error damagedError(std::uint64_t offset, std::string_view reason)
{
    return {ErrorCode::damaged,
            say("The file is damaged at byte {} ({}); copy it again or record a new one.", offset,
                translated(reason)),
            offset};
}

} // namespace

Result<NativeReading> readJson(InputStream& input, trace::SnapshotBuilder& builder,
                               const ReaderLimits& limits, ProgressSink& progress,
                               const std::stop_token& stop)
{
    NativeStore store;
    SnapshotDecoder decoder(store, builder, limits, progress, stop);
    DecoderSink sink(decoder, store, builder);
    ValueMachine machine(store, sink, limits);
    Steps steps(store, machine, limits);
    JsonBytes bytes(input, machine, steps.count(), limits, progress, stop);
    progress.report("reading", 0.0);
    const bool is_read = nlohmann::json::sax_parse(BytesIterator(bytes), BytesIterator(), &steps);
    if (bytes.error()) {
        return *bytes.error();
    }
    NativeReading reading;
    reading.protocol = -1;
    reading.offset = bytes.offset();
    const bool is_cut = !is_read && !bytes.hasNext();
    if (!is_read && steps.isTooDeep()) {
        return Error{ErrorCode::tooLarge,
                     say("At byte {} the file nests values deeper than {} levels; a memory "
                         "snapshot does not, so Tidemark refuses it.",
                         reading.offset, limits.max_nesting),
                     reading.offset};
    }
    if (!is_read && !is_cut) {
        return damagedError(reading.offset,
                            steps.problemOffset() ? toSay("not JSON") : machine.reason());
    }
    const Slot root = is_cut ? machine.salvage() : machine.root();
    if (root.isAbsent()) {
        return is_cut ? Error{ErrorCode::damaged,
                              say("The file is cut off before any snapshot data; copy it again."),
                              reading.offset}
                      : damagedError(reading.offset, machine.reason());
    }
    decoder.setInputBytes(reading.offset);
    const Result<Done> done = decoder.finish(NativeStore::nodeOf(root));
    if (!done.has_value()) {
        return done.error();
    }
    reading.end = is_cut ? NativeReading::End::cut_off : NativeReading::End::complete;
    reading.events = machine.entryCount();
    reading.cut_device = machine.cutDevice();
    return reading;
}

} // namespace tidemark::reader
