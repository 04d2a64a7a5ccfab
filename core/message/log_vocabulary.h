// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/log_findings.h"
#include "core/message/word_finder.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// All words at which something is looked for in a log, of whatever kind, so that one pass over the
// text finds them.

enum class WordGroup : std::uint8_t {
    message,
    card,
    bare,
    event,
    reading,
    factor,
    family,
    stage,
    framework,
    ooms,
    translated,
    vllm,
    backward,
    settings, ///< Of the allocator.
    trap_phrase,
    trap_file ///< The last part of the path of a frame.
};

/// What a program prints as a stage begins or, of an evaluation, ends; squeezed.
struct StageWording {
    std::string_view words;
    LogStage stage = LogStage::unknown;
};
std::span<const StageWording> stageWordings();

/// What shows that a framework runs, squeezed, and its name in resources/fixes.json.
struct FrameworkWording {
    std::string_view words;
    std::string_view name;
};
std::span<const FrameworkWording> frameworkWordings();

/// In the heading of torch.cuda.memory_summary(): "CUDA OOMs: 1".
inline constexpr std::string_view kOomCount = "cudaooms:";

struct LogVocabulary {
    std::vector<std::string_view> words;
    std::vector<WordGroup> groups;
    std::vector<std::size_t> numbers; ///< Index in the group's own list.
    WordFinder finder;

    LogVocabulary();

private:
    void add(std::span<const std::string_view> more, WordGroup group);
    void fill();
};
/// Made once; thread-safe.
const LogVocabulary& logVocabulary();

} // namespace tidemark::diagnose
