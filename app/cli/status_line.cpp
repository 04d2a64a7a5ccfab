// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/status_line.h"

#include "core/base/language.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace tidemark::cli {
namespace {

/// What stages are reported as.
[[maybe_unused]] constexpr std::array kStageWords{
    toSay("opening"),    toSay("checking"),  toSay("reading"),    toSay("decoding"),
    toSay("replaying"),  toSay("labelling"), toSay("diagnosing"), toSay("replaying the allocator"),
    toSay("simulating"),
};

} // namespace

StatusLine::StatusLine()
    : m_is_terminal(::isatty(STDERR_FILENO) == 1)
{
}

StatusLine::~StatusLine()
{
    if (m_is_begun) {
        std::fputs("\r\x1b[K", stderr);
    }
}

void StatusLine::show(std::string_view text)
{
    if (m_is_terminal) {
        m_is_begun = true;
        fmt::print(stderr, "\r{}\x1b[K", text);
    }
}

void StageLine::report(std::string_view stage, double fraction)
{
    constexpr std::chrono::milliseconds kBetween{100};
    const Clock::time_point now = Clock::now();
    if (!m_line.isVisible() || now < m_next) {
        return;
    }
    m_next = now + kBetween;
    m_line.show(fmt::format("{} {} %", translated(stage),
                            static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100)));
}

} // namespace tidemark::cli
