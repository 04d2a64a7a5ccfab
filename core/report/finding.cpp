// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/finding.h"

#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/redaction.h"
#include "core/report/cause_words.h"
#include "core/report/document.h"
#include "core/report/fix_words.h"
#include "core/report/selection.h"
#include "core/report/summary_facts.h"
#include "core/report/torch_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace tidemark::report {
namespace {

using diagnose::Analysis;
using diagnose::DeviceDiagnosis;

constexpr std::size_t kMostEvidence = 4;
constexpr std::size_t kMostFixLines = 7;

/// The first lines of what the recommended fix is written as.
Code fixLines(const Analysis& analysis, const DeviceDiagnosis& diagnosis)
{
    Code code;
    const std::vector<const diagnose::Fix*> fixes = answerFixes(diagnosis);
    if (fixes.empty()) {
        return code;
    }
    const auto* found = lineFor(*fixes.front(), frameworkInUse(analysis));
    if (found == nullptr) {
        return code;
    }
    code.label = found->first;
    std::istringstream text(found->second);
    for (std::string line; std::getline(text, line);) {
        if (code.lines.size() == kMostFixLines - 1 && text.peek() != EOF) {
            code.lines.emplace_back("…");
            break;
        }
        code.lines.push_back(line);
    }
    return code;
}

std::string sourceLine(const Analysis& analysis, std::size_t device, const diagnose::Moment& moment)
{
    const std::string when = moment.is_oom
        ? say("OOM at {}", momentText(analysis, device, StateId::after(moment.oom)))
        : momentText(analysis, device, moment.state);
    std::string line = fmt::format("{} · {} · {} · {}", analysis.file.filename().string(),
                                   deviceName(analysis.snapshot->devices[device]), when,
                                   torchText(*analysis.snapshot));
    if (pipeline::isRedacted(analysis)) {
        line += " · " + say("names replaced");
    }
    return line;
}

} // namespace

std::string findingMarkdown(const Analysis& analysis, std::size_t device)
{
    if (device >= analysis.diagnosis->devices.size()
        || analysis.snapshot->devices[device].isEmpty()) {
        return toMarkdown(
            {"",
             {{"",
               {Paragraph{say("The file has no events and no segments: nothing to explain."),
                          Emphasis::lead}}}}});
    }
    const DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    std::vector<Block> blocks{Paragraph{diagnosis.headline, Emphasis::lead}};
    if (!diagnosis.explanation.empty()) {
        blocks.emplace_back(Paragraph{diagnosis.explanation});
    }
    Bullets evidence;
    for (const diagnose::Evidence& one :
         unsaidEvidence(diagnosis.causes.front(), diagnosis.explanation)) {
        if (evidence.items.size() < kMostEvidence) {
            evidence.items.push_back(one.text);
        }
    }
    if (device == analysis.mainDevice() && !analysis.diagnosis->sum_check.empty()) {
        evidence.items.push_back(analysis.diagnosis->sum_check);
    }
    if (!evidence.items.empty()) {
        blocks.emplace_back(std::move(evidence));
    }
    if (!diagnosis.fix_headline.empty()) {
        blocks.emplace_back(Paragraph{diagnosis.fix_headline, Emphasis::lead});
    }
    if (!diagnosis.fix_explanation.empty()) {
        blocks.emplace_back(Paragraph{diagnosis.fix_explanation});
    }
    if (Code lines = fixLines(analysis, diagnosis); !lines.lines.empty()) {
        blocks.emplace_back(std::move(lines));
    }
    blocks.emplace_back(Paragraph{sourceLine(analysis, device, diagnosis.moment)});
    return toMarkdown({"", {{"", std::move(blocks)}}});
}

} // namespace tidemark::report
