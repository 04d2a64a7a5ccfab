// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/segment_decoder.h"

#include <limits>
#include <optional>
#include <string_view>

namespace tidemark::reader {
namespace {

} // namespace

SegmentDecoder::SegmentDecoder(TreeAccess& access, StackDecoder& stacks, ForwardFrames& forward)
    : m_access(access)
    , m_stacks(stacks)
    , m_forward(forward)
{
}

void SegmentDecoder::decode(Node node)
{
    m_record = {};
    m_said_requested.reset();
    std::optional<Address> address;
    std::optional<Bytes> total_size;
    m_blocks.clear();
    m_access.forEachEntry(node, Place::segment, [&](Key key, Node value) {
        switch (key) {
        case Key::address:
            address = m_access.address(value, Place::segment, key);
            break;
        case Key::total_size:
            total_size = m_access.bytes(value, Place::segment, key);
            break;
        case Key::blocks:
            blocks(value);
            break;
        default:
            detail(key, value);
        }
    });
    if (!address) {
        m_access.noteMissing(Place::segment, Key::address);
    }
    if (!total_size) {
        m_access.noteMissing(Place::segment, Key::total_size);
        total_size = Bytes();
        for (const trace::BlockRecord& block : m_blocks) {
            *total_size += block.size;
        }
    }
    m_record.address = address.value_or(0);
    m_record.total_size = *total_size;
    Address at = m_record.address;
    for (trace::BlockRecord& block : m_blocks) {
        block.address = block.address.value_or(at);
        at = *block.address + static_cast<Address>(block.size.value);
    }
    checkRequested();
}

void SegmentDecoder::settle(std::int32_t device)
{
    m_access.oddities().settleEntry(device, [this](Place place, std::size_t block) {
        return place == Place::segment ? m_record.address : *m_blocks[block].address;
    });
}

// The file says the sum over the active blocks a second time, from torch 2.1 on.
void SegmentDecoder::checkRequested()
{
    Bytes sum;
    for (const trace::BlockRecord& block : m_blocks) {
        if (block.state != trace::BlockState::inactive) {
            if (!block.requested) {
                return;
            }
            sum += *block.requested;
        }
    }
    // Of a pinned segment torch gives its size, whether or not anything lives in it.
    const bool is_pinned = m_record.device == trace::SnapshotBuilder::kHostDevice;
    if (m_said_requested && *m_said_requested != sum && !is_pinned) {
        m_access.oddities().disagreement(m_record.address, *m_said_requested, sum);
    }
}

void SegmentDecoder::detail(Key key, Node value)
{
    switch (key) {
    case Key::device: {
        const std::int64_t device = m_access.integer(value, Place::segment, key).value_or(0);
        // Torch gives pinned host memory the index -1.
        if (device < trace::SnapshotBuilder::kHostDevice
            || device > std::numeric_limits<std::int32_t>::max()) {
            m_access.noteWrong(Place::segment, key);
        } else {
            m_record.device = static_cast<std::int32_t>(device);
        }
        break;
    }
    case Key::stream:
        m_record.stream = m_access.address(value, Place::segment, key).value_or(0);
        break;
    case Key::segment_type:
        m_record.is_small_pool = m_access.text(value, Place::segment, key) == "small";
        break;
    case Key::segment_pool_id:
        m_record.pool = m_access.pool(value, Place::segment, key).value_or(trace::PoolId());
        break;
    case Key::is_expandable:
        m_record.is_expandable = m_access.boolean(value, Place::segment, key).value_or(false);
        break;
    case Key::frames:
        m_record.stack = m_stacks.decode(value, Place::segment);
        break;
    case Key::forward_frames:
        m_record.forward_frames = m_forward.decode(value, Place::segment);
        break;
    case Key::requested_size:
        m_said_requested = m_access.bytes(value, Place::segment, key);
        break;
    case Key::allocated_size:
    case Key::active_size:
        break; // Sums over the blocks, which say it themselves.
    default:
        m_access.noteUnknown(Place::segment, key, value);
    }
}

void SegmentDecoder::blocks(Node list)
{
    if (m_access.tree().value(list).kind != NodeKind::list) {
        m_access.noteWrong(Place::segment, Key::blocks);
        return;
    }
    const std::size_t count = m_access.listSize(list);
    for (std::size_t i = 0; i < count && !m_access.isOverspent(); ++i) {
        const Node node = m_access.tree().item(list, i);
        m_access.spend(sizeof(trace::Block));
        if (m_access.tree().value(node).kind == NodeKind::dict) {
            m_access.oddities().setBlock(m_blocks.size());
            m_blocks.push_back(block(node));
        } else {
            m_access.noteWrong(Place::block, Key::unknown);
        }
    }
}

trace::BlockRecord SegmentDecoder::block(Node node)
{
    trace::BlockRecord record;
    StackId history_stack;
    m_access.forEachEntry(node, Place::block, [&](Key key, Node value) {
        switch (key) {
        case Key::address:
            record.address = m_access.address(value, Place::block, key);
            break;
        case Key::size:
            record.size = m_access.bytes(value, Place::block, key).value_or(Bytes());
            break;
        case Key::requested_size:
            record.requested = m_access.bytes(value, Place::block, key);
            break;
        case Key::state:
            record.state = blockState(value);
            break;
        case Key::frames:
            record.stack = m_stacks.decode(value, Place::block);
            break;
        case Key::history:
            history(value, record, history_stack);
            break;
        case Key::forward_frames:
            record.forward_frames = m_forward.decode(value, Place::block);
            break;
        default:
            m_access.noteUnknown(Place::block, key, value);
        }
    });
    if (record.stack.isNone()) {
        record.stack = history_stack;
    }
    return record;
}

// The newest entry stands first; older ones are of allocations that are gone.
void SegmentDecoder::history(Node list, trace::BlockRecord& record, StackId& stack)
{
    if (m_access.tree().value(list).kind != NodeKind::list) {
        m_access.noteWrong(Place::block, Key::history);
        return;
    }
    if (m_access.listSize(list) == 0) {
        return;
    }
    m_access.forEachEntry(m_access.tree().item(list, 0), Place::history, [&](Key key, Node value) {
        switch (key) {
        case Key::real_size:
            record.history_real_size = m_access.bytes(value, Place::history, key);
            break;
        case Key::frames:
            stack = m_stacks.decode(value, Place::history);
            break;
        case Key::addr:
            break;
        default:
            m_access.noteUnknown(Place::history, key, value);
        }
    });
}

trace::BlockState SegmentDecoder::blockState(Node node)
{
    const std::string_view name =
        m_access.text(node, Place::block, Key::state).value_or("inactive");
    if (name == "active_allocated") {
        return trace::BlockState::active_allocated;
    }
    // The documentation of _snapshot() says "awaiting"; no version of the code writes that.
    if (name == "active_pending_free" || name == "active_awaiting_free") {
        return trace::BlockState::active_pending_free;
    }
    if (name != "inactive") {
        m_access.noteWrong(Place::block, Key::state);
    }
    return trace::BlockState::inactive;
}

} // namespace tidemark::reader
