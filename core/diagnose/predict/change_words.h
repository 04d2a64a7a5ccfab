// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/predict/change.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// All that is said of the changes of `predict --apply`. The parser, the help of the command line,
// the window's controls and the fixes of a plan read this table.

enum class ValueForm : std::uint8_t { ratio, count, word, word_or_count };
/// Where What if shows a control.
enum class ChangeGroup : std::uint8_t { step, passes, optimizer_step, sharing };

/// A word, or one of a few numbers. Texts are in English.
struct ChangeValue {
    std::string_view word;
    const char* title = nullptr; ///< An entry of the control; null: none.
    const char* help = nullptr; ///< Of a value that is a switch of its own, not an entry,
    ChangeGroup group = ChangeGroup::step; ///< which is shown there.
    std::string_view old_word{}; ///< Read as this one, but neither listed nor printed.
    bool takes_count = false; ///< "word-COUNT" is listed.
};

struct ChangeWord {
    ChangeKind kind;
    std::string_view id;
    ChangeGroup group;
    const char* title;
    const char* help; ///< One sentence.
    const char* no_effect; ///< What a run has nothing of in which it alters nothing.
    ValueForm form;
    std::string_view unit{}; ///< Of a number: "R", "RANK".
    double largest = 0; ///< Of a number.
    double usual = 0; ///< A number to try, of a count.
    /// Of one without titles the first is a switch of the window.
    std::vector<ChangeValue> values{};
    std::optional<ChangeKind> excludes{};
    const char* as_recorded = nullptr; ///< Of a count: without the change; null: "as recorded".
    bool takes_layers = false; ///< Names of layers may follow the number: "RANK:LAYERS".
};

/// Values that what finds a change names, too.
namespace values {
inline constexpr std::string_view kBf16 = "bf16";
inline constexpr std::string_view kPureBf16 = "pure-bf16";
inline constexpr std::string_view kSgd = "sgd";
inline constexpr std::string_view kSgdMomentum = "sgd-momentum";
} // namespace values

/// One per kind, in its order.
const std::vector<ChangeWord>& changeWords();
const ChangeWord& changeWord(ChangeKind kind);

/// What may stand behind --apply: "fused-loss=on|recompute|PARTS".
std::string grammarOf(const ChangeWord& word);

} // namespace tidemark::diagnose
