// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"
#include "core/message/cause.h"
#include "core/message/fix.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::diagnose {

/// For a «name» in a text of the resources. All bytes of one text get one unit.
struct Figure {
    Figure() = default;
    Figure(std::string words)
        : text(std::move(words))
    {
    }
    Figure(std::string_view words)
        : text(words)
    {
    }
    Figure(const char* words)
        : text(words)
    {
    }
    Figure(Bytes amount)
        : bytes(amount)
    {
    }
    Figure(const Between& ends)
    {
        if (ends.least == ends.most) {
            bytes = ends.least;
        } else {
            text = formatInterval(ends.least, ends.most);
        }
    }

    std::string text;
    std::optional<Bytes> bytes; ///< Instead of the text.
};
using Figures = std::map<std::string, Figure, std::less<>>;

/// The text in the language in use, every «name» replaced by its figure; a name without one stays,
/// which the tests look for.
std::string filledIn(std::string_view text, const Figures& figures);

/// As `filledIn`, of a line to paste, which is the same in every language.
std::string lineFilledIn(std::string_view line, const Figures& figures);

/// What resources/causes.json says about a cause, in English.
struct CauseText {
    std::string title;
    std::string headline;
    std::map<std::string, std::string, std::less<>> evidence;
    std::string sure; ///< What would make it surer.
    std::string myth; ///< What tempts beside it and does not help, with the reason; may be empty.
};
/// Parsed once; thread-safe.
const CauseText& causeText(Cause cause);
/// Its one title, in the language in use.
std::string_view causeTitle(Cause cause);
/// One sentence of evidence, filled in. Requires that the cause has it.
std::string evidenceText(Cause cause, std::string_view name, const Figures& figures);

/// Below, what is found has to say what would make it surer.
inline constexpr double kSure = 0.8;

/// Each finding that is not sure gets what would make it so.
void sayWhatWouldHelp(std::vector<CauseFinding>& causes);

/// One fix of resources/fixes.json, in English, in the file's order, which is the ladder's.
struct FixText {
    std::string id;
    std::string knowledge;
    int cost_rank = 0;
    bool changes_science = false;
    std::vector<std::string> apply; ///< In `predict --apply` words, the mildest first.
    std::string title;
    std::string why;
    bool why_needs_nothing = false; ///< True without any figure of a text.
    std::string missing;
    std::string already;
    std::vector<std::pair<std::string, std::string>> how;
    std::string group; ///< Of those with the same one only one can be used; may be empty.
    std::string cost; ///< Speed and work, one sentence.
    std::string verify; ///< What to check again afterwards; empty if results stay the same.
    std::vector<std::string> conflicts; ///< One sentence each.
    FixNeeds needs; ///< Without the host memory, which depends on the run.
};
const std::vector<FixText>& fixTexts();
/// Cost, conflicts and all else that a fix asks for, in the language in use.
void addTerms(const FixText& text, Fix& fix);
/// An entry as resources/fixes.json and explain.json both write it; `missing` and `already`, which
/// not all have, stay empty.
FixText fixTextOf(const nlohmann::ordered_json& entry);

} // namespace tidemark::diagnose
