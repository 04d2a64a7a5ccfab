// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/scenarios.h"

#include "core/diagnose/diagnose.h"

#include <QtCore/QtGlobal>

#include <algorithm>

namespace tidemark::test {

using diagnose::Analysis;
using diagnose::UserInput;
using label::Bucket;
using label::Phase;
using label::Role;

Analysis fineRun(UserInput input, ModelShape shape)
{
    HandRun run(1024 * kM);
    HandTraining training(run, shape);
    for (int i = 0; i < 3; ++i) {
        training.step();
    }
    return run.finish(std::move(input));
}

Analysis diesInBackward(UserInput input, ModelShape shape)
{
    HandRun run(394 * kM);
    HandTraining training(run, shape);
    training.step();
    training.forward();
    run.phase(Phase::backward, training.stepNumber());
    run.oom(training.scaled(shape.logits), 4 * kM, Bucket::temporary, Role::activation_gradient);
    return run.finish(std::move(input));
}

Analysis diesMakingState(UserInput input)
{
    HandRun run(100 * kM);
    HandTraining training(run, {.hidden = 2 * kM, .attention = 2 * kM, .logits = 2 * kM});
    training.forward();
    training.backward();
    run.phase(Phase::optimizer, 1);
    const auto* stack = "step /site-packages/torch/optim/adamw.py:147";
    for (int i = 0; i < 3; ++i) {
        run.alloc(8 * kM, Bucket::optimizer_state, Role::none, stack);
    }
    run.oom(8 * kM, 0, Bucket::optimizer_state, Role::none, stack);
    return run.finish(std::move(input));
}

void beginSecondOptimizerStep(HandRun& run, const ModelShape& shape)
{
    HandTraining training(run, shape);
    training.step();
    training.forward();
    training.backward();
    run.phase(Phase::optimizer, training.stepNumber());
}

Analysis diesInForeachList(UserInput input)
{
    HandRun run(412 * kM);
    ModelShape shape;
    shape.foreach_lists = true;
    shape.attention = 4 * kM; // so that the step itself is the peak
    shape.hidden = 2 * kM;
    shape.logits = 4 * kM;
    shape.weight = 24 * kM;
    shape.layers = 4;
    beginSecondOptimizerStep(run, shape);
    const auto* stack = "_multi_tensor_adamw /site-packages/torch/optim/adamw.py:300; step "
                        "/site-packages/torch/optim/adamw.py:160";
    run.alloc(24 * kM, Bucket::temporary, Role::optimizer_transient, stack);
    run.oom(24 * kM, 2 * kM, Bucket::temporary, Role::optimizer_transient, stack);
    return run.finish(std::move(input));
}

Analysis diesMakingGradients(UserInput input)
{
    HandRun run(140 * kM);
    ModelShape shape;
    shape.attention = 2 * kM;
    shape.hidden = kM;
    shape.logits = 4 * kM;
    shape.weight = 24 * kM;
    HandTraining training(run, shape);
    training.forward();
    training.backward(1);
    run.oom(24 * kM, 2 * kM, Bucket::gradient);
    return run.finish(std::move(input));
}

Analysis diesInEvaluationBatch(UserInput input)
{
    HandRun run(410 * kM);
    HandTraining training(run, {});
    training.step();
    run.phase(Phase::evaluation, 1);
    const auto* stack = "forward /home/me/model.py:24";
    run.alloc(2 * kM, Bucket::input, Role::none, "load /home/me/data.py:9");
    run.alloc(160 * kM, Bucket::temporary, Role::attention_matrix, stack);
    run.oom(160 * kM, 6 * kM, Bucket::temporary, Role::attention_matrix, stack);
    return run.finish(std::move(input));
}

Analysis diesCollectingResults(UserInput input)
{
    HandRun run(514 * kM);
    HandTraining training(run, {});
    training.step();
    for (int i = 0; i < 10; ++i) {
        run.phase(Phase::input, 1);
        const auto batch = run.alloc(kM, Bucket::input, Role::none, "load /home/me/data.py:9");
        run.phase(Phase::evaluation, 1);
        const auto work =
            run.alloc(8 * kM, Bucket::temporary, Role::none, "forward /home/me/model.py:24");
        run.alloc(40 * kM, Bucket::output, Role::none, "evaluate /home/me/eval.py:12");
        run.free(work);
        run.free(batch);
    }
    run.oom(40 * kM, 4 * kM, Bucket::output, Role::none, "evaluate /home/me/eval.py:12");
    return run.finish(std::move(input));
}

Analysis diesOfLeak(UserInput input)
{
    HandRun run(620 * kM);
    HandTraining training(run, {});
    for (int i = 0; i < 6; ++i) {
        training.step();
        run.alloc(32 * kM, Bucket::output, Role::none, "train /home/me/train.py:50");
    }
    training.forward(2);
    run.oom(200 * kM, 3 * kM, Bucket::activation);
    return run.finish(std::move(input));
}

Analysis diesOfHoles(UserInput input)
{
    HandRun run(200 * kM);
    HandTraining training(
        run, {.layers = 1, .weight = 4 * kM, .hidden = kM, .attention = kM, .logits = kM});
    training.step();
    run.phase(Phase::other, 1);
    std::vector<HandRun::Handle> all;
    for (int i = 0; i < 9; ++i) {
        all.push_back(run.alloc(20 * kM, Bucket::output, Role::none, "keep /home/me/train.py:70"));
    }
    for (std::size_t i = 0; i < all.size(); i += 2) {
        run.free(all[i]);
    }
    run.oom(50 * kM, 2 * kM, Bucket::temporary, Role::none, "keep /home/me/train.py:71");
    return run.finish(std::move(input));
}

Analysis diesInLongestBatch(UserInput input)
{
    HandRun run(700 * kM);
    HandTraining training(run, {});
    for (int i = 0; i < 3; ++i) {
        training.step();
    }
    training.shape().batch = 3;
    training.forward(3);
    run.oom(training.scaled(training.shape().hidden), 2 * kM, Bucket::activation, Role::none,
            "layer_norm /site-packages/torch/nn/functional.py:2515; forward /home/me/model.py:30");
    return run.finish(std::move(input));
}

Analysis diesWithKeptGradients(UserInput input)
{
    HandRun run(420 * kM);
    ModelShape shape;
    shape.keep_gradients = true;
    HandTraining training(run, shape);
    training.step();
    training.step();
    training.forward();
    run.phase(Phase::backward, training.stepNumber());
    run.oom(24 * kM, 4 * kM, Bucket::temporary, Role::activation_gradient);
    return run.finish(std::move(input));
}

Analysis diesLoading(UserInput input)
{
    HandRun run(100 * kM);
    run.phase(Phase::setup, 0);
    for (int i = 0; i < 3; ++i) {
        run.alloc(32 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    }
    run.oom(32 * kM, 2 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    return run.finish(std::move(input));
}

Analysis diesOfCache(UserInput input)
{
    HandRun run(330 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(64 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    run.phase(Phase::inference, 0);
    auto cache = run.alloc(40 * kM, Bucket::kv_cache, Role::none, "cat /home/me/model.py:20");
    for (int i = 1; i <= 9; ++i) {
        const auto longer =
            run.alloc((40 + 10 * i) * kM, Bucket::kv_cache, Role::none, "cat /home/me/model.py:20");
        run.free(cache);
        cache = longer;
    }
    run.oom(140 * kM, 2 * kM, Bucket::kv_cache, Role::none, "cat /home/me/model.py:20");
    return run.finish(std::move(input));
}

diagnose::Diagnosis diagnosisOf(const Analysis& analysis)
{
    NoProgress progress;
    auto result = diagnose::run(analysis, progress, {});
    if (!result.has_value()) {
        qFatal("the diagnosis failed: %s", result.error().message.c_str());
    }
    return std::move(result).value();
}

diagnose::DeviceDiagnosis deviceDiagnosisOf(const Analysis& analysis)
{
    return diagnosisOf(analysis).devices.at(0);
}

diagnose::Fix fixOf(const Analysis& analysis, std::string_view id)
{
    const diagnose::DeviceDiagnosis d = deviceDiagnosisOf(analysis);
    const auto found = std::ranges::find(d.fixes, id, &diagnose::Fix::id);
    if (found == d.fixes.end()) {
        qFatal("there is no fix %s", std::string(id).c_str());
    }
    return *found;
}

diagnose::Prediction predictionOf(const Analysis& analysis, std::string_view changes)
{
    const auto parsed = diagnose::parseChanges(changes);
    if (!parsed.has_value()) {
        qFatal("%s", parsed.error().message.c_str());
    }
    return diagnose::predict(analysis, 0, parsed.value());
}

} // namespace tidemark::test
