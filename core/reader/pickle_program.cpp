// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/pickle_program.h"

#include "core/base/language.h"
#include "core/reader/opcode_stream.h"
#include "core/reader/pickle_literals.h"

#include <algorithm>
#include <cstring>

namespace tidemark::reader {
namespace {

/// Between two looks at the clock, the stop and the memory: about a millisecond of work.
constexpr std::uint64_t kPickleChunk = std::uint64_t{512} << 10;

} // namespace

PickleProgram::PickleProgram(InputStream& input, NativeStore& store, ValueMachine& machine,
                             const ReaderLimits& limits, ProgressSink& progress,
                             const std::stop_token& stop)
    : m_input(input)
    , m_store(store)
    , m_machine(machine)
    , m_limits(limits)
    , m_watch(machine, limits)
    , m_progress(progress)
    , m_stop(stop)
{
}

PickleProgram::End PickleProgram::run()
{
    m_progress.report("reading", 0.0);
    while (true) {
        if (!refill()) {
            return endOfFailure();
        }
        switch (runToLimit()) {
        case Step::stopped:
            return End::stop;
        case Step::failed:
            return endOfFailure();
        case Step::ok:
        case Step::framed:
            break;
        }
    }
}

PickleProgram::End PickleProgram::endOfFailure() const
{
    if (m_is_cancelled) {
        return End::cancelled;
    }
    if (m_error) {
        return m_error->code == ErrorCode::outOfMemory ? End::no_memory : End::declined;
    }
    return m_is_cut_off ? End::cut_off : End::declined;
}

/// Sees to it that m_limit lies behind m_at; false where there is nothing more to run.
bool PickleProgram::refill()
{
    if (m_frame_end != 0 && m_at >= m_frame_end) {
        if (m_at > m_frame_end) {
            // CPython drops the rest of the frame there and reads other instructions than these.
            m_reason = toSay("a value crosses the end of its frame");
            return false;
        }
        m_frame_end = 0;
    }
    m_input.releaseBefore(m_at);
    do {
        if (m_stop.stop_requested()) {
            m_is_cancelled = true;
            return false;
        }
        m_is_complete = m_input.isComplete(); // Before the count: it is final only then.
        m_available = m_input.waitFor(m_at + InputStream::kPadding + kPickleChunk);
        m_progress.report("reading", m_input.fraction(m_at, m_available));
    } while (!m_is_complete && m_available < m_at + 2 * InputStream::kPadding);
    if (m_at >= m_available) {
        m_is_cut_off = true;
        return false;
    }
    m_machine.progressed(m_input.fraction(m_at, m_available));
    m_error = m_watch.problem(m_available);
    if (m_error) {
        return false;
    }
    m_limit = m_is_complete ? m_available : m_available - InputStream::kPadding;
    m_limit = std::min(m_limit, m_at + kPickleChunk);
    if (m_frame_end != 0) {
        m_limit = std::min(m_limit, m_frame_end);
    }
    return true;
}

PickleProgram::Step PickleProgram::runToLimit()
{
    // An opcode near the end of the file can ask for more than is there; behind it lie zeroes.
    const bool is_tail = m_is_complete && m_limit + InputStream::kPadding > m_available;
    return is_tail ? runOpcodes<true>() : runOpcodes<false>();
}

/// Whether another dictionary or the end of the list follows, perhaps behind the head of a frame.
bool PickleProgram::isNextItem(const unsigned char* at)
{
    const unsigned char next = *at == 0x95 ? at[9] : *at;
    return next == '}' || next == 'e';
}

template <bool is_tail>
PickleProgram::Step PickleProgram::runOpcodes()
{
    const unsigned char* at = bytesAt(m_at);
    const unsigned char* const limit = bytesAt(m_limit);
    const unsigned char* begin = at;
    Step step = Step::ok;
    while (at < limit && step == Step::ok) {
        begin = at;
        if (is_tail && reachesPastEnd(at)) {
            m_is_cut_off = true;
            step = Step::failed;
        } else {
            step = runOne(at);
        }
    }
    m_at = static_cast<std::uint64_t>((step == Step::failed ? begin : at) - bytesAt(0));
    return step == Step::framed ? Step::ok : step;
}

bool PickleProgram::reachesPastEnd(const unsigned char* at) const
{
    const std::uint64_t offset = static_cast<std::uint64_t>(at - bytesAt(0));
    const OpcodeStream rest({m_input.data() + offset, m_available - offset});
    return rest.argumentAt(0).state == Argument::State::cut_off;
}

inline PickleProgram::Step PickleProgram::runOne(const unsigned char*& at)
{
    const unsigned char op = *at++;
    switch (op) {
    case 'h': // BINGET
        return asStep(m_machine.get(*at++));
    case 'j': // LONG_BINGET
        at += 4;
        return asStep(m_machine.get(littleEndian<std::uint32_t>(at - 4)));
    case 0x94: // MEMOIZE
        return asStep(m_machine.memoize());
    case 'q': // BINPUT
        return asStep(m_machine.put(*at++));
    case 'r': // LONG_BINPUT
        at += 4;
        return asStep(m_machine.put(littleEndian<std::uint32_t>(at - 4)));
    case '(': // MARK
        m_machine.mark();
        return Step::ok;
    case 'K': // BININT1
        m_machine.push(Slot::ofNumber(*at++));
        return Step::ok;
    case 'M': // BININT2
        at += 2;
        m_machine.push(Slot::ofNumber(littleEndian<std::uint16_t>(at - 2)));
        return Step::ok;
    case 'J': // BININT
        at += 4;
        m_machine.push(Slot::ofNumber(littleEndian<std::int32_t>(at - 4)));
        return Step::ok;
    case 0x8a: { // LONG1
        const std::uint64_t length = *at++;
        at += length;
        m_machine.push(integerFromBytes(m_store, bytesView(at - length, length)));
        return Step::ok;
    }
    case 0x8c: { // SHORT_BINUNICODE
        const std::uint64_t length = *at++;
        return asStep(text(at, length, false));
    }
    case 'X': // BINUNICODE
        at += 4;
        return asStep(text(at, littleEndian<std::uint32_t>(at - 4), false));
    case '}': // EMPTY_DICT
        return asStep(m_machine.emptyDict());
    case ']': // EMPTY_LIST
        return asStep(newList(at));
    case 'u': // SETITEMS
        return asStep(m_machine.setItems(isNextItem(at)));
    case 's': // SETITEM
        return asStep(m_machine.setItem());
    case 'e': // APPENDS
        return asStep(m_machine.appends());
    case 'a': // APPEND
        return asStep(m_machine.append());
    case 'N': // NONE
        m_machine.push(Slot::of(SlotKind::none));
        return Step::ok;
    case 0x88: // NEWTRUE
    case 0x89: // NEWFALSE
        m_machine.push(Slot::of(SlotKind::boolean, op == 0x88 ? 1 : 0));
        return Step::ok;
    case 0x95: // FRAME
        return frame(at) ? Step::framed : Step::failed;
    default:
        --at;
        return runRare(at);
    }
}

/// EMPTY_LIST. Where nothing but a run of memo look-ups follows, the whole list is made at once.
bool PickleProgram::newList(const unsigned char*& at)
{
    const unsigned char* run = at;
    std::uint64_t memo_index = 0;
    bool has_memo = true;
    switch (*run) {
    case 0x94:
        run += 1;
        break;
    case 'q':
        memo_index = run[1];
        run += 2;
        break;
    case 'r':
        memo_index = littleEndian<std::uint32_t>(run + 1);
        run += 5;
        break;
    default:
        has_memo = false;
    }
    if (*run != '(') {
        return m_machine.emptyList();
    }
    const char* const begin = reinterpret_cast<const char*>(run + 1);
    std::size_t length = 0;
    Slot list = m_runs.findNext(begin, length);
    length = list.isAbsent() ? ListRuns::lengthOf(begin) : length;
    // Another mark behind it could bring more items for the same list.
    if (length == ListRuns::npos || begin[length + 1] == '(') {
        return m_machine.emptyList();
    }
    list = list.isAbsent() ? listOfRun({begin, length}) : list;
    if (list.isAbsent()) {
        return false;
    }
    m_machine.push(list);
    const bool is_memoize = *at == 0x94;
    at = run + 1 + length + 1;
    return !has_memo || (is_memoize ? m_machine.memoize() : m_machine.put(memo_index));
}

Slot PickleProgram::listOfRun(std::string_view run)
{
    Slot list = m_runs.find(run);
    if (!list.isAbsent()) {
        return list;
    }
    m_scratch.clear();
    for (const char* op = run.data(); op < run.data() + run.size();) {
        const bool is_long = *op == 'j';
        const auto* argument = reinterpret_cast<const unsigned char*>(op + 1);
        const Slot item =
            m_machine.finished(is_long ? littleEndian<std::uint32_t>(argument) : *argument);
        if (item.isAbsent()) {
            return {};
        }
        m_scratch.push_back(item);
        op += is_long ? 5 : 2;
    }
    list = m_store.list(m_scratch);
    if (m_store.depthOf(list) > m_limits.max_nesting) {
        m_reason = toSay("values nest too deep");
        return {};
    }
    m_runs.remember(run, list);
    return list;
}

bool PickleProgram::text(const unsigned char*& at, std::uint64_t length, bool is_strict)
{
    std::string_view bytes;
    if (!counted(at, length, bytes)) {
        return false;
    }
    const std::optional<Slot> slot = is_strict ? m_store.strictText(bytes) : m_store.text(bytes);
    if (!slot) {
        m_reason = toSay("a string is not UTF-8");
        return false;
    }
    m_machine.push(*slot);
    return true;
}

/// The next `length` bytes. False when they do not come, or not before the stop.
bool PickleProgram::counted(const unsigned char*& at, std::uint64_t length, std::string_view& bytes)
{
    const std::uint64_t begin = static_cast<std::uint64_t>(at - bytesAt(0));
    if (length > m_limits.max_text_bytes) {
        m_reason = toSay("a text is longer than any name");
        return false;
    }
    while (begin > m_available || length > m_available - begin) {
        if (m_is_complete) {
            m_is_cut_off = true;
            return false;
        }
        if (m_stop.stop_requested()) {
            m_is_cancelled = true;
            return false;
        }
        m_is_complete = m_input.isComplete();
        m_available = m_input.waitFor(begin + length);
    }
    bytes = bytesView(at, length);
    at += length;
    return true;
}

bool PickleProgram::frame(const unsigned char*& at)
{
    const std::uint64_t length = littleEndian<std::uint64_t>(at);
    at += 8;
    if (m_frame_end != 0) {
        m_reason = toSay("a frame begins inside another");
        return false;
    }
    const std::uint64_t begin = static_cast<std::uint64_t>(at - bytesAt(0));
    if (length > m_limits.max_file_bytes) {
        m_reason = toSay("a frame is longer than any file");
        return false;
    }
    m_frame_end = length == 0 ? 0 : begin + length;
    return true;
}

} // namespace tidemark::reader
