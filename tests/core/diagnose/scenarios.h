// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/diagnosis.h"
#include "core/diagnose/facts/facts.h"
#include "core/diagnose/prediction.h"
#include "tests/core/diagnose/hand_run.h"

#include <optional>
#include <string>
#include <utility>

namespace tidemark::test {

// Small runs that die each in its own way; reserved, free and request are chosen so that the
// figures of a test can be followed by hand (sizes in MiB: weights 4 × 8, states 64, gradients 32,
// activations up to 280).

/// Three whole steps and no OOM.
diagnose::Analysis fineRun(diagnose::UserInput input = {}, ModelShape shape = {});
/// One whole step, then the gradient of the logits does not fit at the start of the second
/// backward.
diagnose::Analysis diesInBackward(diagnose::UserInput input = {}, ModelShape shape = {});
/// The second state of the second block does not fit in the first optimizer step.
diagnose::Analysis diesMakingState(diagnose::UserInput input = {});
/// The list of foreach temporaries does not fit in the second optimizer step.
diagnose::Analysis diesInForeachList(diagnose::UserInput input = {});
/// The first backward ends in the middle, making a gradient.
diagnose::Analysis diesMakingGradients(diagnose::UserInput input = {});
/// An evaluation batch is too large.
diagnose::Analysis diesInEvaluationBatch(diagnose::UserInput input = {});
/// Evaluation keeps every result.
diagnose::Analysis diesCollectingResults(diagnose::UserInput input = {});
/// Every step leaves 32 MiB behind.
diagnose::Analysis diesOfLeak(diagnose::UserInput input = {});
/// Enough is cached, in holes that are too small.
diagnose::Analysis diesOfHoles(diagnose::UserInput input = {});
/// The third batch is three times as large as those before.
diagnose::Analysis diesInLongestBatch(diagnose::UserInput input = {});
/// Gradients stay from step to step and the second forward does not fit.
diagnose::Analysis diesWithKeptGradients(diagnose::UserInput input = {});
/// The model is still being made.
diagnose::Analysis diesLoading(diagnose::UserInput input = {});
/// A cache of keys and values grows by a token at a time.
diagnose::Analysis diesOfCache(diagnose::UserInput input = {});

/// A whole step and the next one until its optimizer begins: with the default four weights of
/// 8 MiB, their gradients and 64 of states are live.
void beginSecondOptimizerStep(HandRun& run,
                              const ModelShape& shape = {
                                  .hidden = kM, .attention = kM, .logits = kM});

/// A run with the facts of its first device.
struct GatheredRun {
    diagnose::Analysis analysis;
    label::StackKinds stacks;
    std::optional<diagnose::OomMessage> message;
    diagnose::Facts facts;

    explicit GatheredRun(diagnose::Analysis a)
        : analysis(std::move(a))
        , stacks(*analysis.snapshot)
        , facts(gatherFacts(analysis, 0, stacks, message))
    {
    }
};

/// Its diagnosis; stops the test if it fails.
diagnose::Diagnosis diagnosisOf(const diagnose::Analysis& analysis);
/// The first device's.
diagnose::DeviceDiagnosis deviceDiagnosisOf(const diagnose::Analysis& analysis);
/// The fix of that id of the first device.
diagnose::Fix fixOf(const diagnose::Analysis& analysis, std::string_view id);
/// A prediction for the first device, from the words of the command line.
diagnose::Prediction predictionOf(const diagnose::Analysis& analysis, std::string_view changes);

} // namespace tidemark::test
