// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/pickle_scanner.h"

#include "core/base/language.h"
#include "core/reader/inert_wrappers.h"
#include "core/reader/object_memory.h"
#include "core/reader/opcode_stream.h"
#include "core/reader/pickle_opcodes.h"
#include "core/reader/printable.h"
#include "core/reader/scan_errors.h"
#include "core/reader/scanned_value.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::reader {
namespace {

constexpr std::uint64_t kNoFrame = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view kRunCode = toSay("run code (REDUCE)");
constexpr std::uint64_t kOpsPerCheck = 1U << 16U;

class Scanner {
public:
    Scanner(std::span<const std::byte> bytes, const ReaderLimits& limits)
        : m_stream(bytes)
        , m_limits(limits)
    {
    }

    Result<PickleScan> run(ProgressSink& progress, const std::stop_token& stop)
    {
        progress.report("checking", 0.0);
        for (std::uint64_t count = 1; !m_finished; ++count) {
            if (!step()) {
                return *m_error;
            }
            if (count % kOpsPerCheck == 0) {
                if (stop.stop_requested()) {
                    return Error{ErrorCode::cancelled, say("Reading was cancelled.")};
                }
                progress.report("checking",
                                static_cast<double>(m_at) / static_cast<double>(m_stream.size()));
            }
        }
        m_scan.memo_count = m_memo_used;
        m_scan.memory_bytes = memory() + m_memo.size() * kMemoryPerMemoEntry;
        return m_scan;
    }

private:
    bool step()
    {
        if (m_at >= m_stream.size()) {
            return cutOff();
        }
        if (m_at == m_frame_end) {
            m_frame_end = kNoFrame;
        }
        m_opcode = &m_stream.opcodeAt(m_at);
        if (m_opcode->effect == OpEffect::unknown) {
            return damaged(say("0x{:02x} is not an instruction", m_stream.codeAt(m_at)));
        }
        const Argument argument = m_stream.argumentAt(m_at);
        if (argument.state != Argument::State::ok) {
            return argument.state == Argument::State::cut_off
                ? cutOff()
                : damaged(say("a length or number makes no sense"));
        }
        // CPython drops the rest of a frame when a value crosses its end and would read other
        // instructions than these.
        if (m_frame_end != kNoFrame && argument.end > m_frame_end) {
            return damaged(say("a value crosses the end of its frame"));
        }
        if (!apply(argument)) {
            return false;
        }
        m_at = argument.end;
        m_longest_read = std::max<std::uint64_t>(m_longest_read, argument.text.size());
        return memory() <= memoryLimit() || fail(tooMuchMemoryError(m_at, memory()));
    }

    bool apply(const Argument& argument)
    {
        switch (m_opcode->effect) {
        case OpEffect::push:
            if (m_opcode->kind == ValueKind::tuple) {
                m_tuple = ScannedTuple(m_at, {});
            }
            return push(
                ScannedValue(m_at, m_opcode->kind, isContainer(m_opcode->kind) ? 1 : 0),
                memoryOf(m_opcode->kind, argument.text, m_opcode->argument == OpArgument::line));
        case OpEffect::mark:
            return mark();
        case OpEffect::pop:
            return pop();
        case OpEffect::pop_mark:
            return popMark() && dropFrom(m_mark);
        case OpEffect::dup:
            return needs(1) && push(m_stack.back(), 0);
        case OpEffect::tuple_of_top: {
            const auto count = static_cast<std::size_t>(m_opcode->name.back() - '0');
            return needs(count) && collect(m_stack.size() - count);
        }
        case OpEffect::collect:
            return popMark() && collect(m_mark);
        case OpEffect::append:
            return needs(2) && extend(m_stack.size() - 1, ValueKind::list, kMemoryPerListItem);
        case OpEffect::appends:
            return popMark() && extend(m_mark, ValueKind::list, kMemoryPerListItem);
        case OpEffect::set_item:
            return needs(3) && extend(m_stack.size() - 2, ValueKind::dict, kMemoryPerDictItem);
        case OpEffect::set_items:
            return popMark() && extend(m_mark, ValueKind::dict, kMemoryPerDictItem);
        case OpEffect::add_items:
            return popMark() && extend(m_mark, ValueKind::set, kMemoryPerSetItem);
        case OpEffect::put:
            return needs(1) && put(argument.number);
        case OpEffect::memoize:
            return needs(1) && put(m_memo_used);
        case OpEffect::get:
            return get(argument.number);
        case OpEffect::proto:
            return proto(argument.number);
        case OpEffect::frame:
            return frame(argument);
        case OpEffect::stop:
            m_scan.stop_offset = m_at;
            m_finished = true;
            return needs(1);
        case OpEffect::global:
            return global(argument.text);
        case OpEffect::stack_global:
            return stackGlobal();
        case OpEffect::reduce:
            return needs(2) && reduce();
        default:
            return refuse(argument);
        }
    }

    static bool isContainer(ValueKind kind)
    {
        return kind >= ValueKind::list;
    }

    bool push(ScannedValue slot, std::uint64_t memory)
    {
        m_stack.push_back(slot);
        m_highest_stack = std::max(m_highest_stack, m_stack.size());
        m_memory += memory;
        ++m_scan.value_count;
        return true;
    }

    bool mark()
    {
        if (m_marks.size() >= m_limits.max_nesting) {
            return tooDeep();
        }
        m_marks.push_back(m_stack.size());
        return true;
    }

    [[nodiscard]] std::size_t fence() const
    {
        return m_marks.empty() ? 0 : m_marks.back();
    }

    bool pop()
    {
        if (!m_marks.empty() && m_marks.back() == m_stack.size()) {
            m_marks.pop_back();
            return true;
        }
        return needs(1) && dropFrom(m_stack.size() - 1);
    }

    bool popMark()
    {
        if (m_marks.empty()) {
            return damaged(say("a mark is missing"));
        }
        m_mark = m_marks.back();
        m_marks.pop_back();
        return true;
    }

    bool needs(std::size_t count)
    {
        return m_stack.size() - fence() >= count || damaged(say("a value is missing"));
    }

    bool dropFrom(std::size_t begin)
    {
        m_stack.resize(begin);
        return true;
    }

    /// Replaces the values from `begin` on by one container of the opcode's kind.
    bool collect(std::size_t begin)
    {
        const ValueKind kind = m_opcode->kind;
        const std::size_t count = m_stack.size() - begin;
        if ((kind == ValueKind::dict && !areKeys(begin, 2))
            || (kind == ValueKind::frozenset && !areKeys(begin, 1))) {
            return false;
        }
        const std::uint32_t depth = 1 + deepestFrom(begin);
        if (depth > m_limits.max_nesting) {
            return tooDeep();
        }
        const std::uint64_t per_item = kind == ValueKind::dict ? kMemoryPerDictItem / 2
            : kind == ValueKind::frozenset                     ? kMemoryPerSetItem
                                                               : kMemoryPerListItem;
        if (kind == ValueKind::tuple) {
            m_tuple = ScannedTuple(m_at, std::span(m_stack).subspan(begin));
        }
        m_stack.resize(begin);
        return push(ScannedValue(m_at, kind, depth), memoryOf(kind, {}) + count * per_item);
    }

    /// Puts the values from `begin` on into the container below them.
    bool extend(std::size_t begin, ValueKind kind, std::uint64_t memory_per_item)
    {
        if (begin <= fence()) {
            return damaged(say("a container is missing"));
        }
        ScannedValue& container = m_stack[begin - 1];
        if (container.kind() != kind) {
            return damaged(say("a value is put into something that cannot hold it"));
        }
        const std::size_t per_item = kind == ValueKind::dict ? 2 : 1;
        if (kind != ValueKind::list && !areKeys(begin, per_item)) {
            return false;
        }
        const std::uint32_t depth = std::max(container.depth(), 1 + deepestFrom(begin));
        if (depth > m_limits.max_nesting) {
            return tooDeep();
        }
        container = ScannedValue(container.offset(), kind, depth);
        m_memory += (m_stack.size() - begin) / per_item * memory_per_item;
        m_stack.resize(begin);
        return true;
    }

    [[nodiscard]] std::uint32_t deepestFrom(std::size_t begin) const
    {
        std::uint32_t deepest = 0;
        for (std::size_t i = begin; i < m_stack.size(); ++i) {
            deepest = std::max(deepest, m_stack[i].depth());
        }
        return deepest;
    }

    /// Whether each `stride`-th value from `begin` on can be a key.
    bool areKeys(std::size_t begin, std::size_t stride)
    {
        if ((m_stack.size() - begin) % stride != 0) {
            return damaged(say("a key has no value"));
        }
        for (std::size_t i = begin; i < m_stack.size(); i += stride) {
            const ValueKind kind = m_stack[i].kind();
            if (kind == ValueKind::list || kind == ValueKind::dict || kind == ValueKind::set
                || kind == ValueKind::bytearray) {
                return damaged(say("a container is used as a key"));
            }
            // Its hash takes as many steps as there are paths through it, and those double with
            // each level.
            if ((kind == ValueKind::tuple || kind == ValueKind::frozenset)
                && m_stack[i].depth() > 1) {
                return fail(nestedKeyError(m_at));
            }
            if (kind != ValueKind::text && ++m_other_keys > m_limits.max_other_keys) {
                return fail(otherKeysError(m_at, m_limits.max_other_keys));
            }
        }
        return true;
    }

    bool put(std::uint64_t index)
    {
        if (index > m_memo_used + m_limits.max_memo_gap) {
            return fail(memoGapError(m_at, index, m_memo_used));
        }
        if (index >= m_memo.size()) {
            m_memo.resize(index + 1);
        }
        m_memo_used += m_memo[index].kind() == ValueKind::undefined ? 1U : 0U;
        m_memo[index] = m_stack.back();
        return true;
    }

    bool get(std::uint64_t index)
    {
        if (index >= m_memo.size() || m_memo[index].kind() == ValueKind::undefined) {
            return damaged(say("it refers to a value {} that was not stored", index));
        }
        return push(m_memo[index], 0);
    }

    bool proto(std::uint64_t protocol)
    {
        if (m_at != 0 || protocol > kHighestProtocol) {
            return damaged(m_at != 0 ? say("a second header")
                                     : say("pickle protocol {} does not exist", protocol));
        }
        m_scan.protocol = static_cast<int>(protocol);
        return true;
    }

    bool frame(const Argument& argument)
    {
        if (m_frame_end != kNoFrame) {
            return damaged(say("a frame begins inside another"));
        }
        if (argument.number > m_stream.size() - argument.end) {
            return cutOff();
        }
        m_longest_read = std::max(m_longest_read, argument.number);
        if (argument.number > 0) {
            m_frame_end = argument.end + argument.number;
        }
        return true;
    }

    /// `names`: module and name with a newline between them.
    bool global(std::string_view names)
    {
        const std::size_t newline = names.find('\n');
        return callable(names.substr(0, newline), names.substr(newline + 1));
    }

    bool stackGlobal()
    {
        if (!needs(2)) {
            return false;
        }
        const std::string_view module = textOf(m_stack[m_stack.size() - 2]);
        const std::string_view name = textOf(m_stack.back());
        m_stack.resize(m_stack.size() - 2);
        return callable(module, name);
    }

    bool callable(std::string_view module, std::string_view name)
    {
        const std::optional<Wrapper> wrapper = wrapperFromName(module, name);
        if (!wrapper) {
            return refused(say("run {}.{}", printable(module), printable(name)));
        }
        return push(ScannedValue(m_at, *wrapper), memoryOf(ValueKind::wrapper, {}));
    }

    /// Puts the value that a harmless callable gives in the place of it and its arguments.
    bool reduce()
    {
        const ScannedValue callable = m_stack[m_stack.size() - 2];
        std::array<WrapperArgument, kMaxWrapperArguments> arguments{};
        // Every pickler writes the arguments where they are needed.
        if (callable.kind() != ValueKind::wrapper || m_stack.back().kind() != ValueKind::tuple
            || m_stack.back().offset() != m_tuple.offset || m_tuple.size > kMaxWrapperArguments) {
            return refused(translated(kRunCode));
        }
        for (std::size_t i = 0; i < m_tuple.size; ++i) {
            arguments[i] = argumentOf(m_tuple.items[i]);
        }
        const std::span<const WrapperArgument> given(arguments.data(), m_tuple.size);
        if (!takesArguments(callable.wrapper(), given)) {
            return refused(translated(kRunCode));
        }
        m_stack.resize(m_stack.size() - 2);
        switch (callable.wrapper()) {
        case Wrapper::ordered_dict:
            return push(ScannedValue(m_at, ValueKind::dict, 1), memoryOf(ValueKind::dict, {}));
        case Wrapper::device:
            return push(ScannedValue(m_at, ValueKind::text, 0),
                        memoryOf(ValueKind::text, deviceText(given)));
        default:
            return push(m_tuple.items[0], 0);
        }
    }

    [[nodiscard]] WrapperArgument argumentOf(ScannedValue value) const
    {
        switch (value.kind()) {
        case ValueKind::text:
            return {ArgumentKind::text, textOf(value), 0};
        case ValueKind::list:
        case ValueKind::tuple:
            return {ArgumentKind::list, {}, 0};
        case ValueKind::dict:
            return {ArgumentKind::dict, {}, 0};
        case ValueKind::integer:
        case ValueKind::constant: {
            const std::optional<std::int64_t> number = m_stream.smallIntegerAt(value.offset());
            return {number ? ArgumentKind::integer : ArgumentKind::other, {}, number.value_or(0)};
        }
        default:
            return {};
        }
    }

    bool refuse(const Argument& argument)
    {
        switch (m_opcode->effect) {
        case OpEffect::refuse_global: {
            std::string name(argument.text);
            std::ranges::replace(name, '\n', '.');
            return refused(say("run {}", printable(name)));
        }
        case OpEffect::refuse_extension:
            return refused(say("run the registered extension {}", argument.number));
        case OpEffect::refuse_persistent:
            return refused(say("fetch an object from outside the file"));
        case OpEffect::refuse_call:
            return refused(say("run code ({})", m_opcode->name));
        default:
            return damaged(say("it needs data it does not contain"));
        }
    }

    /// The text a value holds; a placeholder for any other value.
    [[nodiscard]] std::string_view textOf(ScannedValue slot) const
    {
        if (slot.kind() != ValueKind::text) {
            return "(not a name)";
        }
        return m_stream.argumentAt(slot.offset()).text;
    }

    /// For the values and for what the unpickler needs to make them.
    [[nodiscard]] std::uint64_t memory() const
    {
        return m_memory + m_highest_stack * kMemoryPerStackEntry + m_longest_read;
    }

    [[nodiscard]] std::uint64_t memoryLimit() const
    {
        return m_limits.valueMemory(m_stream.size());
    }

    bool fail(Error error)
    {
        m_error = std::move(error);
        return false;
    }
    bool refused(std::string_view what)
    {
        return fail(refusedError(m_at, what));
    }
    bool damaged(std::string_view what)
    {
        return fail(damagedError(m_at, what));
    }
    bool cutOff()
    {
        return fail(cutOffError(m_at));
    }
    bool tooDeep()
    {
        return fail(nestingError(m_at, m_limits.max_nesting));
    }

    OpcodeStream m_stream;
    const ReaderLimits& m_limits;
    PickleScan m_scan;
    std::optional<Error> m_error;
    const Opcode* m_opcode = nullptr;
    std::uint64_t m_at = 0; ///< Offset of the current opcode.
    std::uint64_t m_frame_end = kNoFrame;
    std::vector<ScannedValue> m_stack;
    std::vector<std::size_t> m_marks; ///< Stack sizes at the open marks.
    std::size_t m_mark = 0; ///< The mark that was popped last.
    std::vector<ScannedValue> m_memo;
    std::uint64_t m_memo_used = 0;
    ScannedTuple m_tuple; ///< Made last.
    std::uint64_t m_memory = 0; ///< Of the values.
    std::size_t m_highest_stack = 0;
    std::uint64_t m_longest_read = 0; ///< The unpickler copies a frame or a long text as a whole.
    std::uint32_t m_other_keys = 0;
    bool m_finished = false;
};

} // namespace

Result<PickleScan> scanPickle(std::span<const std::byte> bytes, const ReaderLimits& limits,
                              ProgressSink& progress, const std::stop_token& stop)
{
    return Scanner(bytes, limits).run(progress, stop);
}

} // namespace tidemark::reader
