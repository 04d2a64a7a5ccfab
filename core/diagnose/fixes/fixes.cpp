// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fixes.h"

#include "core/base/beside.h"
#include "core/base/parallel.h"
#include "core/diagnose/fixes/best_set.h"
#include "core/diagnose/fixes/fix_judge.h"
#include "core/diagnose/fixes/size_limits.h"

#include <atomic>
#include <thread>

namespace tidemark::diagnose {

Ladder judgeFixes(const FixInput& input, const StagePart& progress)
{
    const std::vector<FixText>& texts = fixTexts();
    std::vector<JudgedFix> judged(texts.size());
    std::atomic<std::size_t> done = 0;
    const std::thread::id caller = std::this_thread::get_id();
    forEachInParallel(texts.size(), [&](std::size_t i) {
        if (progress.stop.stop_requested()) {
            return;
        }
        // On whatever thread.
        judged[i] = sayBeside(input.in.need(), [&] { return lookFor(input, texts[i]); });
        ++done;
        if (std::this_thread::get_id() == caller) {
            (void)progress.goesOn(done, texts.size());
        }
    });
    if (progress.stop.stop_requested()) {
        return {};
    }
    Trials trials(input, progress.stop);
    std::vector<std::string> tries;
    for (const JudgedFix& one : judged) {
        const auto of_one = triesOf(input, one);
        tries.insert(tries.end(), of_one.begin(), of_one.end());
    }
    trials.prepare(tries);
    for (JudgedFix& one : judged) {
        judgeAlone(trials, one);
    }
    Ladder ladder;
    ladder.answer = findAnswer(trials, judged);
    ladder.limits = findLimits(trials);
    if (progress.stop.stop_requested()) {
        return {};
    }
    for (JudgedFix& one : judged) {
        ladder.fixes.push_back(std::move(one.fix));
    }
    return ladder;
}

} // namespace tidemark::diagnose
