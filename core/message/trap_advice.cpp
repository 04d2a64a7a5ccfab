// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What a known trap says of the fixes.
#include "core/base/language.h"
#include "core/message/text_rules.h"

#include <algorithm>
#include <iterator>

namespace tidemark::diagnose {
namespace {

constexpr double kDecides = 0.6;

} // namespace

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

void applyTrap(const TrapMatch& match, const TextFacts& facts, std::vector<Fix>& fixes)
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
    std::vector<TrapLine> lines;
    std::ranges::copy_if(trap.lines, std::back_inserter(lines),
                         [&](const TrapLine& line) { return !(rules_out && isRuledOut(line)); });
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
