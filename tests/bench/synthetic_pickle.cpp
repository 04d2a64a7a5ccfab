// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/bench/synthetic_pickle.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::bench {
namespace {

constexpr std::size_t kFrameBytes = std::size_t{64} << 10;
constexpr std::size_t kBatch = 1000;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Opcodes of protocol 4 with the memo numbering of CPython's pickler.
class Opcodes {
public:
    explicit Opcodes(const std::function<void(std::string_view)>& write)
        : m_write(write)
    {
        m_write(std::string_view("\x80\x04", 2));
    }

    void op(char code)
    {
        m_frame += code;
    }
    void integer(std::uint64_t value)
    {
        if (value < 256) {
            m_frame += 'K';
            little(value, 1);
        } else if (value < 65536) {
            m_frame += 'M';
            little(value, 2);
        } else if (value < (std::uint64_t{1} << 31U)) {
            m_frame += 'J';
            little(value, 4);
        } else {
            std::size_t bytes = 1;
            while (bytes < 8 && value >> (bytes * 8 - 1) != 0) {
                ++bytes;
            }
            m_frame += '\x8a';
            little(bytes, 1);
            little(value, bytes);
        }
    }
    /// Written once, then looked up.
    void text(const std::string& value)
    {
        const auto known = m_texts.find(value);
        if (known != m_texts.end()) {
            get(known->second);
            return;
        }
        m_frame += value.size() < 256 ? '\x8c' : 'X';
        little(value.size(), value.size() < 256 ? 1 : 4);
        m_frame += value;
        m_texts.emplace(value, memoize());
    }
    std::uint64_t memoize()
    {
        m_frame += '\x94';
        return m_memo++;
    }
    void get(std::uint64_t index)
    {
        m_frame += index < 256 ? 'h' : 'j';
        little(index, index < 256 ? 1 : 4);
    }
    /// Between two values.
    void mayEndFrame()
    {
        if (m_frame.size() >= kFrameBytes) {
            flush();
        }
    }
    void finish()
    {
        op('.');
        flush();
    }

private:
    void little(std::uint64_t value, std::size_t bytes)
    {
        for (std::size_t i = 0; i < bytes; ++i) {
            m_frame += static_cast<char>(value >> (i * 8));
        }
    }
    void flush()
    {
        std::string head = "\x95";
        for (unsigned i = 0; i < 8; ++i) {
            head += static_cast<char>(m_frame.size() >> (i * 8));
        }
        m_write(head);
        m_write(m_frame);
        m_frame.clear();
    }

    const std::function<void(std::string_view)>& m_write;
    std::string m_frame;
    std::unordered_map<std::string, std::uint64_t> m_texts;
    std::uint64_t m_memo = 0;
};

class Run {
public:
    Run(const SyntheticRun& run, const std::function<void(std::string_view)>& write)
        : m_run(run)
        , m_out(write)
    {
    }

    std::uint64_t write()
    {
        begin('}');
        m_out.op('(');
        m_out.text("segments");
        segment();
        m_out.text("device_traces");
        begin(']');
        begin(']');
        setUp();
        while (m_events < m_run.events) {
            step();
        }
        if (m_events % kBatch != 0) {
            m_out.op('e');
        }
        m_out.op('a'); // The only trace.
        m_out.op('u');
        m_out.finish();
        return m_events;
    }

private:
    void begin(char container)
    {
        m_out.op(container);
        m_out.memoize();
    }

    [[nodiscard]] std::uint64_t weight(unsigned layer) const
    {
        return kBase + layer * 32 * kMiB;
    }
    [[nodiscard]] std::uint64_t activation(unsigned layer) const
    {
        return kBase + (m_run.layers + layer) * 32 * kMiB;
    }
    [[nodiscard]] std::uint64_t gradient(unsigned layer) const
    {
        return kBase + (2 * m_run.layers + layer) * 32 * kMiB;
    }
    [[nodiscard]] std::uint64_t temporary() const
    {
        return kBase + 3 * m_run.layers * 32 * kMiB;
    }

    void number(const char* key, std::uint64_t value)
    {
        m_out.text(key);
        m_out.integer(value);
    }

    /// One segment; in it the weights, which are all that lives at the end, and one free block.
    void segment()
    {
        const std::uint64_t size = (3 * m_run.layers + 1) * 32 * kMiB;
        const std::uint64_t live = m_run.layers * 32 * kMiB;
        begin(']');
        begin('}');
        m_out.op('(');
        number("device", 0);
        number("address", kBase);
        number("total_size", size);
        number("allocated_size", live);
        number("active_size", live);
        number("requested_size", live);
        number("stream", 0);
        m_out.text("segment_type");
        m_out.text("large");
        m_out.text("frames");
        begin(']');
        m_out.text("blocks");
        begin(']');
        m_out.op('(');
        for (unsigned l = 0; l < m_run.layers; ++l) {
            block(weight(l), 32 * kMiB, true);
        }
        block(activation(0), size - live, false);
        m_out.op('e');
        m_out.op('u');
        m_out.op('a');
    }

    void block(std::uint64_t address, std::uint64_t size, bool is_live)
    {
        begin('}');
        m_out.op('(');
        number("address", address);
        number("size", size);
        number("requested_size", is_live ? size : 0);
        m_out.text("state");
        m_out.text(is_live ? "active_allocated" : "inactive");
        m_out.text("frames");
        begin(']');
        m_out.op('u');
    }

    void frame(const std::string& name, const std::string& file, unsigned line)
    {
        const auto [it, is_new] = m_frames.try_emplace({name + file, line}, 0);
        if (!is_new) {
            m_out.get(it->second);
            return;
        }
        m_out.op('}');
        it->second = m_out.memoize();
        m_out.op('(');
        m_out.text("name");
        m_out.text(name);
        m_out.text("filename");
        m_out.text(file);
        number("line", line);
        m_out.op('u');
    }

    void stack(const char* phase, unsigned layer)
    {
        begin(']');
        m_out.op('(');
        for (unsigned i = 0; i + 3 < m_run.depth; ++i) {
            frame(fmt::format("at::native::{}_{}(at::Tensor const&)", phase, i), "??", 0);
        }
        frame(phase, "/workspace/model.py", 100 + layer);
        frame("train_step", "/workspace/train.py", 88);
        frame("<module>", "/workspace/train.py", 140);
        m_out.op('e');
    }

    void event(const char* action, std::uint64_t address, std::uint64_t size, const char* phase,
               unsigned layer)
    {
        if (m_events % kBatch == 0) {
            m_out.op('(');
        }
        begin('}');
        m_out.op('(');
        m_out.text("action");
        m_out.text(action);
        number("addr", address);
        number("size", size);
        number("stream", 0);
        number("time_us", 1'760'000'000'000'000 + m_events * 7);
        m_out.text("compile_context");
        m_out.text("N/A");
        m_out.text("user_metadata");
        m_out.text("");
        m_out.text("frames");
        stack(phase, layer);
        m_out.op('u');
        if (++m_events % kBatch == 0) {
            m_out.op('e');
        }
        m_out.mayEndFrame();
    }

    void free(std::uint64_t address, std::uint64_t size, const char* phase, unsigned layer)
    {
        event("free_requested", address, size, phase, layer);
        event("free_completed", address, size, phase, layer);
    }

    void setUp()
    {
        for (unsigned l = 0; l < m_run.layers; ++l) {
            event("alloc", weight(l), 32 * kMiB, "__init__", l);
        }
    }

    void step()
    {
        for (unsigned l = 0; l < m_run.layers; ++l) {
            event("alloc", activation(l), 16 * kMiB + l * 512, "forward", l);
            event("alloc", temporary(), 4 * kMiB, "forward", l);
            free(temporary(), 4 * kMiB, "forward", l);
        }
        for (unsigned l = m_run.layers; l-- > 0;) {
            event("alloc", gradient(l), 32 * kMiB, "backward", l);
            event("alloc", temporary(), 8 * kMiB, "backward", l);
            free(temporary(), 8 * kMiB, "backward", l);
            free(activation(l), 16 * kMiB + l * 512, "backward", l);
        }
        for (unsigned l = 0; l < m_run.layers; ++l) {
            free(gradient(l), 32 * kMiB, "zero_grad", l);
        }
    }

    static constexpr std::uint64_t kBase = 0x7f00'0000'0000;
    const SyntheticRun& m_run;
    Opcodes m_out;
    std::map<std::pair<std::string, unsigned>, std::uint64_t> m_frames;
    std::uint64_t m_events = 0;
};

} // namespace

std::uint64_t writeSyntheticPickle(const SyntheticRun& run,
                                   const std::function<void(std::string_view)>& write)
{
    return Run(run, write).write();
}

} // namespace tidemark::bench
