// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/part_schedule.h"

namespace tidemark::ui {
namespace {

constexpr double kFirst = 1.0 / 16;
constexpr int kPause = 4; ///< Times as long as the last reading took.

} // namespace

void PartSchedule::start(Clock::time_point now)
{
    m_next = kFirst;
    m_earliest = now + m_quiet;
    m_is_reading = false;
}

bool PartSchedule::isDue(double share, bool is_reading, Clock::time_point now)
{
    if (m_is_reading) {
        if (is_reading) {
            return false;
        }
        m_is_reading = false;
        m_earliest = now + kPause * (now - m_read_from);
    }
    if (share < m_next || share >= 1 || now < m_earliest) {
        return false;
    }
    m_next = 2 * share;
    m_read_from = now;
    m_is_reading = true;
    return true;
}

} // namespace tidemark::ui
