// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string_view>

namespace tidemark {

/// Where long work says how far it is. Called from the working thread, at most every few thousand
/// items.
class ProgressSink {
public:
    virtual ~ProgressSink() = default;
    /// `fraction` in [0, 1] within the named stage ("reading", "replaying", "labelling", …).
    virtual void report(std::string_view stage, double fraction) = 0;
};

/// For callers that do not care.
class NoProgress final : public ProgressSink {
public:
    void report(std::string_view, double) override { }
};

/// Work tests its stop token once per this many items.
inline constexpr unsigned kStopCheckStride = 4096;

} // namespace tidemark
