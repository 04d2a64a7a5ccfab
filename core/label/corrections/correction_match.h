// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/corrections.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::label {

/// Which stacks a correction means. Every distinct stack is judged once, when it is first asked
/// for. For use inside core/label.
class StackMatcher {
public:
    /// Both must outlive the matcher.
    StackMatcher(const trace::Snapshot& snapshot, const CorrectionMatch& match);

    [[nodiscard]] bool matches(StackId stack);
    /// The name of the innermost frame that a written stack asks for; empty without one.
    [[nodiscard]] std::string_view innermost() const
    {
        return m_stack.empty() ? std::string_view() : m_stack.front().name;
    }

private:
    enum class Verdict : std::uint8_t { unknown, no, yes };
    [[nodiscard]] bool isStack(std::span<const FrameId> frames);
    [[nodiscard]] bool isNoise(FrameId id);
    [[nodiscard]] bool hasFrame(std::span<const FrameId> frames);
    [[nodiscard]] bool isFrame(FrameId id);

    const trace::Snapshot& m_snapshot;
    const CorrectionMatch& m_match;
    std::vector<FrameText> m_stack; ///< Without noise.
    std::vector<Verdict> m_stacks;
    std::vector<Verdict> m_frames; ///< Has the function's and the file's text.
    std::vector<Verdict> m_noise;
};

} // namespace tidemark::label
