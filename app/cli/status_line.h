// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"

#include <chrono>
#include <string_view>

namespace tidemark::cli {

/// One line on the terminal behind standard error that is written over again and again, and erased
/// in the end. Where standard error is no terminal, nothing is written.
class StatusLine {
public:
    StatusLine();
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;
    ~StatusLine();

    [[nodiscard]] bool isVisible() const
    {
        return m_is_terminal;
    }
    void show(std::string_view text);

private:
    bool m_is_terminal;
    bool m_is_begun = false;
};

/// Which stage the work on a file is in and how far, once that takes more than a second.
class StageLine final : public ProgressSink {
public:
    void report(std::string_view stage, double fraction) override;

private:
    using Clock = std::chrono::steady_clock;

    StatusLine m_line;
    Clock::time_point m_next = Clock::now() + std::chrono::seconds(1);
};

} // namespace tidemark::cli
