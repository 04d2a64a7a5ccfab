// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/native_event_decoder.h"
#include "core/reader/snapshot_decoder.h"
#include "core/reader/value_machine.h"

namespace tidemark::reader {

/// Trace entries of the machine → columns: by the shortcut where that is enough.
class DecoderSink final : public EntrySink {
public:
    DecoderSink(SnapshotDecoder& decoder, NativeStore& store, trace::SnapshotBuilder& builder)
        : m_decoder(decoder)
        , m_builder(builder)
        , m_shortcut(store, builder, decoder)
    {
    }
    void entry(ValueTree::Node node, std::int32_t device) override
    {
        m_decoder.event(node, device);
    }
    bool plainEntry(std::span<const Slot> entries, std::int32_t device) override
    {
        return m_shortcut.add(entries, device);
    }
    void progressed(double share) override
    {
        m_builder.expectRest(share);
    }

private:
    SnapshotDecoder& m_decoder;
    trace::SnapshotBuilder& m_builder;
    NativeEventDecoder m_shortcut;
};

} // namespace tidemark::reader
