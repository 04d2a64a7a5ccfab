// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/best_set.h"

#include "core/diagnose/fixes/answer_words.h"
#include "core/diagnose/fixes/batch_words.h"
#include "core/diagnose/fixes/fix_judge.h"
#include "core/diagnose/fixes/fix_settings.h"
#include "core/diagnose/fixes/set_search.h"
#include "core/diagnose/fixes/trial.h"

#include <algorithm>
#include <span>
#include <string>

namespace tidemark::diagnose {
namespace {

/// Sets that are tried one by one, and what they may cost: allocations and states looked at.
constexpr std::size_t kLeastSets = 32;
constexpr std::size_t kMostSets = 512;
constexpr std::size_t kWork = 50'000'000;

/// The fixes with evidence as candidates, and their sets as trials of the recorded run.
class RecordedTrials : public SetTrials {
public:
    RecordedTrials(Trials& trials, std::vector<JudgedFix>& judged)
        : m_trials(trials)
    {
        for (JudgedFix& one : judged) {
            if (one.has_evidence) {
                const Fix& fix = one.fix;
                m_judged.push_back(&one);
                m_candidates.push_back(
                    {.cost = costOf(trials.input(), fix),
                     .group = one.text->group,
                     .saves = fix.saves.value,
                     .strengths = std::max<std::size_t>(1, one.tries.size()),
                     .composes = one.composes,
                     .changes_science = fix.changes_science,
                     .fits_alone = fix.status == FixStatus::would_help && fix.fits == true});
            }
        }
    }

    [[nodiscard]] std::span<const SetCandidate> candidates() const
    {
        return m_candidates;
    }
    [[nodiscard]] JudgedFix& judgedAt(const SetMember& member) const
    {
        return *m_judged[member.candidate];
    }

    std::vector<std::optional<bool>> fit(std::span<const FixSet> sets) override
    {
        std::vector<std::optional<bool>> fits;
        for (const Outcome& outcome : m_trials.outcomesOf(trialsOf(sets))) {
            fits.push_back(outcome.fits);
        }
        return fits;
    }
    void prepare(std::span<const FixSet> sets) override
    {
        m_trials.prepare(trialsOf(sets));
    }
    [[nodiscard]] std::size_t most() const override
    {
        const Facts& facts = m_trials.input().in.facts;
        const std::size_t one = 1 + facts.allocations().count() + facts.replay.lastState().index();
        return std::clamp(kWork / one, kLeastSets, kMostSets);
    }
    [[nodiscard]] bool isStopped() const override
    {
        return m_trials.stop().stop_requested();
    }

    /// The first in the ladder that may fit, if that is not known of any set.
    [[nodiscard]] FixSet firstUnknown() const
    {
        for (std::size_t c = 0; c < m_judged.size(); ++c) {
            const Fix& fix = m_judged[c]->fix;
            if (fix.status == FixStatus::would_help && !fix.fits) {
                return {{c, m_candidates[c].strengths - 1}};
            }
        }
        return {};
    }

    /// In `predict --apply` words, one of each member; that of a single fix is its own.
    [[nodiscard]] std::vector<std::string> changesOf(const FixSet& set) const
    {
        std::vector<std::string> changes;
        for (const SetMember& member : set) {
            const JudgedFix& one = judgedAt(member);
            changes.push_back(one.tries.empty() ? std::string() : one.tries[member.strength]);
        }
        return changes;
    }

    [[nodiscard]] Trial trialOf(const FixSet& set, const std::vector<std::string>& changes) const
    {
        Trial trial{joined(changes), {}};
        for (const SetMember& member : set) {
            if (judgedAt(member).tries.empty()) {
                trial.direct.push_back(judgedAt(member).rule);
            }
        }
        return trial;
    }

    static std::string joined(const std::vector<std::string>& changes)
    {
        std::string text;
        for (const std::string& change : changes) {
            text += text.empty() || change.empty() ? "" : ",";
            text += change;
        }
        return text;
    }

private:
    [[nodiscard]] std::vector<Trial> trialsOf(std::span<const FixSet> sets) const
    {
        std::vector<Trial> trials;
        for (const FixSet& set : sets) {
            trials.push_back(trialOf(set, changesOf(set)));
        }
        return trials;
    }

    Trials& m_trials;
    std::vector<JudgedFix*> m_judged;
    std::vector<SetCandidate> m_candidates; ///< As `m_judged`.
};

/// The titles of the set's members but one; of all with `but` beyond the end.
std::string titles(const RecordedTrials& sets, const FixSet& set, std::size_t but)
{
    std::string text;
    for (std::size_t m = 0; m < set.size(); ++m) {
        if (m != but) {
            text += text.empty() ? "" : " + ";
            text += sets.judgedAt(set[m]).fix.title;
        }
    }
    return text;
}

/// What the members of a set show: the figures of the whole, each with its own kept beside.
void markMembers(Trials& trials, const RecordedTrials& sets, const FixSet& set,
                 const std::vector<std::string>& changes, const Outcome& outcome)
{
    const FixInput& input = trials.input();
    trials.prepare(changes);
    for (std::size_t m = 0; m < set.size(); ++m) {
        JudgedFix& judged = sets.judgedAt(set[m]);
        judged.fix.status = FixStatus::recommended;
        writeTexts(input, judged, changes[m], judged.fix);
    }
    for (std::size_t m = 0; m < set.size() && set.size() > 1; ++m) {
        JudgedFix& judged = sets.judgedAt(set[m]);
        Fix& fix = judged.fix;
        Trial alone{changes[m], {}};
        if (changes[m].empty()) {
            alone.direct.push_back(judged.rule);
        }
        const Outcome own = trials.outcomeOf(alone);
        fix.alone = {changes[m], savedBy(input, own), roundedBytes(own.need.requested.mid),
                     own.fits == true ? Bytes{} : own.shortBy()};
        fix.short_by = {};
        fix.apply = RecordedTrials::joined(changes);
        setFigures(input, outcome, fix);
        Figures figures = judged.figures;
        addChangeFigures(input, changes[m], figures);
        fix.why = filledIn(judged.text->why, figures) + ' '
            + togetherSentence(fix.alone, titles(sets, set, m));
    }
}

} // namespace

int costOf(const FixInput& input, const Fix& fix)
{
    const bool cures_holes = isSettingsFix(fix.id) && !input.causes.empty()
        && input.causes.front().cause == Cause::fragmentation;
    return cures_holes ? 0 : costOf(fix.cost_rank, fix.changes_science);
}

std::optional<Answer> findAnswer(Trials& trials, std::vector<JudgedFix>& judged)
{
    const FixInput& input = trials.input();
    if (!needsFix(input.in.facts, input.in.basis)) {
        const Outcome outcome = recordedOutcome(input);
        return outcome.capacity.bytes ? std::optional(nothingNeeded(outcome)) : std::nullopt;
    }
    RecordedTrials sets(trials, judged);
    FixSet set = cheapestSet(sets, sets.candidates());
    set = set.empty() ? sets.firstUnknown() : set;
    set = set.empty() ? strongestSet(sets.candidates()) : set;
    if (set.empty()) {
        return std::nullopt;
    }
    // A single fix is as mild as it was judged alone.
    const std::vector<std::string> changes =
        set.size() == 1 ? std::vector{sets.judgedAt(set.front()).fix.apply} : sets.changesOf(set);
    const Outcome outcome = trials.outcomeOf(sets.trialOf(set, changes));
    if (outcome.fits == true) {
        markMembers(trials, sets, set, changes, outcome);
    }
    Answer answer;
    for (const SetMember& member : set) {
        answer.fixes.push_back(sets.judgedAt(member).fix.id);
    }
    answer.apply = RecordedTrials::joined(changes);
    answer.new_need = roundedBytes(outcome.need.requested.mid);
    answer.new_reserved = roundedBytes(outcome.need.reserved.mid);
    answer.least_reserved = roundedBytes(outcome.need.reserved.low);
    answer.fits = outcome.fits;
    answer.available = outcome.capacity.bytes;
    answer.margin = outcome.margin();
    answer.batch = effectiveBatchText(input, answer.apply);
    answer.sentence = answerSentence(input, answer, outcome, titles(sets, set, set.size()));
    return answer;
}

} // namespace tidemark::diagnose
