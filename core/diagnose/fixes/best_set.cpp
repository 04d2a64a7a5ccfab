// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/best_set.h"

#include "core/diagnose/fixes/answer_words.h"
#include "core/diagnose/fixes/batch_words.h"
#include "core/diagnose/fixes/fix_judge.h"
#include "core/diagnose/fixes/fix_settings.h"
#include "core/diagnose/fixes/trial.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

namespace tidemark::diagnose {
namespace {

constexpr int kScience = 10; ///< Rungs that changing the experiment is worth.
constexpr std::size_t kMostMembers = 4; ///< Of a set that is looked for one by one.
constexpr std::size_t kAtOnce = 16;
constexpr std::size_t kForesight = 3; ///< Decisions to leave something out or not.
/// Sets that are tried one by one, and what they may cost: allocations and states looked at.
constexpr std::size_t kLeastSets = 32;
constexpr std::size_t kMostSets = 512;
constexpr std::size_t kWork = 50'000'000;

/// Indices into the candidates, ascending.
using Set = std::vector<std::size_t>;

struct Candidate {
    JudgedFix* judged = nullptr;
    int cost = 0;
    std::string apply; ///< The strongest change; empty for a direct fix.
    std::int64_t saves = 0; ///< Alone.

    [[nodiscard]] std::string_view group() const
    {
        return judged->text->group;
    }
};

class SetSearch {
public:
    SetSearch(Trials& trials, std::vector<JudgedFix>& judged)
        : m_trials(trials)
    {
        for (JudgedFix& one : judged) {
            if (one.has_evidence) {
                const std::string apply = one.tries.empty() ? std::string() : one.tries.back();
                m_candidates.push_back(
                    {&one, costOf(trials.input(), one.fix), apply, one.fix.saves.value});
            }
        }
    }

    /// Ascending by cost what fits for certain; empty if nothing does.
    Set cheapest()
    {
        Set best = cheapestAlone();
        const Set all = strongest(std::numeric_limits<int>::max(), true);
        const Set same_science = strongest(std::numeric_limits<int>::max(), false);
        if (best.empty()) {
            const auto fits = tryAll({same_science, all});
            best = fits[0] ? leaveOut(same_science) : fits[1] ? leaveOut(all) : Set{};
            if (best.empty()) {
                return best;
            }
        }
        return cheaperThan(std::move(best));
    }

    /// All that helps, one of each group.
    [[nodiscard]] Set everything() const
    {
        return strongest(std::numeric_limits<int>::max(), true);
    }

    /// With each member as mild as it can be while the set fits; `outcome` is that of the result.
    std::vector<std::string> mildest(const Set& set, Outcome& outcome)
    {
        std::vector<std::string> changes = changesOf(set);
        outcome = outcomeOf(set, changes);
        const bool has_to_fit = outcome.fits == true;
        for (std::size_t m = 0; m < set.size() && has_to_fit; ++m) {
            const auto& tries = m_candidates[set[m]].judged->tries;
            std::vector<Trial> milder;
            for (std::size_t t = 0; t + 1 < tries.size(); ++t) {
                milder.push_back(trialOf(set, with(changes, m, tries[t])));
            }
            const std::vector<Outcome> found = m_trials.outcomesOf(milder);
            const auto first = std::find_if(found.begin(), found.end(),
                                            [](const Outcome& one) { return one.fits == true; });
            if (first != found.end()) {
                changes[m] = tries[static_cast<std::size_t>(first - found.begin())];
                outcome = *first;
            }
        }
        return changes;
    }

    [[nodiscard]] Outcome outcomeOf(const Set& set, const std::vector<std::string>& changes) const
    {
        return m_trials.outcomeOf(trialOf(set, changes));
    }
    [[nodiscard]] JudgedFix& judgedAt(std::size_t candidate) const
    {
        return *m_candidates[candidate].judged;
    }
    [[nodiscard]] static std::string joined(const std::vector<std::string>& changes)
    {
        std::string text;
        for (const std::string& change : changes) {
            text += text.empty() || change.empty() ? "" : ",";
            text += change;
        }
        return text;
    }
    /// The first in the ladder that may fit, if that is not known of any set.
    [[nodiscard]] Set firstUnknown() const
    {
        for (std::size_t c = 0; c < m_candidates.size(); ++c) {
            const Fix& fix = m_candidates[c].judged->fix;
            if (fix.status == FixStatus::would_help && !fix.fits) {
                return {c};
            }
        }
        return {};
    }

private:
    [[nodiscard]] int costOfSet(const Set& set) const
    {
        return std::accumulate(set.begin(), set.end(), 0,
                               [&](int sum, std::size_t c) { return sum + m_candidates[c].cost; });
    }

    [[nodiscard]] Set cheapestAlone() const
    {
        Set best;
        for (std::size_t c = 0; c < m_candidates.size(); ++c) {
            const Fix& fix = m_candidates[c].judged->fix;
            const bool fits = fix.status == FixStatus::would_help && fix.fits == true;
            if (fits && (best.empty() || m_candidates[c].cost < m_candidates[best[0]].cost)) {
                best = {c};
            }
        }
        return best;
    }

    /// Of each group the fix that saves most alone, among those of a cost below `limit`.
    [[nodiscard]] Set strongest(int limit, bool with_science) const
    {
        Set set;
        for (std::size_t c = 0; c < m_candidates.size(); ++c) {
            const Candidate& one = m_candidates[c];
            if (one.cost >= limit || !one.judged->composes
                || (one.judged->fix.changes_science && !with_science)) {
                continue;
            }
            const auto rival = std::find_if(set.begin(), set.end(), [&](std::size_t other) {
                return excludes(m_candidates[other], one);
            });
            if (rival == set.end()) {
                set.push_back(c);
            } else if (m_candidates[*rival].saves < one.saves) {
                *rival = c;
            }
        }
        std::ranges::sort(set);
        return set;
    }

    static std::vector<std::string> with(std::vector<std::string> changes, std::size_t member,
                                         const std::string& change)
    {
        changes[member] = change;
        return changes;
    }

    static bool excludes(const Candidate& a, const Candidate& b)
    {
        return !a.group().empty() && a.group() == b.group();
    }

    [[nodiscard]] std::vector<std::string> changesOf(const Set& set) const
    {
        std::vector<std::string> changes;
        for (const std::size_t c : set) {
            changes.push_back(m_candidates[c].apply);
        }
        return changes;
    }

    [[nodiscard]] Trial trialOf(const Set& set, const std::vector<std::string>& changes) const
    {
        Trial trial{joined(changes), {}};
        for (const std::size_t c : set) {
            if (m_candidates[c].apply.empty()) {
                trial.direct.push_back(m_candidates[c].judged->rule);
            }
        }
        return trial;
    }

    /// Which of them fit for certain. Remembers those that certainly do not.
    std::vector<bool> tryAll(const std::vector<Set>& sets)
    {
        std::vector<Trial> trials;
        for (const Set& set : sets) {
            trials.push_back(trialOf(set, changesOf(set)));
        }
        std::vector<bool> fits;
        const std::vector<Outcome> outcomes = m_trials.outcomesOf(trials);
        for (std::size_t i = 0; i < sets.size(); ++i) {
            fits.push_back(!sets[i].empty() && outcomes[i].fits == true);
            if (!sets[i].empty() && outcomes[i].fits == false) {
                m_failing.push_back(sets[i]);
            }
        }
        return fits;
    }

    /// Whether some set that certainly does not fit has every member of this one, or a stronger of
    /// its group.
    [[nodiscard]] bool isHopeless(const Set& set) const
    {
        return std::ranges::any_of(m_failing, [&](const Set& failing) {
            return std::ranges::all_of(set, [&](std::size_t member) {
                return std::ranges::any_of(failing, [&](std::size_t other) {
                    const Candidate& a = m_candidates[member];
                    const Candidate& b = m_candidates[other];
                    return member == other || (excludes(a, b) && a.saves <= b.saves);
                });
            });
        });
    }

    /// The set without what it can do without, the dearest first.
    Set leaveOut(Set set)
    {
        Set by_cost = set;
        std::ranges::stable_sort(by_cost, std::ranges::greater{},
                                 [&](std::size_t c) { return m_candidates[c].cost; });
        for (std::size_t i = 0; i < by_cost.size(); ++i) {
            if (i % kForesight == 0) {
                foresee(set, {by_cost.begin() + static_cast<std::ptrdiff_t>(i), by_cost.end()});
            }
            const Set rest = without(set, by_cost[i]);
            if (!rest.empty() && !m_trials.stop().stop_requested() && tryAll({rest})[0]) {
                set = rest;
            }
        }
        return set;
    }

    /// Prepares all that the next few decisions can come to ask for: each depends on those before.
    void foresee(const Set& set, const std::vector<std::size_t>& to_leave_out)
    {
        std::vector<Set> possible{set};
        std::vector<Trial> trials;
        for (std::size_t i = 0; i < std::min(kForesight, to_leave_out.size()); ++i) {
            for (std::size_t s = 0, count = possible.size(); s < count; ++s) {
                Set rest = without(possible[s], to_leave_out[i]);
                trials.push_back(trialOf(rest, changesOf(rest)));
                possible.push_back(std::move(rest));
            }
        }
        m_trials.prepare(trials);
    }

    static Set without(Set set, std::size_t candidate)
    {
        std::erase(set, candidate);
        return set;
    }

    /// All sets of two to four that are cheaper, the cheapest first.
    [[nodiscard]] std::vector<Set> setsCheaperThan(int limit) const
    {
        std::vector<Set> sets;
        std::vector<Set> last;
        for (std::size_t c = 0; c < m_candidates.size(); ++c) {
            if (m_candidates[c].judged->composes) {
                last.push_back({c});
            }
        }
        for (std::size_t size = 2; size <= kMostMembers; ++size) {
            std::vector<Set> larger;
            for (const Set& set : last) {
                for (std::size_t c = set.back() + 1; c < m_candidates.size(); ++c) {
                    const bool goes = m_candidates[c].judged->composes
                        && std::ranges::none_of(set, [&](std::size_t member) {
                                          return excludes(m_candidates[member], m_candidates[c]);
                                      });
                    if (goes && costOfSet(set) + m_candidates[c].cost < limit) {
                        larger.push_back(set);
                        larger.back().push_back(c);
                    }
                }
            }
            sets.insert(sets.end(), larger.begin(), larger.end());
            last = std::move(larger);
        }
        std::ranges::stable_sort(sets, {}, [&](const Set& set) { return costOfSet(set); });
        return sets;
    }

    Set cheaperThan(Set best)
    {
        int limit = costOfSet(best);
        // A union of all that is cheaper than some price tells of many sets at once.
        std::vector<Set> unions;
        for (const int price : pricesBelow(limit)) {
            for (const bool with_science : {false, true}) {
                Set all = strongest(price, with_science);
                if (all.size() > 1 && std::find(unions.begin(), unions.end(), all) == unions.end()
                    && !isHopeless(all)) {
                    unions.push_back(std::move(all));
                }
            }
        }
        const auto union_fits = tryAll(unions);
        const auto first_union = std::find(union_fits.begin(), union_fits.end(), true);
        if (first_union != union_fits.end()) {
            Set smaller =
                leaveOut(unions[static_cast<std::size_t>(first_union - union_fits.begin())]);
            if (costOfSet(smaller) < limit) {
                limit = costOfSet(smaller);
                best = std::move(smaller);
            }
        }
        const std::vector<Set> sets = setsCheaperThan(limit);
        std::size_t tried = 0;
        const Facts& facts = m_trials.input().in.facts;
        const std::size_t one = 1 + facts.allocations().count() + facts.replay.lastState().index();
        const std::size_t most = std::clamp(kWork / one, kLeastSets, kMostSets);
        std::vector<Set> batch;
        for (std::size_t s = 0;
             s < sets.size() && tried < most && !m_trials.stop().stop_requested(); ++s) {
            if (!isHopeless(sets[s])) {
                batch.push_back(sets[s]);
            }
            if (batch.size() == kAtOnce || (s + 1 == sets.size() && !batch.empty())) {
                const auto fits = tryAll(batch);
                const auto first = std::find(fits.begin(), fits.end(), true);
                if (first != fits.end()) {
                    return batch[static_cast<std::size_t>(first - fits.begin())];
                }
                tried += batch.size();
                batch.clear();
            }
        }
        return best;
    }

    /// A few prices at which what is cheaper is worth a look, below `limit`.
    [[nodiscard]] std::vector<int> pricesBelow(int limit) const
    {
        std::vector<int> prices;
        for (const Candidate& one : m_candidates) {
            if (one.cost < limit) {
                prices.push_back(one.cost + 1);
            }
        }
        std::ranges::sort(prices);
        prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
        return prices;
    }

    Trials& m_trials;
    std::vector<Candidate> m_candidates;
    std::vector<Set> m_failing;
};

/// The titles of the set's members but one; of all with `but` beyond the end.
std::string titles(const SetSearch& search, const Set& set, std::size_t but)
{
    std::string text;
    for (std::size_t m = 0; m < set.size(); ++m) {
        if (m != but) {
            text += text.empty() ? "" : " + ";
            text += search.judgedAt(set[m]).fix.title;
        }
    }
    return text;
}

/// What the members of a set show: the figures of the whole, each with its own kept beside.
void markMembers(Trials& trials, const SetSearch& search, const Set& set,
                 const std::vector<std::string>& changes, const Outcome& outcome)
{
    const FixInput& input = trials.input();
    trials.prepare(changes);
    for (std::size_t m = 0; m < set.size(); ++m) {
        JudgedFix& judged = search.judgedAt(set[m]);
        judged.fix.status = FixStatus::recommended;
        writeTexts(input, judged, changes[m], judged.fix);
    }
    for (std::size_t m = 0; m < set.size() && set.size() > 1; ++m) {
        JudgedFix& judged = search.judgedAt(set[m]);
        Fix& fix = judged.fix;
        Trial alone{changes[m], {}};
        if (changes[m].empty()) {
            alone.direct.push_back(judged.rule);
        }
        const Outcome own = trials.outcomeOf(alone);
        fix.alone = {changes[m], savedBy(input, own), roundedBytes(own.need.requested.mid),
                     own.fits == true ? Bytes{} : own.shortBy()};
        fix.short_by = {};
        fix.apply = SetSearch::joined(changes);
        setFigures(input, outcome, fix);
        Figures figures = judged.figures;
        addChangeFigures(input, changes[m], figures);
        fix.why = filledIn(judged.text->why, figures) + ' '
            + togetherSentence(fix.alone, titles(search, set, m));
    }
}

} // namespace

int costOf(const FixInput& input, const Fix& fix)
{
    const bool cures_holes = isSettingsFix(fix.id) && !input.causes.empty()
        && input.causes.front().cause == Cause::fragmentation;
    return cures_holes ? 0 : fix.cost_rank + (fix.changes_science ? kScience : 0);
}

std::optional<Answer> findAnswer(Trials& trials, std::vector<JudgedFix>& judged)
{
    const FixInput& input = trials.input();
    if (!runsOut(input.in.facts, input.in.basis)) {
        const Outcome outcome = recordedOutcome(input);
        return outcome.capacity.bytes ? std::optional(nothingNeeded(outcome)) : std::nullopt;
    }
    SetSearch search(trials, judged);
    Set set = search.cheapest();
    std::vector<std::string> changes;
    Outcome outcome;
    if (set.empty()) {
        set = search.firstUnknown();
        set = set.empty() ? search.everything() : set;
    }
    if (set.empty()) {
        return std::nullopt;
    }
    if (set.size() == 1) {
        const JudgedFix& only = search.judgedAt(set.front());
        changes = {only.fix.apply};
        outcome = search.outcomeOf(set, changes);
    } else {
        changes = search.mildest(set, outcome);
    }
    if (outcome.fits == true) {
        markMembers(trials, search, set, changes, outcome);
    }
    Answer answer;
    for (const std::size_t c : set) {
        answer.fixes.push_back(search.judgedAt(c).fix.id);
    }
    answer.apply = SetSearch::joined(changes);
    answer.new_need = roundedBytes(outcome.need.requested.mid);
    answer.new_reserved = roundedBytes(outcome.need.reserved.mid);
    answer.least_reserved = roundedBytes(outcome.need.reserved.low);
    answer.fits = outcome.fits;
    answer.available = outcome.capacity.bytes;
    answer.margin = outcome.margin();
    answer.batch = effectiveBatchText(input, answer.apply);
    answer.sentence = answerSentence(input, answer, outcome, titles(search, set, set.size()));
    return answer;
}

} // namespace tidemark::diagnose
