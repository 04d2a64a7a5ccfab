// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/limits.h"
#include "core/reader/memo_table.h"
#include "core/reader/native_slot.h"
#include "core/reader/native_store.h"
#include "core/reader/slot_stack.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::reader {

/// Takes the trace entries of a snapshot, each as soon as it is complete.
class EntrySink {
public:
    EntrySink() = default;
    EntrySink(const EntrySink&) = delete;
    EntrySink& operator=(const EntrySink&) = delete;
    virtual ~EntrySink() = default;
    /// `device` is −1 for the trace of host memory. The node is good during the call only.
    virtual void entry(ValueTree::Node node, std::int32_t device) = 0;
    /// An entry as keys and values in turn, as they stand on the stack; false, with nothing done,
    /// where that is not enough to tell what it is.
    virtual bool plainEntry(std::span<const Slot> entries, std::int32_t device) = 0;
    /// About this share of the stream, in [0, 1], has been run.
    virtual void progressed(double) { }
};

/// The stack machine that pickles are programs for; JSON is turned into the same steps. It keeps
/// what is small (segments, settings, annotations) as values of the store, and hands each trace
/// entry on and forgets it, so that a trace of any length needs no memory here beyond its memo.
///
/// Where the stream is as every pickler writes it, that is the same as building all values first.
/// Where it is not (a value changed after it was put into another, a dictionary with keys that are
/// no texts, values that contain themselves), the step says false: the machine declines and the
/// caller takes another reader. Nothing here trusts the stream: stack, marks, memo and nesting are
/// checked at each step. All steps O(1) amortised per item.
class ValueMachine {
public:
    ValueMachine(NativeStore& store, EntrySink& sink, const ReaderLimits& limits);

    /// Why the last step said false, to be put after "because".
    [[nodiscard]] const char* reason() const
    {
        return m_reason;
    }

    void push(Slot slot)
    {
        m_stack.push(slot);
    }
    void mark()
    {
        m_marks.push_back({m_stack.size(), false});
        m_floor = m_stack.size();
    }
    [[nodiscard]] bool pop();
    [[nodiscard]] bool popMark();
    [[nodiscard]] bool duplicate();
    [[nodiscard]] bool emptyList();
    [[nodiscard]] bool emptyDict();
    /// The topmost `count` values become a tuple.
    [[nodiscard]] bool tupleOfTop(std::size_t count);
    /// What lies above the mark becomes a tuple, a list or a dictionary.
    [[nodiscard]] bool tupleFromMark();
    [[nodiscard]] bool listFromMark();
    [[nodiscard]] bool dictFromMark();
    [[nodiscard]] bool append();
    [[nodiscard]] bool appends();
    [[nodiscard]] bool setItem();
    /// `is_last`: the value that comes next is another one, or the end of the list this is in.
    [[nodiscard]] bool setItems(bool is_last);
    [[nodiscard]] bool put(std::uint64_t index);
    [[nodiscard]] bool memoize()
    {
        return put(m_memo.used());
    }
    [[nodiscard, gnu::always_inline]] inline bool get(std::uint64_t index)
    {
        const Slot slot = m_memo.get(index);
        if (slot.kind() == Slot::Kind::text || slot.kind() == Slot::Kind::integer) {
            m_stack.push(slot);
            return true;
        }
        return getContainer(index);
    }
    /// The finished value at a number of the memo; absent when there is none or it declines.
    Slot finished(std::uint64_t index);
    /// The value on top; absent on an empty stack.
    [[nodiscard]] Slot top() const
    {
        return m_stack.size() > m_floor ? m_stack.top() : Slot();
    }
    /// The topmost two values, the upper one last, are taken off. False when there are not so many.
    [[nodiscard]] bool takeTwo(Slot& lower, Slot& upper);
    /// The value on top as a finished one, for a step that takes it as its argument.
    [[nodiscard]] bool takeFinished(Slot& value);

    /// At the end of the stream: the root. Absent when it declines.
    Slot root();
    /// Where the stream breaks off: closes what is open, as far as it is complete, and gives the
    /// root. Absent when nothing of a snapshot came before that.
    Slot salvage();
    /// After salvage(): the device whose trace was open; −1 for host memory.
    [[nodiscard]] std::optional<std::int32_t> cutDevice() const
    {
        return m_cut_device;
    }
    /// Memory of the machine and its store, about.
    [[nodiscard]] std::uint64_t memoryBytes() const;
    /// Tells the sink.
    void progressed(double share)
    {
        m_sink.progressed(share);
    }
    /// Entries handed on so far.
    [[nodiscard]] std::uint64_t entryCount() const
    {
        return m_entries;
    }

private:
    static constexpr std::uint64_t kNoMemo = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::size_t kNoIndex = std::numeric_limits<std::size_t>::max();
    /// Entries of one list wait on the stack for its end; more than so many are handed on before.
    static constexpr std::size_t kWaitingEntries = 1024;

    /// What a container is, as far as its place in the stream tells.
    enum class Role : std::uint8_t { plain, root, traces, trace };

    /// A container that can still be filled.
    struct Open {
        std::vector<Slot> items; ///< Of a dictionary: keys and values in turn.
        Slot sealed; ///< The finished value, once it was asked for.
        std::uint64_t memo = kNoMemo;
        std::uint64_t key_bits = 0; ///< Which keys there are, by the lower bits of their ids.
        std::int32_t device = 0; ///< Of a trace.
        Role role = Role::plain;
        bool is_dict = false;
        bool may_repeat = false; ///< Two keys may be the same.
        bool handed_on = false; ///< Some of its items, or all of them.
    };
    struct Mark {
        std::size_t base; ///< Stack size when it was set.
        bool handed_on; ///< Values above it were handed on before their list was closed.
    };

    [[nodiscard]] bool decline(const char* reason)
    {
        m_reason = reason;
        return false;
    }
    [[nodiscard]] bool getContainer(std::uint64_t index);
    Open& open(Slot slot)
    {
        return m_open[slot.payload()];
    }
    std::uint64_t newOpen(bool is_dict);
    void release(std::uint64_t index);
    [[nodiscard]] Role roleOfNewList(std::int32_t& device) const;
    [[nodiscard]] std::vector<Slot> itemsFrom(std::size_t base);
    [[nodiscard]] bool closeMark(std::size_t& base, bool may_be_handed_on);
    [[nodiscard]] bool extend(std::size_t target, std::size_t begin);
    [[nodiscard]] bool fill(std::size_t target, std::size_t begin);
    [[nodiscard]] bool addTraces(Open& list, std::span<Slot> items);
    [[nodiscard]] bool handOn(std::uint64_t list, std::size_t begin, std::size_t end);
    [[nodiscard]] bool handOnFinishedSiblings();
    [[nodiscard]] bool handOnAtOnce(std::size_t base);
    void claim(Open& list);
    void moveClaim(Open& from, Open& to);
    [[nodiscard]] bool setRootItem(Open& root, Slot key, Slot value);
    void dropRepeatedKeys(Open& dict) const;
    /// The finished value of any slot; absent when it declines.
    Slot seal(Slot slot);
    Slot sealOpen(std::uint64_t index, bool keep);
    [[nodiscard]] bool isOpenList(Slot slot, Role role) const;
    [[nodiscard]] bool closeForSalvage(std::size_t base);
    [[nodiscard]] bool closeRootForSalvage();
    void noteCut(Slot slot);
    [[nodiscard]] bool isCompleteItem(Slot slot, Role list) const;

    NativeStore& m_store;
    EntrySink& m_sink;
    const ReaderLimits& m_limits;
    const char* m_reason = "";
    SlotStack m_stack;
    std::vector<Mark> m_marks;
    std::size_t m_floor = 0; ///< The stack below the innermost mark cannot be taken off.
    MemoTable m_memo;
    std::vector<Open> m_open;
    std::vector<std::uint64_t> m_free;
    Slot m_key_traces;
    Slot m_key_host_traces;
    bool m_traces_placed = false;
    bool m_host_placed = false;
    std::uint64_t m_entries = 0;
    std::optional<std::int32_t> m_cut_device;
    std::uint64_t m_loose = 0; ///< Lists with entries handed on that are not in the root yet.
    std::uint64_t m_open_items = 0; ///< Items that open containers have room for.
};

} // namespace tidemark::reader
