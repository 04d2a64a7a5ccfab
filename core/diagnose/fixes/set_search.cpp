// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/set_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kMostMembers = 4; ///< Of a set that is looked for one by one.
constexpr std::size_t kAtOnce = 16;
constexpr std::size_t kForesight = 3; ///< Decisions to leave something out or not.

/// Indices into the candidates, ascending.
using Set = std::vector<std::size_t>;

bool excludes(const SetCandidate& a, const SetCandidate& b)
{
    return !a.group.empty() && a.group == b.group;
}

FixSet atFullStrength(std::span<const SetCandidate> candidates, const Set& set)
{
    FixSet members;
    for (const std::size_t c : set) {
        members.push_back({c, candidates[c].strengths - 1});
    }
    return members;
}

/// Of each group the candidate that saves most alone, among those of a cost below `limit`.
Set strongestOf(std::span<const SetCandidate> candidates, int limit, bool with_science)
{
    Set set;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        const SetCandidate& one = candidates[c];
        if (one.cost >= limit || !one.composes || (one.changes_science && !with_science)) {
            continue;
        }
        const auto rival = std::find_if(set.begin(), set.end(), [&](std::size_t other) {
            return excludes(candidates[other], one);
        });
        if (rival == set.end()) {
            set.push_back(c);
        } else if (candidates[*rival].saves < one.saves) {
            *rival = c;
        }
    }
    std::ranges::sort(set);
    return set;
}

class SetSearch {
public:
    SetSearch(SetTrials& trials, std::span<const SetCandidate> candidates)
        : m_trials(trials)
        , m_candidates(candidates)
    {
    }

    /// Ascending by index what fits for certain; empty if nothing does.
    Set cheapest()
    {
        Set best = cheapestAlone();
        if (best.empty()) {
            const Set all = strongest(std::numeric_limits<int>::max(), true);
            const Set same_science = strongest(std::numeric_limits<int>::max(), false);
            const auto fits = tryAll({same_science, all});
            best = fits[0] ? leaveOut(same_science) : fits[1] ? leaveOut(all) : Set{};
            if (best.empty()) {
                return best;
            }
        }
        return cheaperThan(std::move(best));
    }

    /// With each member as mild as it can be while the set fits.
    FixSet mildest(const Set& set)
    {
        FixSet members = atFullStrength(m_candidates, set);
        for (SetMember& member : members) {
            std::vector<FixSet> milder;
            const std::size_t strongest = std::exchange(member.strength, 0);
            for (; member.strength < strongest; ++member.strength) {
                milder.push_back(members);
            }
            const auto fits = m_trials.fit(milder);
            const auto first = std::ranges::find(fits, std::optional(true));
            if (first != fits.end()) {
                member.strength = static_cast<std::size_t>(first - fits.begin());
            }
        }
        return members;
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
            if (m_candidates[c].fits_alone
                && (best.empty() || m_candidates[c].cost < m_candidates[best[0]].cost)) {
                best = {c};
            }
        }
        return best;
    }

    [[nodiscard]] Set strongest(int limit, bool with_science) const
    {
        return strongestOf(m_candidates, limit, with_science);
    }

    /// Which of them fit for certain. Remembers those that certainly do not.
    std::vector<bool> tryAll(const std::vector<Set>& sets)
    {
        std::vector<FixSet> trials;
        for (const Set& set : sets) {
            trials.push_back(atFullStrength(m_candidates, set));
        }
        std::vector<bool> fits;
        const std::vector<std::optional<bool>> found = m_trials.fit(trials);
        for (std::size_t i = 0; i < sets.size(); ++i) {
            fits.push_back(!sets[i].empty() && found[i] == true);
            if (!sets[i].empty() && found[i] == false) {
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
                    const SetCandidate& a = m_candidates[member];
                    const SetCandidate& b = m_candidates[other];
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
            if (!rest.empty() && !m_trials.isStopped() && tryAll({rest})[0]) {
                set = rest;
            }
        }
        return set;
    }

    /// Prepares all that the next few decisions can come to ask for: each depends on those before.
    void foresee(const Set& set, const std::vector<std::size_t>& to_leave_out)
    {
        std::vector<Set> possible{set};
        std::vector<FixSet> trials;
        for (std::size_t i = 0; i < std::min(kForesight, to_leave_out.size()); ++i) {
            for (std::size_t s = 0, count = possible.size(); s < count; ++s) {
                Set rest = without(possible[s], to_leave_out[i]);
                trials.push_back(atFullStrength(m_candidates, rest));
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
            if (m_candidates[c].composes) {
                last.push_back({c});
            }
        }
        for (std::size_t size = 2; size <= kMostMembers; ++size) {
            std::vector<Set> larger;
            for (const Set& set : last) {
                for (std::size_t c = set.back() + 1; c < m_candidates.size(); ++c) {
                    const bool goes = m_candidates[c].composes
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
        const std::size_t most = m_trials.most();
        std::vector<Set> batch;
        for (std::size_t s = 0; s < sets.size() && tried < most && !m_trials.isStopped(); ++s) {
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
        for (const SetCandidate& one : m_candidates) {
            if (one.cost < limit) {
                prices.push_back(one.cost + 1);
            }
        }
        std::ranges::sort(prices);
        prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
        return prices;
    }

    SetTrials& m_trials;
    std::span<const SetCandidate> m_candidates;
    std::vector<Set> m_failing;
};

} // namespace

FixSet cheapestSet(SetTrials& trials, std::span<const SetCandidate> candidates)
{
    SetSearch search(trials, candidates);
    return search.mildest(search.cheapest());
}

FixSet strongestSet(std::span<const SetCandidate> candidates)
{
    return atFullStrength(candidates,
                          strongestOf(candidates, std::numeric_limits<int>::max(), true));
}

} // namespace tidemark::diagnose
