// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/replay.h"
#include "tests/core/replay/wild_trace.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace tidemark::tst_replay_wild {

using trace::Action;

namespace {

constexpr std::uint32_t kForever = UINT32_MAX;

/// One lifetime: address, first state, first state without it, requested bytes.
using Life = std::tuple<Address, std::uint32_t, std::uint32_t, std::int64_t>;

/// What frees say about one address, between two times it was handed out.
struct Ending {
    std::uint32_t state = kForever; ///< The first without the allocation.
    std::int64_t bytes = 0;
};

/// Reads the events of one address forwards, as a person would, where the replay reads backwards.
class AddressStory {
public:
    AddressStory(const trace::Device& device, Address address)
        : m_device(device)
        , m_address(address)
    {
        for (const trace::Block& block : device.blocks) {
            const bool is_active = block.state != trace::BlockState::inactive;
            if (block.address == address && is_active && m_final == nullptr) {
                m_final = &block;
            }
        }
    }

    std::vector<Life> lives()
    {
        const trace::Events& events = m_device.events;
        for (std::size_t i = 0; i < events.count(); ++i) {
            if (events.address[i] == m_address) {
                read(static_cast<std::uint32_t>(i), events.action[i], events.size[i].value);
            }
        }
        const bool is_pending =
            m_final != nullptr && m_final->state == trace::BlockState::active_pending_free;
        if (m_request && !is_pending) {
            endAt(*m_request);
        }
        if (m_final != nullptr) {
            m_endings.push_back({kForever, m_final->requested.value});
        }
        closeChapter(static_cast<std::uint32_t>(events.count()));
        return m_lives;
    }

private:
    void read(std::uint32_t event, Action action, std::int64_t bytes)
    {
        if (action == Action::alloc) {
            if (m_request) {
                endAt(*m_request);
            }
            closeChapter(event + 1);
            m_alloc = Ending{event + 1, bytes};
        } else if (action == Action::free_requested) {
            if (m_request) {
                endAt(*m_request); // Its completion never came.
            }
            m_request = Ending{event + 1, bytes};
        } else if (action == Action::free_completed) {
            endAt({event + 1, bytes});
        }
    }

    void endAt(const Ending& ending)
    {
        m_endings.push_back(ending);
        m_request.reset();
    }

    /// The address is handed out again in state `next`, or the trace ends after it.
    void closeChapter(std::uint32_t next)
    {
        std::uint32_t begin = m_alloc ? m_alloc->state : 0;
        for (std::size_t i = 0; i < m_endings.size(); ++i) {
            const Ending& ending = m_endings[i];
            const bool knows_size = i == 0 && m_alloc && ending.state != kForever;
            m_lives.emplace_back(m_address, begin, ending.state,
                                 knows_size ? m_alloc->bytes : ending.bytes);
            begin = ending.state;
        }
        if (m_endings.empty() && m_alloc) {
            m_lives.emplace_back(m_address, begin, std::max(begin, next), m_alloc->bytes);
        }
        m_endings.clear();
        m_request.reset();
    }

    const trace::Device& m_device;
    Address m_address;
    const trace::Block* m_final = nullptr;
    std::optional<Ending> m_alloc;
    std::optional<Ending> m_request;
    std::vector<Ending> m_endings;
    std::vector<Life> m_lives;
};

std::vector<Life> storyOf(const trace::Device& device)
{
    std::map<Address, bool> addresses;
    for (const Address address : device.events.address) {
        addresses[address] = true;
    }
    for (const trace::Block& block : device.blocks) {
        addresses[block.address] = true;
    }
    std::vector<Life> all;
    for (const auto& [address, seen] : addresses) {
        const std::vector<Life> lives = AddressStory(device, address).lives();
        all.insert(all.end(), lives.begin(), lives.end());
    }
    std::ranges::sort(all);
    return all;
}

std::vector<Life> livesOf(const replay::DeviceReplay& replay)
{
    std::vector<Life> all;
    const replay::Allocations& a = replay.allocations;
    for (std::size_t i = 0; i < a.count(); ++i) {
        const bool is_final = a.end[i] > replay.lastState();
        all.emplace_back(a.address[i], a.begin[i].value, is_final ? kForever : a.end[i].value,
                         a.requested[i].value);
    }
    std::ranges::sort(all);
    return all;
}

std::string textOf(const std::vector<Life>& lives)
{
    std::string text;
    for (const auto& [address, begin, end, bytes] : lives) {
        text += fmt::format("{:x} [{}, {}) {}\n", address, begin, end, bytes);
    }
    return text;
}

} // namespace

/// Traces in which nothing need fit, against a second reading of the rules.
class TstReplayWild : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyLifetimeIsTheOneAPersonWouldRead()
    {
        for (unsigned seed = 0; seed < 2000; ++seed) {
            const test::WildTrace wild(seed);
            NoProgress progress;
            const replay::Replay r = replay::run(wild.snapshot, progress, {}).value();
            const std::vector<Life> expected = storyOf(wild.snapshot.devices[0]);
            const std::vector<Life> found = livesOf(r.devices[0]);
            QVERIFY2(
                found == expected,
                fmt::format("seed {}\nexpected\n{}found\n{}", seed, textOf(expected), textOf(found))
                    .c_str());
        }
    }

    void everyStateHoldsWhatLivesInIt()
    {
        for (unsigned seed = 0; seed < 300; ++seed) {
            const test::WildTrace wild(seed);
            NoProgress progress;
            const replay::Replay r = replay::run(wild.snapshot, progress, {}).value();
            const std::vector<Life> lives = storyOf(wild.snapshot.devices[0]);
            for (std::uint32_t s = 0; s < r.devices[0].stateCount(); ++s) {
                std::int64_t active = 0;
                for (const auto& [address, begin, end, bytes] : lives) {
                    active += begin <= s && s < end ? bytes : 0;
                }
                QVERIFY2(r.devices[0].active[s] == active,
                         fmt::format("seed {} state {}: {} instead of {}", seed, s,
                                     r.devices[0].active[s], active)
                             .c_str());
            }
        }
    }
};

TIDEMARK_TEST(TstReplayWild)

} // namespace tidemark::tst_replay_wild

#include "tst_replay_wild.moc"
