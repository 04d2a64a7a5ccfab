// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes.h"

#include "core/base/format.h"
#include "core/base/parallel.h"
#include "core/diagnose/fix_settings.h"
#include "core/diagnose/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace tidemark::diagnose {
namespace {

/// A change that frees less of the need than this is not offered.
constexpr double kLeastEffect = 0.005;

Bytes roundedBytes(double bytes)
{
    return {std::llround(bytes)};
}

/// 0.5 → "1/2", 0.75 → "3/4"; other ratios as they are.
std::string fractionText(double ratio)
{
    for (int below = 1; below <= 64; below *= 2) {
        const double above = ratio * below;
        if (std::abs(above - std::round(above)) < 1e-9 && above >= 1) {
            return below == 1 ? fmt::format("{:.0f}", above)
                              : fmt::format("{:.0f}/{}", above, below);
        }
    }
    return fmt::format("{:.3g}", ratio);
}

void addChangeFigures(const std::vector<Change>& changes, Figures& figures)
{
    for (const Change& change : changes) {
        switch (change.kind) {
        case ChangeKind::micro_batch:
        case ChangeKind::sequence:
            figures["ratio"] = fmt::format("{:.4g}", change.number);
            figures["fraction"] = fractionText(change.number);
            break;
        case ChangeKind::accumulation:
            figures["accumulation"] = fmt::format("{:.0f}", change.number);
            break;
        case ChangeKind::eval_accumulation:
            figures["batches"] = fmt::format("{:.0f}", change.number);
            break;
        default:
            break;
        }
    }
}

class FixJudge {
public:
    FixJudge(const FixInput& input, const std::stop_token& stop)
        : m_input(input)
        , m_stop(stop)
        , m_basis(input.in.basis)
        , m_runs_out(runsOut(input.in.facts, input.in.basis))
    {
    }

    Fix judge(const FixText& text)
    {
        const FixRule* rule = fixRule(text.id);
        Fix fix;
        fix.id = text.id;
        fix.knowledge = text.knowledge;
        fix.rung = text.rung;
        fix.changes_science = text.changes_science;
        const FixEvidence evidence = rule == nullptr ? FixEvidence{} : rule->look(m_input);
        Figures figures = evidence.figures;
        startFrom(fix);
        if (evidence.is_on && !text.already.empty()) {
            fix.status = FixStatus::already_on;
            fix.why = filledIn(text.already, figures);
        } else if (evidence.applies) {
            if (rule->effect != nullptr) {
                applyEffect(*rule->effect(m_input), fix);
            } else {
                tryChanges(rule->tries(m_input), fix, figures);
            }
            judgeEffect(text, figures, fix);
        } else {
            fix.status = FixStatus::not_applicable;
            fix.why = filledIn(text.missing, figures);
        }
        finish(text, rule, figures, fix);
        return fix;
    }

private:
    /// Without any effect: what a fix that does not apply shows.
    void startFrom(Fix& fix) const
    {
        const Facts& facts = m_input.in.facts;
        fix.new_peak = facts.replay.activeAt(facts.replay.peak);
        fix.new_peak_low = fix.new_peak_high = fix.new_peak;
        fix.new_peak_state = facts.replay.peak;
        fix.new_need = roundedBytes(m_basis.before.requested.mid);
        fix.fits = fitsInto(m_basis.before, m_basis.capacity);
    }

    void applyEffect(const DirectEffect& effect, Fix& fix)
    {
        fix.new_peak = fix.new_peak_low = fix.new_peak_high = effect.new_peak;
        fix.new_peak_state = effect.new_peak_state;
        fix.new_need = roundedBytes(effect.need.requested.mid);
        fix.saves =
            roundedBytes(std::max(0.0, m_basis.before.reserved.mid - effect.need.reserved.mid));
        fix.fits = fitsInto(effect.need, effect.capacity);
        m_need = effect.need;
        m_capacity = effect.capacity;
        m_gives_room = effect.gives_room;
    }

    /// The mildest that fits; else the mildest of which it is not known; else the strongest.
    void tryChanges(const std::vector<std::string>& tries, Fix& fix, Figures& figures)
    {
        std::optional<PredictedRun> chosen;
        std::string chosen_text;
        for (const std::string& text : tries) {
            const auto changes = parseChanges(text);
            if (!changes.has_value()) {
                continue;
            }
            if (m_stop.stop_requested()) {
                break;
            }
            PredictedRun run =
                predictRun(m_input.in.facts, m_basis, changes.value(), m_input.gpus, false);
            const auto fits = run.prediction.fits;
            const bool better = !chosen || fits == true || (chosen->prediction.fits == false);
            if (better) {
                chosen = std::move(run);
                chosen_text = text;
            }
            if (fits == true || !m_runs_out) {
                break; // in a run that did not die the mildest shows the effect
            }
        }
        if (!chosen) {
            return;
        }
        const Prediction& p = chosen->prediction;
        fix.apply = chosen_text;
        fix.saves = {std::max<std::int64_t>(0, p.before_need.value - p.after_need.value)};
        fix.new_peak = p.after_peak;
        fix.new_peak_low = p.after_low;
        fix.new_peak_high = p.after_high;
        fix.new_peak_state = p.after_peak_state;
        fix.new_need = p.after_need;
        fix.fits = p.fits;
        m_need = chosen->need;
        m_capacity = m_basis.capacity;
        m_gives_room = false;
        const auto changes = parseChanges(chosen_text);
        addChangeFigures(changes.value(), figures);
    }

    void judgeEffect(const FixText& text, const Figures& figures, Fix& fix)
    {
        const double least = kLeastEffect * static_cast<double>(m_basis.before.requested.mid);
        if (!m_gives_room && static_cast<double>(fix.saves.value) < least) {
            fix.status = FixStatus::not_applicable;
            fix.why =
                fmt::format("It would free {} at the moment that counts, which is next to nothing.",
                            sizeText(fix.saves));
            fix.saves = {};
            fix.apply.clear();
            return;
        }
        fix.why = filledIn(text.why, figures);
        if (!m_runs_out) {
            fix.status = FixStatus::not_needed;
        } else if (fix.fits == false) {
            fix.status = FixStatus::not_enough;
            const auto room = static_cast<double>(m_capacity.bytes ? m_capacity.bytes->value : 0);
            fix.short_by = roundedBytes(std::max(m_need.reserved.mid, m_need.reserved.low) - room);
            fix.why += fmt::format(" Alone it is {} short.", sizeText(fix.short_by));
        } else {
            fix.status = FixStatus::would_help;
            if (!fix.fits) {
                fix.why += ' ' + whyUnknown();
            }
        }
    }

    [[nodiscard]] std::string whyUnknown() const
    {
        if (!m_capacity.bytes) {
            return m_capacity.source;
        }
        if (m_need.is_open && !m_need.notes.empty()) {
            return m_need.notes.back();
        }
        return fmt::format("The estimate, {} to {}, spans the {} there are.",
                           sizeText(roundedBytes(m_need.reserved.low)),
                           sizeText(roundedBytes(m_need.reserved.high)),
                           sizeText(*m_capacity.bytes));
    }

    /// Title and lines; where nothing was tried they show the mildest change.
    void finish(const FixText& text, const FixRule* rule, Figures& figures, Fix& fix) const
    {
        if (fix.apply.empty() && rule != nullptr) {
            const auto tries = rule->tries(m_input);
            if (!tries.empty()) {
                const auto changes = parseChanges(tries.front());
                if (changes.has_value()) {
                    addChangeFigures(changes.value(), figures);
                }
            }
        }
        fix.title = filledIn(text.title, figures);
        for (const auto& [framework, line] : text.how) {
            fix.how.emplace_back(framework, filledIn(line, figures));
        }
    }

    const FixInput& m_input;
    const std::stop_token& m_stop;
    const NeedBasis& m_basis;
    bool m_runs_out;
    Need m_need; ///< Of the fix that was computed last.
    Capacity m_capacity;
    bool m_gives_room = false;
};

/// The cheapest that fits. Fragmentation is cured by the allocator's own setting, which costs
/// nothing, although smaller batches stand before it in the ladder.
void recommend(std::vector<Fix>& fixes, const std::vector<CauseFinding>& causes)
{
    const auto fits = [](const Fix& fix) {
        return fix.status == FixStatus::would_help && fix.fits == true;
    };
    auto chosen = fixes.end();
    if (!causes.empty() && causes.front().cause == Cause::fragmentation) {
        chosen = std::ranges::find_if(
            fixes, [&](const Fix& fix) { return isSettingsFix(fix.id) && fits(fix); });
    }
    if (chosen == fixes.end()) {
        chosen = std::ranges::find_if(fixes, fits);
    }
    if (chosen != fixes.end()) {
        chosen->status = FixStatus::recommended;
    }
}

} // namespace

std::vector<Fix> judgeFixes(const FixInput& input, const StagePart& progress)
{
    const std::vector<FixText>& texts = fixTexts();
    std::vector<Fix> fixes(texts.size());
    std::atomic<std::size_t> done = 0;
    const std::thread::id caller = std::this_thread::get_id();
    forEachInParallel(texts.size(), [&](std::size_t i) {
        if (progress.stop.stop_requested()) {
            return;
        }
        fixes[i] = FixJudge(input, progress.stop).judge(texts[i]);
        ++done;
        if (std::this_thread::get_id() == caller) {
            (void)progress.goesOn(done, texts.size());
        }
    });
    if (progress.stop.stop_requested()) {
        return {};
    }
    recommend(fixes, input.causes);
    return fixes;
}

} // namespace tidemark::diagnose
