// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/random_snapshot.h"

#include "tests/support/random_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::test {
namespace {

class Maker {
public:
    Maker(std::uint64_t seed, const SnapshotTaste& taste)
        : m_random(seed)
        , m_taste(taste)
    {
        for (int i = 0; i < 12; ++i) {
            m_frames.push_back(frame());
        }
        m_has_history = m_random.chance(0.2);
        m_has_times = m_random.chance(0.8);
        m_has_pools = m_random.chance(0.4);
        m_has_forward = m_random.chance(0.2);
        m_has_fx = m_random.chance(0.2);
        m_has_labels = m_random.chance(0.4);
    }

    ValueRef root()
    {
        if (m_random.chance(0.05)) {
            return segments();
        }
        Entries entries;
        if (m_random.chance(0.95)) {
            entries.push_back({"segments", segments()});
        }
        if (m_random.chance(0.95)) {
            entries.push_back({"device_traces", deviceTraces()});
        }
        if (m_random.chance(0.5)) {
            entries.push_back({"allocator_settings", settings()});
        }
        if (m_random.chance(0.4)) {
            entries.push_back({"external_annotations", many(6, [&] { return annotation(); })});
        }
        if (m_random.chance(0.2)) {
            entries.push_back({"host_segments", many(3, [&] { return segment(-1); })});
            entries.push_back({"host_traces", many(8, [&] { return event(); })});
        }
        if (m_random.chance(0.1)) {
            entries.push_back(
                {"source_code",
                 m_random.chance(0.5) ? boolean(true) : finish({{"a.py", text("1")}})});
            entries.push_back({"shape_data", list({integer(7), integer(9)})});
        }
        return finish(std::move(entries));
    }

private:
    struct Entry {
        std::string key;
        ValueRef value;
    };
    using Entries = std::vector<Entry>;

    ValueRef finish(Entries entries)
    {
        std::erase_if(entries, [&](const Entry&) { return m_random.chance(m_taste.missing); });
        for (Entry& entry : entries) {
            if (m_random.chance(m_taste.odd)) {
                entry.value = m_odd.anything(2);
            }
        }
        if (m_random.chance(m_taste.unknown)) {
            entries.push_back({m_odd.key(), m_odd.anything(3)});
        }
        if (m_taste.has_repeated_keys && !entries.empty() && m_random.chance(0.2)) {
            entries.push_back({m_random.pick(entries).key, m_odd.anything(1)});
        }
        if (m_taste.is_shuffled) {
            for (std::size_t i = entries.size(); i > 1; --i) {
                std::swap(entries[i - 1], entries[m_random.below(i)]);
            }
        }
        ValueRef result = dict();
        for (Entry& entry : entries) {
            result->items.push_back(word(entry.key));
            result->items.push_back(std::move(entry.value));
        }
        return result;
    }

    /// A key or one of few texts.
    ValueRef word(const std::string& name)
    {
        if (!m_taste.shares_keys) {
            return text(name);
        }
        ValueRef& known = m_words[name];
        known = known ? known : text(name);
        return known;
    }

    std::size_t count(std::size_t usual)
    {
        static const std::vector<std::size_t> kLarge{999, 1000, 1001, 1999, 2000, 2001};
        if (m_taste.has_large_lists && m_large_lists < 3 && m_random.chance(0.1)) {
            ++m_large_lists;
            return m_random.pick(kLarge);
        }
        return m_random.below(usual + 1);
    }

    ValueRef many(std::size_t usual, const std::function<ValueRef()>& item)
    {
        ValueRef result = list();
        for (std::size_t n = count(usual); n > 0; --n) {
            result->items.push_back(m_random.chance(m_taste.odd) ? m_odd.anything(1) : item());
        }
        return result;
    }

    ValueRef address()
    {
        if (m_random.chance(0.1)) {
            return unsignedInteger(18446720620317114368ULL + 512 * m_random.below(100));
        }
        return integer(static_cast<std::int64_t>(0x7f0000000000 + 512 * m_random.below(100000)));
    }

    ValueRef size()
    {
        static const std::vector<std::int64_t> kSizes{0, 1, 400, 512, 65536, 2 << 20, 1 << 30};
        return integer(m_random.pick(kSizes) + static_cast<std::int64_t>(m_random.below(3)));
    }

    ValueRef pool()
    {
        std::vector<ValueRef> ids{integer(static_cast<std::int64_t>(m_random.below(2))),
                                  integer(static_cast<std::int64_t>(m_random.below(3)))};
        return m_random.chance(0.9) ? tuple(std::move(ids)) : list(std::move(ids));
    }

    ValueRef frame()
    {
        static const std::vector<std::string> kNames{"forward", "backward", "<module>", "step"};
        static const std::vector<std::string> kFiles{"model.py", "/home/me/train.py", "??"};
        Entries entries{{"name", text(m_random.pick(kNames))},
                        {"filename", text(m_random.pick(kFiles))},
                        {"line", integer(static_cast<std::int64_t>(m_random.below(20)))}};
        if (m_has_fx && m_random.chance(0.5)) {
            entries.push_back({"fx_node_op", word("call_function")});
            entries.push_back({"fx_node_name", text(fmt::format("add_{}", m_random.below(5)))});
            entries.push_back({"fx_node_target", m_random.chance(0.5) ? none() : text("t")});
            entries.push_back({"fx_original_trace", text("  File \"m.py\"\n    x + y\n")});
        }
        return finish(std::move(entries));
    }

    ValueRef frames()
    {
        if (m_taste.shares_lists && m_last_frames && m_random.chance(0.4)) {
            return m_last_frames;
        }
        m_last_frames = list();
        const std::size_t depth =
            m_random.chance(0.01) ? 200 + m_random.below(900) : m_random.below(6);
        for (std::size_t i = 0; i < depth; ++i) {
            m_last_frames->items.push_back(m_random.chance(m_taste.odd) ? m_odd.anything(1)
                                               : m_taste.shares_frames  ? m_random.pick(m_frames)
                                                                        : frame());
        }
        return m_last_frames;
    }

    ValueRef forwardFrames()
    {
        return many(3, [&] { return text(fmt::format("  line {}\n", m_random.below(3))); });
    }

    ValueRef event()
    {
        static const std::vector<std::string> kActions{
            "alloc",        "alloc",        "free_requested",    "free_completed", "segment_alloc",
            "segment_free", "segment_map",  "segment_unmap",     "snapshot",       "oom",
            "annotate",     "user_defined", "workspace_snapshot"};
        const std::string& action = m_random.pick(kActions);
        Entries entries{{"action", word(action)},
                        {action == "oom" ? "device_free" : "addr", address()},
                        {"size", size()},
                        {"stream", integer(static_cast<std::int64_t>(m_random.below(3)))}};
        if (m_has_times) {
            m_time +=
                static_cast<std::int64_t>(m_random.below(4)) - (m_random.chance(0.05) ? 9 : 0);
            entries.push_back({"time_us", integer(m_time)});
        }
        if (m_has_labels) {
            entries.push_back({"compile_context", text(m_random.chance(0.5) ? "N/A" : "Region 0")});
            entries.push_back({"user_metadata", text(m_random.chance(0.5) ? "" : "mark")});
            if (m_random.chance(0.1)) {
                entries.push_back({"internal_metadata", text("mallocWithAddress")});
            }
            if (m_random.chance(0.2)) {
                entries.push_back({"category", word("gradient")});
            }
        }
        if (m_has_pools) {
            entries.push_back({"pool_id", pool()});
        }
        if (m_random.chance(0.8)) {
            entries.push_back({"frames", frames()});
        }
        if (m_has_forward && m_random.chance(0.5)) {
            entries.push_back({"forward_frames", forwardFrames()});
        }
        return finish(std::move(entries));
    }

    ValueRef deviceTraces()
    {
        ValueRef result = list();
        for (std::size_t n = m_random.below(5); n > 0; --n) {
            result->items.push_back(
                m_random.chance(m_taste.odd)
                    ? m_odd.anything(1)
                    : many(m_random.chance(0.3) ? 0 : 40, [&] { return event(); }));
        }
        return result;
    }

    ValueRef block(std::int64_t& at)
    {
        static const std::vector<std::string> kStates{"active_allocated", "active_pending_free",
                                                      "inactive"};
        Entries entries;
        ValueRef extent = size();
        const ValueRef where = integer(at);
        at += extent->integer;
        entries.push_back({"size", extent});
        entries.push_back({"state", word(m_random.pick(kStates))});
        if (m_has_history) {
            if (m_random.chance(0.7)) {
                entries.push_back({"history", many(2, [&] {
                                       return finish({{"addr", where},
                                                      {"real_size", size()},
                                                      {"frames", frames()}});
                                   })});
            }
            return finish(std::move(entries));
        }
        entries.push_back({"address", where});
        entries.push_back({"requested_size", size()});
        entries.push_back({"frames", frames()});
        if (m_has_forward && m_random.chance(0.3)) {
            entries.push_back({"forward_frames", forwardFrames()});
        }
        return finish(std::move(entries));
    }

    ValueRef segment(std::int64_t device)
    {
        const ValueRef base = address();
        std::int64_t at = base->integer;
        ValueRef blocks = many(5, [&] { return block(at); });
        Entries entries{{"device", integer(device)},
                        {"address", base},
                        {"total_size", m_random.chance(0.8) ? integer(at - base->integer) : size()},
                        {"allocated_size", size()},
                        {"active_size", size()},
                        {"stream", integer(0)},
                        {"segment_type", word(m_random.chance(0.5) ? "small" : "large")},
                        {"blocks", blocks}};
        if (!m_has_history) {
            entries.push_back({"requested_size", size()});
            entries.push_back({"segment_pool_id", pool()});
            entries.push_back({"is_expandable", boolean(m_random.chance(0.3))});
            entries.push_back({"frames", frames()});
            if (m_has_forward && m_random.chance(0.3)) {
                entries.push_back({"forward_frames", forwardFrames()});
            }
        }
        return finish(std::move(entries));
    }

    ValueRef segments()
    {
        return many(6, [&] { return segment(static_cast<std::int64_t>(m_random.below(3))); });
    }

    ValueRef annotation()
    {
        m_time += static_cast<std::int64_t>(m_random.below(4));
        return finish({{"name", text(fmt::format("step {}", m_random.below(3)))},
                       {"stage", word(m_random.chance(0.5) ? "START" : "END")},
                       {"device", integer(static_cast<std::int64_t>(m_random.below(2)))},
                       {"time_us", integer(m_time)}});
    }

    ValueRef settings()
    {
        Entries divisions;
        for (int n = 1; n <= 16; n *= 2) {
            divisions.push_back({std::to_string(n), integer(n % 3)});
        }
        return finish({{"PYTORCH_CUDA_ALLOC_CONF", text("expandable_segments:True")},
                       {"max_split_size", integer(-1)},
                       {"garbage_collection_threshold", floating(0.5)},
                       {"expandable_segments", boolean(true)},
                       {"pinned_num_register_threads", integer(1)},
                       {"roundup_power2_divisions", finish(std::move(divisions))}});
    }

    Random m_random;
    OddValues m_odd{m_random};
    SnapshotTaste m_taste;
    std::map<std::string, ValueRef> m_words;
    std::vector<ValueRef> m_frames;
    ValueRef m_last_frames;
    std::int64_t m_time = 1'700'000'000'000'000;
    int m_large_lists = 0;
    bool m_has_history = false;
    bool m_has_times = true;
    bool m_has_pools = false;
    bool m_has_forward = false;
    bool m_has_fx = false;
    bool m_has_labels = false;
};

} // namespace

SnapshotTaste randomTaste(std::uint64_t seed)
{
    Random random(seed ^ 0x7a57eULL);
    SnapshotTaste taste;
    taste.shares_frames = random.chance(0.7);
    taste.shares_lists = random.chance(0.7);
    taste.shares_keys = random.chance(0.7);
    taste.has_large_lists = random.chance(0.1);
    if (random.chance(0.34)) {
        return taste;
    }
    taste.odd = random.pick(std::vector<double>{0.0, 0.005, 0.05, 0.3});
    taste.missing = random.pick(std::vector<double>{0.0, 0.02, 0.2});
    taste.unknown = random.pick(std::vector<double>{0.0, 0.05, 0.5});
    taste.is_shuffled = random.chance(0.4);
    taste.has_repeated_keys = random.chance(0.15);
    return taste;
}

ValueRef randomSnapshot(std::uint64_t seed, const SnapshotTaste& taste)
{
    return Maker(seed, taste).root();
}

} // namespace tidemark::test
