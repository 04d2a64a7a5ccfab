// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <stop_token>
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

/// One of the equal parts of a stage, a device for example: where the work on it says how far it
/// is, and learns whether to go on.
struct StagePart {
    ProgressSink& sink;
    const std::stop_token& stop;
    std::string_view stage;
    std::size_t part = 0; ///< Of `parts`.
    std::size_t parts = 1;

    /// Reports that `done` of `all` items of this part are done; false when the work is to end.
    [[nodiscard]] bool goesOn(std::size_t done, std::size_t all) const
    {
        const double share = all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all);
        sink.report(stage, (static_cast<double>(part) + share) / static_cast<double>(parts));
        return !stop.stop_requested();
    }
};

} // namespace tidemark
