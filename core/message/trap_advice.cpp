// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What a known trap says of the causes and the fixes.
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/backend_words.h"
#include "core/message/log_window.h"
#include "core/message/printed_size.h"
#include "core/message/text_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

constexpr double kDecides = 0.6;
constexpr double kNamedOwner = 0.96; ///< More than what the gap alone gives.
constexpr std::size_t kMostCauses = 6;
constexpr std::ptrdiff_t kMostLines = 8; ///< The number of each costs a look at the whole log.

/// The line of the text that shows a trap.
std::optional<Figures> shownBy(const TextCase& in, const TrapMatch& match)
{
    if (match.fault != nullptr) {
        return lineOf(*match.fault);
    }
    if (match.place == 0) {
        return std::nullopt;
    }
    const std::size_t at = match.place - 1;
    const std::string_view line = lineAt(in.log, at);
    const auto lost =
        std::ranges::count_if(line, [](char c) { return static_cast<unsigned char>(c) > 0x7FU; });
    if (4 * static_cast<std::size_t>(lost) > line.size()) {
        return std::nullopt; // Of another script, of which lines show nothing.
    }
    return Figures{
        {"line", shownLine(line, at - static_cast<std::size_t>(line.data() - in.log.data()))},
        {"number", formatCount(1 + std::ranges::count(in.log.substr(0, at), '\n'))}};
}

/// Of "(5.12/23.65gib)" what is surely below the first through the second, in hundredths.
std::optional<std::string> shareIn(std::string_view text)
{
    static constexpr double kUnit = 1e6; // Sizes of one unit, whichever.
    const std::size_t slash = text.find('/');
    const std::size_t begin = text.substr(0, slash).find_last_not_of("0123456789.") + 1;
    if (slash == std::string_view::npos || begin >= slash) {
        return std::nullopt;
    }
    const auto part = numberOf(text, begin, kUnit);
    const auto whole = numberOf(text, slash + 1, kUnit);
    if (!part || !whole || part->end != slash || whole->high.value <= 0) {
        return std::nullopt;
    }
    const double hundredths = std::floor(100 * static_cast<double>(part->low.value)
                                         / static_cast<double>(whole->high.value));
    return hundredths >= 1 && hundredths < 100
        ? std::optional(fmt::format("{:.2f}", hundredths / 100))
        : std::nullopt;
}

/// With the figure that the text states behind one of the line's phrases, where it does.
TrapLine asStated(const TextCase& in, const TrapMatch& match, TrapLine line)
{
    static constexpr std::size_t kLongest = 40;
    if (line.behind.empty() || match.place == 0) {
        return line;
    }
    const std::string text = windowAround(in.log, match.place - 1).text;
    for (const std::string& phrase : line.behind) {
        const std::size_t found = text.find(phrase);
        if (found == std::string::npos) {
            continue;
        }
        const std::string_view behind =
            std::string_view(text).substr(found + phrase.size(), kLongest);
        Figures figures;
        const std::size_t at = std::min(behind.find_first_not_of("(:="), behind.size());
        if (at < behind.size() && behind[at] >= '1' && behind[at] <= '9') {
            figures["number"] = fmt::format("{}", *numberAfter(behind.substr(at), ""));
        }
        if (const auto share = shareIn(behind)) {
            figures["share"] = *share;
        }
        std::string stated = lineFilledIn(line.stated, figures);
        if (stated.find("«") == std::string::npos) {
            line.line = std::move(stated);
            return line;
        }
    }
    return line;
}

/// What the figures of the message prove comes first.
double scoreOf(const TextCase& in, const TrapMatch& match)
{
    const MessageProof& proof = in.proof;
    // The figures prove that much of this process is not PyTorch's; the text says whose.
    if (match.trap->cause == Cause::preallocation && proof.own_outside
        && in.shareOfCard(proof.own_outside->low) >= kManyOthers) {
        return kNamedOwner;
    }
    if (match.trap->cause == Cause::logits && in.situation.is_of_images) {
        return 0.3; // maps of classes: activations, by batch and resolution
    }
    const bool is_proven = proof.free_was_enough || proof.larger_than_card
        || (proof.fragmentation == FragmentationProof::proven && proof.cached_share >= kMuchCached);
    const bool is_next = &match != &in.traps.front();
    // A process that died of its message is often killed afterwards.
    const bool follows = match.trap->cause == Cause::host_memory && in.message != nullptr
        && !in.message->is_bare && match.trap->figures.empty();
    return match.score - (is_next ? 0.05 : 0) - (follows ? 0.5 : 0)
        - (is_proven && match.by_frames ? 0.15 : 0);
}

} // namespace

CauseFinding& findingOf(Cause cause, std::vector<CauseFinding>& causes)
{
    const auto known = std::ranges::find(causes, cause, &CauseFinding::cause);
    return known != causes.end() ? *known : causes.emplace_back(CauseFinding{cause, 0, {}, {}});
}

void addTraps(const TextCase& in, std::vector<CauseFinding>& causes)
{
    for (const TrapMatch& match : in.traps) {
        CauseFinding& finding = findingOf(match.trap->cause, causes);
        finding.score = std::max(finding.score, scoreOf(in, match));
        finding.evidence.push_back({std::string(translated(match.trap->say)), std::nullopt, {}});
        const bool is_shown = &match - in.traps.data() < kMostLines;
        if (const auto line = is_shown ? shownBy(in, match) : std::nullopt) {
            finding.evidence.push_back({in.sentence("code-line", *line), std::nullopt, {}});
        }
        if (causes.size() > kMostCauses) {
            return;
        }
    }
}

const TrapMatch* decidingTrap(const TextCase& in, const std::vector<CauseFinding>& causes)
{
    const auto found = std::ranges::find_if(in.traps, [&](const TrapMatch& match) {
        return match.trap->cause == causes.front().cause;
    });
    return found == in.traps.end() ? nullptr : &*found;
}

bool decidesFixes(const TrapMatch& match)
{
    return match.score >= kDecides;
}

void applyTrap(const TextCase& in, const TrapMatch& match, const TextFacts& facts,
               std::vector<Fix>& fixes)
{
    const Trap& trap = *match.trap;
    const auto isRuledOut = [&](const TrapLine& line) {
        const auto known = std::ranges::find(fixes, line.fix, &Fix::id);
        return !mayApply(line.fix, facts)
            || (known != fixes.end()
                && (known->status == FixStatus::not_enough
                    || known->status == FixStatus::already_on));
    };
    // Where all of them are, what the text says was misread.
    const bool rules_out = !std::ranges::all_of(trap.lines, isRuledOut);
    const std::string backend = in.message != nullptr ? in.message->backend : std::string();
    std::vector<TrapLine> lines;
    for (const TrapLine& line : trap.lines) {
        if (!(rules_out && isRuledOut(line))) {
            lines.push_back(asStated(in, match, line));
            lines.back().line = inWordsOf(backend, std::move(lines.back().line));
        }
    }
    for (Fix& fix : fixes) {
        const bool is_never = std::ranges::find(trap.never, fix.id) != trap.never.end();
        const bool is_open =
            fix.status == FixStatus::recommended || fix.status == FixStatus::would_help;
        if (is_never || (is_open && decidesFixes(match))) {
            fix.status = FixStatus::not_applicable;
            fix.fits.reset();
        }
    }
    // Lines without a fix of the ladder belong together, under the trap's own name.
    Fix own;
    own.id = trap.id;
    own.knowledge = "X-TRAP";
    own.cost_rank = 1;
    own.is_of_trap = true;
    own.status = FixStatus::would_help;
    own.why = translated(trap.say);
    for (const TrapLine& line : lines) {
        const auto known = std::ranges::find(fixes, line.fix, &Fix::id);
        if (known == fixes.end()) {
            if (own.how.empty()) {
                own.title = titleOf(line);
            }
            addLine(line, own.how);
        } else {
            if (!decidesFixes(match) && known->status == FixStatus::not_applicable) {
                continue; // too unsure to overrule what the figures say of this fix
            }
            if (!known->is_of_trap) {
                known->is_of_trap = true;
                known->how.clear();
                known->status = FixStatus::would_help;
            }
            addLine(line, known->how);
        }
        if (&line == &lines.front()) {
            (known == fixes.end() ? own : *known).status = FixStatus::recommended;
        }
    }
    if (!own.how.empty()) {
        fixes.insert(fixes.begin(), std::move(own));
    }
}

} // namespace tidemark::diagnose
