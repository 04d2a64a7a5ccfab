// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/cause.h"
#include "core/message/code_faults.h"
#include "core/message/oom_message.h"
#include "core/message/sayings.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::diagnose {

// Known traps (resources/traps.json): what people run into, the signs that show it in a text or in
// a stack, and the lines that end it. docs/traps.md says how to add one.

inline constexpr std::size_t kPostedText = 30'000; ///< Bytes of a post; longer is a program's log.
inline constexpr std::size_t kMostTrapPath = 400; ///< Bytes of a path or line that are looked at.

/// "transformers/trainer.py:_load_best_model"; the function may be "*", in snapshots the path too.
struct TrapFrame {
    std::string path; ///< The end of a path, with '/'.
    std::string function;

    /// Whether a frame of a stack is it: whole components of the path, the same function.
    [[nodiscard]] bool matches(std::string_view file, std::string_view name) const
    {
        return isFunction(name) && isIn(file);
    }
    [[nodiscard]] bool isFunction(std::string_view name) const;
    [[nodiscard]] bool isIn(std::string_view file) const;
};

/// Parts that must all be there; indices into the catalogue's lists.
struct TrapSign {
    std::vector<std::size_t> phrases;
    std::vector<std::size_t> frames;
    std::vector<std::size_t> sayings;
    std::vector<std::size_t> options;
    std::vector<CodeFault> faults;
    double strength = 0; ///< The trap's, where the sign has none of its own.
    std::string figures; ///< As the trap's, for this sign alone.

    [[nodiscard]] bool isByFrames() const
    {
        return phrases.empty() && sayings.empty() && options.empty() && faults.empty();
    }
};

/// A relation that an option of the text has: "gpu_memory_utilization>=0.95".
struct TrapOption {
    std::string name; ///< Lower case, '_' between its words.
    std::string sign;
    double number = 0;
};

struct TrapLine {
    std::string fix; ///< Its id in the ladder, or one of its own; may be empty.
    std::string framework; ///< As fixes call it: "HF Trainer", "vLLM", "shell".
    std::string line; ///< With what stands for a figure where no text states it.
    std::string stated{}; ///< The same with «number» or «share» for what a text states.
    std::vector<std::string> behind{}; ///< Squeezed phrases; the figure stands behind one of them.
};

/// What shows a trap in the stacks of a snapshot.
enum class InSnapshot : std::uint8_t {
    no,
    line, ///< What a line of its frames allocates, such as a cast, without any call of Python.
    own, ///< What its frames allocate themselves, without the modules that they call.
    copy, ///< The same where as large weights live beside it.
    peak, ///< All below its frames, where the peak's or the failed request is among it.
    oom, ///< All below its frames, where the failed request is among it.
    graph, ///< Graphs of forward passes below its frames that no backward follows.
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
    InSnapshot in_snapshot = InSnapshot::no;
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
    std::vector<Saying> sayings;
    std::vector<TrapOption> options;
    std::vector<std::string> files; ///< Last components of the frames' paths, squeezed.
    std::vector<std::vector<std::size_t>> frames_of_file;
};
/// Parsed once; thread-safe.
const TrapCatalogue& trapCatalogue();

/// Its sentence, translated, without the point at the end.
std::string claimOf(const Trap& trap);
/// Whether a path may be of the trap's library. O(1).
bool isOfLibrary(const Trap& trap, std::string_view path);
/// Adds a line to what is pasted: one text per framework, as JSON has it.
void addLine(const TrapLine& line, std::vector<std::pair<std::string, std::string>>& how);

/// Where a text shows the parts of signs, the last place of each; 0 is nowhere.
struct TrapSigns {
    std::vector<std::size_t> phrases;
    std::vector<std::size_t> frames;
    std::vector<std::size_t> sayings; ///< Of posts alone.
    std::vector<std::size_t> options; ///< As sayings.
    std::vector<CodeHit> faults; ///< As sayings.

    /// Sayings, options and faults, where `text` is short enough for a post. O(text).
    void addPost(std::string_view text);
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
    const CodeHit* fault = nullptr; ///< The line of code that shows it; lives as the signs do.
    std::size_t place = 0; ///< Behind the first part of its sign; 0: of no place.
};

/// What the matching looks at beside the signs.
struct TrapText {
    std::string_view text;
    const OomMessage* message = nullptr;
    bool shows_event = false; ///< Something else that ends a run for want of memory.
    bool speaks_of_memory = false; ///< Without that, code alone is no sign.
};
/// Best first. Frames alone are a sign only where the text ends in want of memory, or is a
/// traceback that was cut off before its error. O(catalogue + text).
std::vector<TrapMatch> matchTraps(const TrapSigns& signs, const TrapText& in);

/// The relation holds of the figures; one that the message lacks holds of nothing.
bool holds(std::string_view relation, const OomMessage& message);

} // namespace tidemark::diagnose
