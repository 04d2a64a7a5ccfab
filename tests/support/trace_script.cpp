// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/trace_script.h"

#include "core/trace/snapshot_builder.h"

#include <QtCore/QtGlobal>

#include <map>
#include <sstream>
#include <string>

namespace tidemark::test {
namespace {

using trace::Action;

struct Named {
    Address address = 0;
    Bytes size;
    StackId stack;
    bool is_live = false;
    bool is_pending = false;
};

Bytes parseSize(const std::string& text)
{
    std::size_t used = 0;
    std::int64_t value = std::stoll(text, &used);
    if (used < text.size()) {
        switch (text[used]) {
        case 'K':
            value <<= 10;
            break;
        case 'M':
            value <<= 20;
            break;
        case 'G':
            value <<= 30;
            break;
        default:
            qFatal("trace script: size %s", text.c_str());
        }
    }
    return {value};
}

class Script {
public:
    trace::Snapshot build(std::string_view text)
    {
        std::istringstream lines{std::string(text)};
        std::string line;
        while (std::getline(lines, line)) {
            line = line.substr(0, line.find('#'));
            std::istringstream words(line);
            std::string first;
            if (words >> first) {
                read(first, words, line);
            }
        }
        return finish();
    }

private:
    void read(const std::string& first, std::istringstream& words, const std::string& line)
    {
        if (first == "stack") {
            defineStack(line);
        } else if (first == "device") {
            closeDevice();
            words >> m_device;
            m_builder.ensureDevice(m_device);
        } else if (first == "no-times") {
            m_times = false;
        } else if (first == "live") {
            std::string name;
            std::string size;
            words >> name >> size;
            Named& n = m_named[name];
            n = {nextAddress(parseSize(size)), parseSize(size), stackOf(words), true, false};
        } else if (first == "segment") {
            segment(words);
        } else if (first == "lost") {
            std::string name;
            words >> name;
            m_named.at(name).is_live = false;
        } else if (first == "oom") {
            oom(words);
        } else {
            allocation(first, words, line);
        }
    }

    void defineStack(const std::string& line)
    {
        const std::size_t equals = line.find('=');
        std::istringstream head(line.substr(0, equals));
        std::string word;
        std::string name;
        head >> word >> name;
        std::vector<FrameId> frames;
        std::istringstream list(line.substr(equals + 1));
        std::string part;
        while (std::getline(list, part, ';')) {
            std::istringstream words(part);
            std::string function;
            std::string place;
            words >> function >> place;
            const std::size_t colon = place.rfind(':');
            frames.push_back(m_builder.stacks().internFrame(
                {m_builder.strings().intern(function),
                 m_builder.strings().intern(place.substr(0, colon)),
                 static_cast<std::int32_t>(std::stoi(place.substr(colon + 1)))}));
        }
        m_stacks[name] = m_builder.stacks().internStack(frames);
    }

    StackId stackOf(std::istringstream& words)
    {
        std::string word;
        while (words >> word) {
            if (word == "@-") {
                return m_builder.stacks().internStack({});
            }
            if (word.starts_with('@')) {
                return m_stacks.at(word.substr(1));
            }
        }
        return StackId::none();
    }

    void allocation(const std::string& name, std::istringstream& words, const std::string& line)
    {
        std::string what;
        words >> what;
        if (what.starts_with('+')) {
            Named n;
            n.size = parseSize(what.substr(1));
            const std::size_t at = line.find(" at ");
            if (at != std::string::npos) {
                std::istringstream rest(line.substr(at + 4));
                std::string other;
                rest >> other;
                n.address = m_named.at(other).address;
            } else {
                n.address = nextAddress(n.size);
            }
            n.stack = stackOf(words);
            n.is_live = true;
            m_named[name] = n;
            event(Action::alloc, n.address, n.size, n.stack);
        } else if (what == "-" || what == "-r" || what == "-c") {
            Named& n = m_named.at(name);
            const StackId stack = stackOf(words);
            if (what != "-c") {
                event(Action::free_requested, n.address, n.size, stack);
                n.is_pending = true;
            }
            if (what != "-r") {
                event(Action::free_completed, n.address, n.size, stack);
                n.is_live = false;
            }
        } else {
            qFatal("trace script: %s", line.c_str());
        }
    }

    void segment(std::istringstream& words)
    {
        std::string name;
        std::string what;
        words >> name >> what;
        if (what.starts_with('+')) {
            Named n{m_next_segment, parseSize(what.substr(1)), {}, true, false};
            m_next_segment += static_cast<Address>(n.size.value) + (2U << 20);
            m_segments[name] = n;
            event(Action::segment_alloc, n.address, n.size, stackOf(words));
        } else {
            m_segments.at(name).is_live = false;
            event(Action::segment_free, m_segments.at(name).address, m_segments.at(name).size, {});
        }
    }

    void oom(std::istringstream& words)
    {
        std::string size;
        std::string free;
        words >> size >> free;
        event(Action::oom, static_cast<Address>(parseSize(free.substr(5)).value), parseSize(size),
              stackOf(words));
    }

    void event(Action action, Address address, Bytes size, StackId stack)
    {
        trace::EventRecord e;
        e.action = action;
        e.address = address;
        e.size = size;
        e.stack = stack;
        if (m_times) {
            e.time = TimePoint(Duration(1000000 + 10 * m_clock++));
        }
        m_builder.ensureDevice(m_device);
        m_builder.addEvent(m_device, e);
    }

    Address nextAddress(Bytes size)
    {
        const Address address = m_next;
        m_next += static_cast<Address>((size.value + 511) / 512 * 512);
        return address;
    }

    void closeDevice()
    {
        std::map<Address, Named> blocks;
        for (const auto& [name, n] : m_named) {
            if (n.is_live) {
                blocks[n.address] = n;
            }
        }
        std::vector<trace::BlockRecord> records;
        Address at = kBase;
        const auto add = [&](Address address, Bytes size, const Named* n) {
            trace::BlockRecord b;
            b.address = address;
            b.size = size;
            if (n != nullptr) {
                b.requested = n->size;
                b.state = n->is_pending ? trace::BlockState::active_pending_free
                                        : trace::BlockState::active_allocated;
                b.stack = n->stack;
            }
            records.push_back(b);
        };
        for (const auto& [address, n] : blocks) {
            if (address > at) {
                add(at, {static_cast<std::int64_t>(address - at)}, nullptr);
            }
            const Bytes size{(n.size.value + 511) / 512 * 512};
            add(address, size, &n);
            at = address + static_cast<Address>(size.value);
        }
        constexpr Address kUnit = 2U << 20;
        const Address end = kBase + (m_next - kBase + kUnit - 1) / kUnit * kUnit;
        if (end > at) {
            add(at, {static_cast<std::int64_t>(end - at)}, nullptr);
        }
        if (!records.empty()) {
            m_builder.addSegment({m_device,
                                  kBase,
                                  {static_cast<std::int64_t>(end - kBase)},
                                  0,
                                  false,
                                  false,
                                  {},
                                  {}},
                                 records);
        }
        for (const auto& [name, s] : m_segments) {
            if (s.is_live) {
                const trace::BlockRecord hole{
                    s.address, s.size, {}, {}, trace::BlockState::inactive, {}};
                m_builder.addSegment({m_device, s.address, s.size, 0, false, false, {}, {}},
                                     std::span(&hole, 1));
            }
        }
        m_named.clear();
        m_segments.clear();
        m_next = kBase;
    }

    trace::Snapshot finish()
    {
        m_builder.ensureDevice(m_device);
        closeDevice();
        m_builder.format() = {"script", -1, "script"};
        return std::move(m_builder).finish().value();
    }

    static constexpr Address kBase = 0x100000000;
    trace::SnapshotBuilder m_builder;
    std::map<std::string, StackId> m_stacks;
    std::map<std::string, Named> m_named;
    std::map<std::string, Named> m_segments;
    Address m_next = kBase;
    Address m_next_segment = 0x900000000;
    std::int32_t m_device = 0;
    std::int64_t m_clock = 0;
    bool m_times = true;
};

} // namespace

trace::Snapshot snapshotFromScript(std::string_view script)
{
    return Script().build(script);
}

} // namespace tidemark::test
