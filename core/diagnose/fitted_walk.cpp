// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fitted_walk.h"

#include "core/base/format.h"
#include "core/base/joined.h"
#include "core/base/language.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/predict/change_words.h"
#include "core/shapes/linear_names.h"
#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tidemark::diagnose {
namespace {

constexpr std::array kWalkedOptimizers{
    std::pair<std::string_view, walk::Optimizer>{values::kSgdMomentum,
                                                 walk::Optimizer::sgd_momentum},
    std::pair<std::string_view, walk::Optimizer>{values::kSgd, walk::Optimizer::sgd},
    std::pair<std::string_view, walk::Optimizer>{"adafactor", walk::Optimizer::adafactor},
    std::pair<std::string_view, walk::Optimizer>{"adamw8bit", walk::Optimizer::adamw_8bit},
};

bool isAdam(walk::Optimizer optimizer)
{
    return optimizer == walk::Optimizer::adamw || optimizer == walk::Optimizer::adamw_foreach
        || optimizer == walk::Optimizer::adamw_for_loop;
}

/// Whole samples, or nothing.
bool scaleBatch(double ratio, walk::RunShape& run)
{
    constexpr double kNearlyWhole = 0.02; // 0.33 is meant as a third.
    const double batch = static_cast<double>(run.batch) * ratio;
    if (batch < 1 - kNearlyWhole || std::abs(batch - std::round(batch)) > kNearlyWhole * batch) {
        return false;
    }
    run.batch = std::llround(batch);
    return true;
}

bool scaleSequence(const walk::ModelShape& model, double ratio, walk::RunShape& run)
{
    const auto scaled = [&](std::int64_t tokens) {
        return std::max<std::int64_t>(1, std::llround(static_cast<double>(tokens) * ratio));
    };
    run.sequence = scaled(run.sequence);
    run.target_sequence = model.decoder ? scaled(run.target_sequence) : 0;
    return !model.images;
}

bool changePrecision(std::string_view word, walk::RunShape& run)
{
    const bool is_autocast = word == values::kBf16;
    const bool shrinks = run.precision == walk::Precision::fp32
        || (!is_autocast && run.precision == walk::Precision::autocast_bf16);
    run.precision = is_autocast ? walk::Precision::autocast_bf16 : walk::Precision::bf16;
    return shrinks;
}

bool changeOptimizer(std::string_view word, walk::RunShape& run)
{
    for (const auto& [id, optimizer] : kWalkedOptimizers) {
        if (id == word) {
            run.optimizer = optimizer;
            return true;
        }
    }
    return false;
}

bool applyToRun(const Change& change, const walk::ModelShape& model, walk::RunShape& run)
{
    switch (change.kind) {
    case ChangeKind::micro_batch:
        return scaleBatch(change.number, run);
    case ChangeKind::sequence:
        return scaleSequence(model, change.number, run);
    case ChangeKind::accumulation:
        run.accumulation = change.count();
        return true;
    case ChangeKind::checkpointing:
        run.checkpoints = true;
        return change.word == "full";
    case ChangeKind::precision:
        return changePrecision(change.word, run);
    case ChangeKind::optimizer:
        return changeOptimizer(change.word, run);
    case ChangeKind::foreach:
    case ChangeKind::fused: {
        const bool is_adam = isAdam(run.optimizer);
        run.optimizer = change.kind == ChangeKind::fused ? walk::Optimizer::adamw
                                                         : walk::Optimizer::adamw_for_loop;
        return is_adam;
    }
    case ChangeKind::attention:
        return std::exchange(run.attention, walk::Attention::sdpa) == walk::Attention::eager;
    case ChangeKind::fused_loss:
        run.fuses_loss = true;
        return change.word == "on";
    case ChangeKind::lora:
        if (!change.layers.empty()) {
            run.lora.emplace().targets = shapes::targetsOf(model, change.layers);
        } else if (!run.lora) {
            run.lora.emplace().targets = shapes::usualTargets(model);
        }
        return (run.lora->rank = change.count()) > 0;
    case ChangeKind::set_to_none:
    case ChangeKind::zero:
    case ChangeKind::gpus:
    case ChangeKind::offload:
    case ChangeKind::qlora:
    case ChangeKind::eval_accumulation:
        return false;
    }
    return false;
}

/// The same with first adapters that nobody names on all linear layers; nothing: there are none.
std::optional<std::vector<Change>> withMostAdapters(const walk::RunShape& run,
                                                    std::span<const Change> changes)
{
    std::vector<Change> most(changes.begin(), changes.end());
    const auto unnamed = std::ranges::find_if(most, [](const Change& change) {
        return change.kind == ChangeKind::lora && change.layers.empty();
    });
    if (run.lora || unnamed == most.end()) {
        return std::nullopt;
    }
    unnamed->layers = {"all-linear"};
    return most;
}

/// The run that changes lead to, where the walk knows each of them; else nothing.
std::optional<walk::RunShape> walkedRun(const walk::ModelShape& model, const walk::RunShape& run,
                                        std::span<const Change> changes)
{
    walk::RunShape changed = run;
    for (const Change& change : changes) {
        if (!applyToRun(change, model, changed)) {
            return std::nullopt;
        }
    }
    return changed;
}

} // namespace

std::optional<fit::WalkedPeak> FittedWalk::walkedPeak(std::span<const Change> changes) const
{
    const std::optional<walk::RunShape> run = walkedRun(m_fit->model, m_fit->run, changes);
    return run ? fit::peakAfter(*m_fit, *run) : std::nullopt;
}

std::string objectionTo(const Analysis& analysis, std::size_t device,
                        std::span<const Change> changes)
{
    std::vector<std::string> named; // The last names of their paths.
    for (const Change& change : changes) {
        for (const std::string& layer : change.layers) {
            if (layer != "all-linear" && layer != "all") {
                named.push_back(layer.substr(layer.rfind('.') + 1));
            }
        }
    }
    if (named.empty()) {
        return {};
    }
    const std::vector<std::string> there =
        fit::linearNamesIn({*analysis.snapshot, analysis.replay->devices[device],
                            analysis.labels->devices[device], analysis.program(device)});
    return there.empty() ? std::string() : shapes::objectionTo(named, there);
}

std::optional<Walked> FittedWalk::peakAfter(std::span<const Change> changes)
{
    if (changes.empty() || m_engine == Engine::laws || m_stop.stop_requested()) {
        return std::nullopt;
    }
    if (!m_fit) {
        m_fit = fit::fitTo({m_run.snapshot, m_run.replay, m_run.labels, m_run.program}, m_stop);
    }
    if (!m_fit->isAccepted()) {
        return std::nullopt;
    }
    const auto [known, is_new] =
        m_walked.try_emplace(changesText({changes.begin(), changes.end()}));
    if (const auto peak = is_new ? walkedPeak(changes) : std::nullopt) {
        // What the fit misses may follow the change.
        const double missed = m_fit->off + (1 - m_fit->same);
        const auto off = std::llround(missed * static_cast<double>(peak->bytes.value));
        Walked walked{peak->bytes, peak->bytes - Bytes{off}, peak->bytes + Bytes{off}};
        walked.buckets = m_run.curves.at(m_run.replay.peak);
        for (std::size_t b = 0; b < walked.buckets.size(); ++b) {
            walked.buckets[b] = std::max<std::int64_t>(0, walked.buckets[b] + peak->more[b]);
        }
        walked.how = say("Planned with the configuration fitted to this recording: {}; {} of the "
                         "peak's bytes match.",
                         wordsOf(*m_fit), formatPercent(m_fit->same));
        if (const auto most = withMostAdapters(m_fit->run, changes)) {
            const auto highest = walkedPeak(*most);
            walked.high = std::max(walked.high, highest ? highest->bytes : peak->bytes);
            walked.how += ' '
                + say("Adapters on {}, PEFT's default; the upper bound has them on all linear "
                      "layers.",
                      joined(shapes::usualTargets(m_fit->model), ", "));
        }
        known->second = std::move(walked);
    }
    return known->second;
}

} // namespace tidemark::diagnose
