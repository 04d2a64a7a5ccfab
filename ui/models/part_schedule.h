// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <chrono>

namespace tidemark::ui {

/// When what has come of a file is worth another look while the rest arrives: at a sixteenth of it
/// and whenever twice as much is there, not while it is quiet at first, after which many files are
/// there wholly, and never so often that reading takes more than a fifth of the time.
class PartSchedule {
public:
    using Clock = std::chrono::steady_clock;

    /// How long it is quiet at first; a second unless told otherwise.
    void setQuiet(Clock::duration quiet)
    {
        m_quiet = quiet;
    }
    /// The transfer begins.
    void start(Clock::time_point now);
    /// Whether to read what has come: `share` of the file, 0 to 1. To be asked again and again;
    /// `is_reading`: the last reading that it asked for is still under way.
    bool isDue(double share, bool is_reading, Clock::time_point now);

private:
    Clock::duration m_quiet = std::chrono::seconds(1);
    double m_next = 0;
    Clock::time_point m_earliest;
    Clock::time_point m_read_from;
    bool m_is_reading = false;
};

} // namespace tidemark::ui
