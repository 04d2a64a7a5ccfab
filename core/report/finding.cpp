// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/finding.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/documents.h"
#include "core/report/places.h"
#include "core/report/summary_facts.h"
#include "core/report/torch_version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace tidemark::report {
namespace {

using diagnose::Analysis;
using diagnose::DeviceDiagnosis;

constexpr std::size_t kBucketsTold = 4;
constexpr std::size_t kAllocationsTold = 3;

/// "Activations 9.86 GiB (63 %), Parameters 3.10 GiB (20 %)": the largest first.
std::string filledBy(const Analysis& analysis, std::size_t device, StateId state)
{
    const label::BucketBytes bytes = analysis.curves->devices[device].at(state);
    const Bytes active = analysis.replay->devices[device].activeAt(state);
    std::vector<std::size_t> order(label::kBucketCount);
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t i) { return bytes[i]; });
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < kBucketsTold; ++i) {
        if (bytes[order[i]] > 0) {
            const double share = static_cast<double>(bytes[order[i]])
                / static_cast<double>(std::max<std::int64_t>(1, active.value));
            parts.push_back(fmt::format("{} {} ({})", label::bucketName(label::bucketAt(order[i])),
                                        formatBytes(Bytes{bytes[order[i]]}), formatPercent(share)));
        }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// "358 MiB model.py:24, …": the largest at the moment, with the lines that made them.
std::string largest(const Analysis& analysis, std::size_t device)
{
    Places places(analysis);
    const AllocationSelection selection = largestAtMoment(analysis, device, kAllocationsTold);
    std::vector<std::string> parts;
    for (const AllocationId id : selection.ids) {
        const Place& place = places.of(device, id);
        const std::string& line = place.user.empty() ? place.text : place.user;
        const Bytes bytes = analysis.replay->devices[device].allocations.requested[id.index()];
        parts.push_back(line.empty() ? formatBytes(bytes)
                                     : fmt::format("{} {}", formatBytes(bytes), line));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

Document findingDocument(const Analysis& analysis, std::size_t device)
{
    const DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    const diagnose::Moment& moment = diagnosis.moment;
    Document document{diagnosis.headline, {}};
    Section section{"", {}};
    if (!diagnosis.explanation.empty()) {
        section.blocks.emplace_back(Paragraph{diagnosis.explanation});
    }
    const StateId at = moment.is_oom ? StateId::after(moment.oom) : moment.state;
    Bullets facts;
    const auto add = [&facts](const std::string& name, const std::string& words) {
        if (!words.empty()) {
            facts.items.push_back(fmt::format("{}: {}", name, words));
        }
    };
    add(say("File"),
        fmt::format("{}, {}", analysis.file.filename().string(), torchText(*analysis.snapshot)));
    add(moment.is_oom ? say("OOM") : say("Peak"), momentText(analysis, device, at));
    if (moment.is_oom) {
        add(say("Failed request"), formatBytes(moment.requested));
    }
    add(say("Reserved"), formatBytes(moment.reserved));
    add(say("Capacity"),
        diagnosis.capacity ? formatInterval(*diagnosis.capacity, diagnosis.mostCapacity())
                           : say("Not known"));
    add(say("Filled by"), filledBy(analysis, device, moment.state));
    add(say("Largest"), largest(analysis, device));
    section.blocks.emplace_back(std::move(facts));
    if (!diagnosis.fix_headline.empty()) {
        section.blocks.emplace_back(
            Paragraph{diagnosis.fix_explanation, Emphasis::none, diagnosis.fix_headline});
    }
    document.sections.push_back(std::move(section));
    return document;
}

} // namespace tidemark::report
