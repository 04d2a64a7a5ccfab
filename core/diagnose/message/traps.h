// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/cause.h"
#include "core/diagnose/oom_message.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// Known traps (resources/traps.json): what people run into, the signs that show it in a text or in
// a stack, and the lines that end it. docs/traps.md says how to add one.

inline constexpr std::size_t kPostedText = 30'000; ///< Bytes of a post; longer is a program's log.

/// "transformers/trainer.py:_load_best_model"; the function may be "*".
struct TrapFrame {
    std::string path; ///< The end of a path, with '/'.
    std::string function;

    /// Whether a frame of a stack is it: whole components of the path, the same function.
    [[nodiscard]] bool matches(std::string_view file, std::string_view name) const;
};

/// Parts that must all be there; indices into the catalogue's lists.
struct TrapSign {
    std::vector<std::size_t> phrases;
    std::vector<std::size_t> frames;
};

struct TrapLine {
    std::string fix; ///< Its id in the ladder, or one of its own; may be empty.
    std::string framework; ///< As fixes call it: "HF Trainer", "vLLM", "shell".
    std::string line;
};

struct Trap {
    std::string id;
    Cause cause = Cause::unclear;
    std::string say; ///< One claim, English; translate before it is shown.
    std::string next; ///< What would make it sure.
    std::string source; ///< A public thread or source file.
    std::string library; ///< Whose paths its frames belong to; may be empty.
    std::string figures; ///< A relation of the message's figures: "free<total*0.5".
    double strength = 0;
    bool in_snapshot = false; ///< Its frames can stand in the stack of an allocation.
    std::vector<TrapSign> signs; ///< One suffices.
    std::vector<std::size_t> absent; ///< Phrases that may not be there.
    std::vector<TrapLine> lines; ///< What to paste; the first to try first.
    std::vector<std::string> never; ///< Fixes that cannot help.
};

struct TrapCatalogue {
    std::vector<Trap> traps;
    std::vector<std::string> phrases; ///< As the file has them, lower case.
    std::vector<std::string> squeezed_phrases; ///< See word_finder.h.
    std::vector<TrapFrame> frames;
    std::vector<std::string> files; ///< Last components of the frames' paths, squeezed.
    std::vector<std::vector<std::size_t>> frames_of_file;
};
/// Parsed once; thread-safe.
const TrapCatalogue& trapCatalogue();

/// Where a text shows the parts of signs, the last place of each; 0 is nowhere.
struct TrapSigns {
    std::vector<std::size_t> phrases;
    std::vector<std::size_t> frames;

    /// A phrase's squeezed form ends at `end`. O(the phrase).
    void addPhrase(std::string_view text, std::size_t phrase, std::size_t end);
    /// A file's name ends at `end`: "File "…/trainer.py", line 5, in step", "trainer.py:5 in step",
    /// "step (trainer.py:5)". O(the line's surroundings).
    void addFile(std::string_view text, std::size_t file, std::size_t end);
};

/// A trap whose signs a text shows.
struct TrapMatch {
    const Trap* trap = nullptr;
    double score = 0; ///< Its strength, less where a sign is weak here.
    bool by_frames = false; ///< By frames alone.
};

/// What the matching looks at beside the signs.
struct TrapText {
    std::string_view text;
    const OomMessage* message = nullptr;
    bool shows_event = false; ///< Something else that ends a run for want of memory.
};
/// Best first. Frames alone are a sign only where the text ends in want of memory, or is a
/// traceback that was cut off before its error. O(catalogue + text).
std::vector<TrapMatch> matchTraps(const TrapSigns& signs, const TrapText& in);

/// The relation holds of the figures; one that the message lacks holds of nothing.
bool holds(std::string_view relation, const OomMessage& message);

} // namespace tidemark::diagnose
