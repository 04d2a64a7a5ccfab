// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/cause.h"
#include "core/message/fix.h"
#include "core/message/log_findings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What a person adds to a text.
struct ExplainOptions {
    std::optional<Bytes> capacity; ///< What this process can get.
};

/// A known trap (traps.h) as it is shown.
struct ShownTrap {
    std::string id;
    std::string next; ///< One command or question that would make it sure; translated.
    std::string source;
};

/// How an explanation leaves its reader: never without something to do.
enum class Ending : std::uint8_t {
    lines, ///< A cause, and lines to paste that may help it.
    question, ///< Two candidates or more, and the question that decides (`to_be_sure`).
    nothing, ///< The text has nothing about memory.
};
/// "lines", "question", "nothing".
std::string_view endingId(Ending ending);

/// What a text alone says: an out-of-memory message, a traceback or a whole log, without any
/// snapshot.
struct Explanation {
    LogFindings findings;
    std::optional<OomMessage> message; ///< The one that ended the run.
    std::vector<CauseFinding> causes; ///< Ranked; at least one. Evidence has no places to jump to.
    std::string headline; ///< "GPU 0 ran out of memory: enough is cached, but in no hole …".
    std::string explanation; ///< What follows from the figures; may be empty.
    Bytes need; ///< Allocated and the request; what there is of them.
    Bytes overhead; ///< Reserved and not allocated.
    std::optional<Bytes> capacity;
    std::string capacity_source; ///< Where it comes from, or what is missing.
    std::vector<Fix>
        fixes; ///< By cost rank. Predicted peaks are those of the need: there is no trace.
    std::string fix_headline;
    std::optional<ShownTrap> trap; ///< The known trap that the first cause is of.
    Ending ending = Ending::nothing;
};

/// Never fails: a text that says nothing gives `unclear`, or `none` where it shows no error.
/// O(text).
Explanation explain(std::string_view text, const ExplainOptions& options = {});

} // namespace tidemark::diagnose
