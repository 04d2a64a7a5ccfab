// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/fix_words.h"

#include "core/base/format.h"
#include "core/base/joined.h"
#include "core/base/language.h"
#include "core/config/framework.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/summary_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::report {
namespace {

using diagnose::Fix;
using diagnose::FixStatus;

std::string needsOf(const Fix& fix)
{
    std::string needs;
    const auto add = [&needs](const std::string& words) {
        needs += (needs.empty() || words.empty() ? "" : "; ") + words;
    };
    add(fix.needs.torch.empty() ? "" : say("torch {} or later", fix.needs.torch));
    add(fix.needs.gpu.empty() ? "" : "GPU: " + fix.needs.gpu);
    add(fix.needs.other);
    add(fix.needs.host ? say("{} of host memory", *fix.needs.host) : "");
    return needs;
}

std::string sizeLimitText(std::string_view knob, const diagnose::SizeLimit& limit)
{
    if (limit.turns > 1) {
        const std::string size = limit.value ? fmt::format("{}", *limit.value)
                                             : say("1/{} of the recorded size", limit.turns);
        return say("{}: at most {}, with {}× the accumulation for the same batch.", knob, size,
                   limit.turns);
    }
    return limit.value
        ? say("{}: at most {} ({:.3g} of the recorded size).", knob, *limit.value, limit.ratio)
        : say("{}: at most {:.3g} of the recorded size.", knob, limit.ratio);
}

/// Of a whole set: every part under its title.
std::string linesFor(const std::vector<const Fix*>& fixes, std::string_view framework)
{
    std::string lines;
    for (const Fix* fix : fixes) {
        const auto* line = lineFor(*fix, framework);
        if (line == nullptr && !fix->how.empty()) {
            line = &fix->how.front();
        }
        if (line != nullptr) {
            const std::string other =
                line->first == framework ? std::string() : " (" + line->first + ")";
            lines += fmt::format("{}# {}{}\n{}", lines.empty() ? "" : "\n\n", fix->title, other,
                                 line->second);
        }
    }
    return lines;
}

/// "Effective batch 16: micro-batch 8 × accumulation 2 × 1 GPU."
std::string batchLine(const config::RunConfig& config)
{
    const auto batch = config.effectiveBatch();
    if (!batch) {
        return {};
    }
    if (!config.micro_batch) {
        return say("Effective batch {}.", *batch);
    }
    const int ranks = config.ranks.value_or(1);
    return sayCounted(ranks, "Effective batch {}: micro-batch {} × accumulation {} × {} GPU.",
                      "Effective batch {}: micro-batch {} × accumulation {} × {} GPUs.", *batch,
                      *config.micro_batch, config.accumulation.value_or(1), ranks);
}

/// What else it states, in one sentence.
std::string statedLine(const config::RunConfig& config)
{
    std::string words;
    const auto add = [&words](const std::string& part) {
        words += (words.empty() ? "" : ", ") + part;
    };
    if (config.sequence) {
        add(say("sequence {}", *config.sequence));
    }
    if (config.zero_stage && *config.zero_stage > 0) {
        add(say("ZeRO stage {}", *config.zero_stage) + (config.sharding_words.empty() ? "" : " ")
            + config.sharding_words);
    }
    if (!config.precision.empty()) {
        add(config.precision);
    }
    if (!config.optimizer.empty()) {
        std::string optimizer = say("optimizer {}", config.optimizer);
        if (config.momentum) {
            optimizer = say("{} with momentum {}", optimizer, *config.momentum);
        }
        add(config.amsgrad ? say("{} with amsgrad", optimizer) : optimizer);
    }
    if (!config.allocator.empty()) {
        add(say("allocator {}", config.allocator));
    }
    return words.empty() ? words : say("Also: {}.", words);
}

/// The phase that a state lies in; `other` where none is known.
label::Phase phaseOf(const label::DeviceLabels& labels, StateId state)
{
    const EventId event(state == StateId::start() ? 0U : state.value - 1);
    const label::PhaseSpan* const span = labels.phaseAt(event);
    return span == nullptr ? label::Phase::other : span->phase;
}

/// Whether the ladder offers it with a prediction of the largest moment, and that is not known to
/// fit anyway.
bool hasPeak(const Fix& fix)
{
    using enum diagnose::FixStatus;
    const bool is_offered = fix.fits != true
        && (fix.status == recommended || fix.status == would_help || fix.status == not_enough
            || fix.status == not_needed);
    // What a run that died needs after its last event is at no moment of its curve.
    return is_offered && !fix.apply.empty() && fix.saves.value > 0 && fix.new_need == fix.new_peak;
}

struct FrameworkFiles {
    std::string_view part; ///< Of a frame's path.
    std::string_view name;
};
// Who builds on another one comes before it.
constexpr std::array<FrameworkFiles, 11> kFrameworkFiles{{
    {"/verl/", "veRL"},
    {"/trl/trainer/", "TRL"},
    {"/transformers/trainer", "HF Trainer"},
    {"/pytorch_lightning/", "Lightning"},
    {"/lightning/pytorch/", "Lightning"},
    {"/megatron/", "Megatron"},
    {"/torchtune/", "torchtune"},
    {"/vllm/", "vLLM"},
    {"/deepspeed/", "DeepSpeed"},
    {"/accelerate/", "Accelerate"},
    {"/torch/distributed/fsdp/", "FSDP"},
}};

} // namespace

std::string statusText(FixStatus status, FixSource source)
{
    switch (status) {
    case FixStatus::recommended:
        return say("recommended");
    case FixStatus::already_on:
        return say("already on");
    case FixStatus::not_enough:
        return say("not enough alone");
    case FixStatus::would_help:
    case FixStatus::not_needed:
    case FixStatus::not_applicable:
        break;
    }
    return source == FixSource::text      ? say("may help")
        : status == FixStatus::would_help ? say("would help")
        : status == FixStatus::not_needed ? say("not needed")
                                          : say("does not apply");
}

std::string_view frameworkInUse(const diagnose::Analysis& analysis)
{
    if (const auto& config = analysis.input.config) {
        if (const std::string_view named = config::frameworkOf(*config); !named.empty()) {
            return named;
        }
    }
    const trace::Snapshot& snapshot = *analysis.snapshot;
    std::size_t first = kFrameworkFiles.size();
    for (std::uint32_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const std::string_view path = snapshot.text(snapshot.stacks.frame(FrameId(f)).filename);
        for (std::size_t i = 0; i < first; ++i) {
            if (path.find(kFrameworkFiles[i].part) != std::string_view::npos) {
                first = i;
            }
        }
    }
    return first < kFrameworkFiles.size() ? kFrameworkFiles[first].name : std::string_view();
}

std::vector<Term> fixTerms(const Fix& fix)
{
    std::vector<Term> terms;
    const auto add = [&terms](const std::string& name, const std::string& words) {
        if (!words.empty()) {
            terms.emplace_back(name, words);
        }
    };
    add(say("Cost"), fix.cost);
    add(say("To verify"), fix.verify);
    for (const std::string& conflict : fix.conflicts) {
        add(say("Caution"), conflict);
    }
    add(say("Needs"), needsOf(fix));
    return terms;
}

std::string aloneText(const Fix& fix)
{
    const bool is_of_several = fix.status == diagnose::FixStatus::recommended
        && (fix.alone.new_need != fix.new_need || fix.alone.apply != fix.apply)
        && fix.alone.new_need.value > 0;
    if (!is_of_several) {
        return {};
    }
    const Bytes saves = fix.alone.saves;
    const Bytes need = fix.alone.new_need;
    return fix.alone.short_by.value > 0
        ? say("Saves {}; the run then needs {}: {} short.", saves, need, fix.alone.short_by)
        : say("Saves {}; the run then needs {}, which may not fit.", saves, need);
}

const std::pair<std::string, std::string>* lineFor(const Fix& fix, std::string_view framework)
{
    using Line = std::pair<std::string, std::string>;
    for (const std::string_view name : {framework, std::string_view("PyTorch")}) {
        const auto line = std::ranges::find(fix.how, name, &Line::first);
        if (line != fix.how.end()) {
            return &*line;
        }
    }
    return nullptr;
}

std::optional<Bytes> certainSpare(const Fix& fix, const diagnose::DeviceDiagnosis& diagnosis)
{
    const auto& answer = diagnosis.answer;
    const bool is_known = answer && answer->fits == true && answer->margin
        && std::ranges::find(answer->fixes, fix.id) != answer->fixes.end()
        && fix.new_reserved == answer->new_reserved;
    return is_known ? answer->margin : std::nullopt;
}

std::vector<const Fix*> fixesOfNextPeak(const diagnose::Analysis& analysis, std::size_t device)
{
    constexpr std::size_t kFewest = 3;
    constexpr double kAlike = 1.03; // Of peaks that are "about the same".
    const diagnose::DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    const label::DeviceLabels& labels = analysis.labels->devices[device];
    std::vector<const Fix*> alike;
    for (const Fix& lowest : diagnosis.fixes) {
        const label::Phase phase = phaseOf(labels, lowest.new_peak_state);
        if (!hasPeak(lowest) || phase == phaseOf(labels, diagnosis.moment.state)) {
            continue;
        }
        const double most = static_cast<double>(lowest.new_peak.value) * kAlike;
        std::vector<const Fix*> group{&lowest};
        for (const Fix& fix : diagnosis.fixes) {
            if (&fix != &lowest && hasPeak(fix) && fix.new_peak >= lowest.new_peak
                && static_cast<double>(fix.new_peak.value) <= most
                && phaseOf(labels, fix.new_peak_state) == phase) {
                group.push_back(&fix);
            }
        }
        if (group.size() > alike.size()) {
            alike = std::move(group);
        }
    }
    return alike.size() < kFewest ? std::vector<const Fix*>() : alike;
}

std::string nextPeakText(const diagnose::Analysis& analysis, std::size_t device)
{
    const std::vector<const Fix*> alike = fixesOfNextPeak(analysis, device);
    if (alike.empty()) {
        return {};
    }
    return say("{} fixes leave about the same peak: {} at {}.", alike.size(),
               alike.front()->new_peak,
               momentText(analysis, device, alike.front()->new_peak_state));
}

std::vector<const Fix*> answerFixes(const diagnose::DeviceDiagnosis& diagnosis)
{
    std::vector<const Fix*> members;
    if (diagnosis.answer) {
        for (const Fix& fix : diagnosis.fixes) {
            if (std::ranges::find(diagnosis.answer->fixes, fix.id)
                != diagnosis.answer->fixes.end()) {
                members.push_back(&fix);
            }
        }
    }
    return members;
}

std::vector<std::pair<std::string, std::string>> linesToPaste(const std::vector<const Fix*>& fixes)
{
    if (fixes.size() == 1) {
        return fixes.front()->how;
    }
    std::vector<std::pair<std::string, std::string>> all;
    for (const Fix* fix : fixes) {
        for (const auto& [framework, line] : fix->how) {
            using Line = std::pair<std::string, std::string>;
            if (std::ranges::find(all, framework, &Line::first) == all.end()) {
                all.emplace_back(framework, linesFor(fixes, framework));
            }
        }
    }
    return all;
}

std::vector<std::string> limitLines(const diagnose::Limits& limits)
{
    std::vector<std::string> lines;
    if (limits.micro_batch) {
        lines.push_back(sizeLimitText(say("Micro-batch"), *limits.micro_batch));
    }
    if (limits.sequence) {
        lines.push_back(sizeLimitText(say("Sequence"), *limits.sequence));
    }
    for (const diagnose::GpuLimit& limit : limits.gpus) {
        if (limit.gpus) {
            lines.push_back(sayCounted(*limit.gpus, "ZeRO stage {}: at least {} GPU.",
                                       "ZeRO stage {}: at least {} GPUs.", limit.stage,
                                       *limit.gpus));
        }
    }
    return lines;
}

std::vector<std::string> configLines(const config::RunConfig& config)
{
    std::vector<std::string> lines;
    for (std::string line : {batchLine(config), statedLine(config)}) {
        if (!line.empty()) {
            lines.push_back(std::move(line));
        }
    }
    for (const config::SwitchedOn& one : config.on) {
        lines.push_back(say("Already on: {} ({}).", one.fix, one.by));
    }
    for (const std::string& warning : config::warningsOn(config)) {
        lines.push_back(say("Caution: {}", warning));
    }
    if (!config.unread.empty()) {
        lines.push_back(say("Not checked: {}.", joined(config.unread, ", ")));
    }
    return lines;
}

} // namespace tidemark::report
