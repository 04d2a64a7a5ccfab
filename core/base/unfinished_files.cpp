// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/unfinished_files.h"

#include "core/base/new_file.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace tidemark {
namespace {

enum class SlotState : int { free, filling, taken };

/// In memory that is always there, as a signal may come at any time.
struct Slot {
    std::atomic<SlotState> state{SlotState::free};
    std::array<char, 4096> path{};
};
static_assert(std::atomic<SlotState>::is_always_lock_free, "signals may not wait");

std::array<Slot, 24> g_slots; // A signal handler has nothing else.

extern "C" void removeAndEnd(int signal)
{
    for (const Slot& slot : g_slots) {
        if (slot.state.load() == SlotState::taken) {
            ::unlink(slot.path.data());
        }
    }
    // The handler was installed for one signal, so this one ends the program as if there were none.
    ::raise(signal);
}

} // namespace

int noteUnfinishedFile(const std::string& path)
{
    for (std::size_t i = 0; i < g_slots.size(); ++i) {
        Slot& slot = g_slots[i];
        SlotState expected = SlotState::free;
        if (path.size() < slot.path.size()
            && slot.state.compare_exchange_strong(expected, SlotState::filling)) {
            std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
            slot.state.store(SlotState::taken);
            return static_cast<int>(i);
        }
    }
    return -1;
}

void forgetUnfinishedFile(int slot)
{
    if (slot >= 0) {
        g_slots[static_cast<std::size_t>(slot)].state.store(SlotState::free);
    }
}

void removeUnfinishedFilesOnSignals()
{
    // A file that grows beyond a limit is an error like a full disk, not the end of the program.
    std::signal(SIGXFSZ, SIG_IGN);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction old { };
        if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) {
            struct sigaction action { };
            action.sa_handler = removeAndEnd;
            action.sa_flags = static_cast<int>(SA_RESETHAND);
            ::sigaction(signal, &action, nullptr);
        }
    }
}

} // namespace tidemark
