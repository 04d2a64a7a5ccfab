// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/explain.h"
#include "core/message/fix_conditions.h"
#include "core/message/proof.h"
#include "core/message/stated_run.h"
#include "core/message/texts.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// A cached share below is no fragmentation to speak of.
inline constexpr double kLittleCached = 0.045;
/// Below, no setting is worth it beside another cause: every full GPU has as much in blocks that
/// are too small.
inline constexpr double kSomeCached = 0.1;
/// What a context and a desktop take beside PyTorch, on any card.
inline constexpr std::int64_t kContextAndDesktop = 1LL << 30;
/// Of what is reserved: enough that fragmentation comes first.
inline constexpr double kMuchCached = 0.2;
/// Of the card, held outside PyTorch: comes first.
inline constexpr double kManyOthers = 0.25;
/// Bytes; longer texts come from programs.
inline constexpr std::size_t kWrittenByPeople = 100'000;

/// What resources/explain.json says. Parsed once; thread-safe.
struct ExplainTexts {
    /// By cause id; others where less is known than the id says.
    std::map<std::string, std::string, std::less<>> headlines;
    std::map<std::string, std::string, std::less<>> evidence;
    std::vector<FixText>
        fixes; ///< The whole ladder by cost rank, with what is said without a trace.
};
const ExplainTexts& explainTexts();

/// A cause that one rule sees; `evidence` names a sentence of resources/explain.json.
struct TextFinding {
    Cause cause = Cause::unclear;
    double score = 0;
    std::string_view evidence;
    Figures more;
};

/// What the rules for texts look at.
struct TextCase {
    std::string_view log;
    const LogFindings& findings;
    const OomMessage* message = nullptr; ///< Null: the text has none.
    MessageProof proof;
    std::optional<SizeMatch> match;
    std::optional<Bytes> capacity;
    std::vector<std::string> filled_in; ///< Figures of the proof that tables in the log gave.
    std::vector<TrapMatch> traps{}; ///< Best first.
    std::optional<TextFinding> frame{}; ///< What the traceback before the message ends in.
    StatedRun run{}; ///< What the text says of the run.
    TextSituation situation{};

    [[nodiscard]] Figures figures() const;
    [[nodiscard]] std::string sentence(std::string_view evidence, const Figures& more = {}) const;
    /// Of the card; 0 where it is not known.
    [[nodiscard]] double shareOfCard(std::int64_t bytes) const;
};

/// The innermost lines of the traceback before the message; nothing where it has none.
std::optional<TextFinding> frameFinding(const TextCase& in);
/// Whether that traceback ends in building a model or moving it: nothing of a run is there yet.
bool startsUp(const TextCase& in);
/// What other events in the text mean, the first of them first.
std::vector<TextFinding> eventFindings(const TextCase& in);
/// What tables of nvidia-smi show by themselves. O(text), of short ones.
std::vector<TextFinding> tableFindings(const TextCase& in);
/// A tensor whose two large extents the text names. O(text), of short ones.
std::vector<TextFinding> shapeFindings(const TextCase& in);
/// What is likely in a program of the text's kind, where nothing names a cause; of a text that does
/// not say memory ran out, only a load that stops without a word.
std::vector<TextFinding> kindFindings(const TextCase& in, bool says_memory);
/// An event's line and its number, for sentences.
Figures lineOf(const LogEvent& event);
Figures lineOf(const CodeHit& hit);

/// The one of a cause; made where there is none.
CauseFinding& findingOf(Cause cause, std::vector<CauseFinding>& causes);
/// What the signs of known traps show, each with the line that shows it.
void addTraps(const TextCase& in, std::vector<CauseFinding>& causes);
/// Ranked, at least one.
std::vector<CauseFinding> causesOf(const TextCase& in);

/// Whether max_split_size_mb beside expandable segments may be why so much is cached.
bool showsClash(const TextCase& in);
/// What the figures prove beside the causes, as sentences.
std::vector<std::string> proofSentences(const TextCase& in);

/// The trap that the first cause is of; null: none.
const TrapMatch* decidingTrap(const TextCase& in, const std::vector<CauseFinding>& causes);
/// Whether the trap alone says what helps: figures prove nothing else.
bool decidesFixes(const TrapMatch& match);
/// The line without its remark, or the remark where that is all: "HF Trainer:
/// TrainingArguments(eval_accumulation_steps=8)".
std::string titleOf(const TrapLine& line);
/// Its lines to the front, and what cannot help away.
void applyTrap(const TextCase& in, const TrapMatch& match, const TextFacts& facts,
               std::vector<Fix>& fixes);
/// Whether a text speaks of memory at all. O(text).
bool speaksOfMemory(std::string_view text);
/// A person's text that names the error only to say that there was none. O(text).
bool deniesTheError(std::string_view text);
/// Whether a post has a word for memory: what its sentences and code show is of it then. O(text).
bool mentionsMemory(std::string_view text);

/// How it ends; adds what is missing for that: the command that shows more of another fault, a
/// second candidate, a question.
Ending endingOf(const TextCase& in, std::vector<CauseFinding>& causes, std::vector<Fix>& fixes);

/// What speaks against fixes, by the text and its first cause.
TextFacts factsOf(const TextCase& in, Cause first);
/// The ladder, judged by `causes`, which are ranked.
std::vector<Fix> fixesOf(const TextCase& in, const std::vector<CauseFinding>& causes);

} // namespace tidemark::diagnose
