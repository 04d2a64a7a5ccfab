// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/json_parts.h"
#include "core/report/plan_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::report {
namespace {

constexpr std::size_t kMostSizes = 12;

std::string wordsOf(const walk::SizeDifference& size)
{
    std::string words(label::bucketName(size.bucket));
    if (size.role != label::Role::none) {
        words += fmt::format(" ({})", label::roleWords(size.role));
    }
    return words;
}

} // namespace

Json againstJson(const walk::PlanDifference& difference)
{
    Json sizes = Json::array();
    for (std::size_t i = 0; i < std::min(kMostSizes, difference.sizes.size()); ++i) {
        const walk::SizeDifference& size = difference.sizes[i];
        sizes.push_back({{"bytes", size.bytes.value},
                         {"planned_count", size.planned},
                         {"recorded_count", size.recorded},
                         {"delta_bytes", size.delta().value},
                         {"bucket", label::bucketId(size.bucket)},
                         {"role", label::roleId(size.role)}});
    }
    return {{"sentence", difference.sentence},
            {"planned_bytes", difference.planned.value},
            {"recorded_bytes", difference.recorded.value},
            {"planned_phase", label::phaseId(difference.planned_phase)},
            {"recorded_phase", label::phaseId(difference.recorded_phase)},
            {"planned_reserved_bytes", difference.planned_reserved.value},
            {"recorded_reserved_bytes", difference.recorded_reserved.value},
            {"same_bytes", difference.same.value},
            {"planned_buckets", bucketsJson(difference.planned_buckets)},
            {"recorded_buckets", bucketsJson(difference.recorded_buckets)},
            {"sizes", std::move(sizes)}};
}

Section againstSection(const walk::PlanDifference& difference)
{
    Section section{say("Plan vs. recording"), {Paragraph{difference.sentence, Emphasis::lead}}};
    Table buckets{{{say("At the peaks"), Align::left},
                   {say("Planned"), Align::right},
                   {say("Recorded"), Align::right},
                   {say("Difference"), Align::right}},
                  {},
                  {}};
    const OneUnit unit(std::max(difference.planned_reserved, difference.recorded_reserved));
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const std::int64_t planned = difference.planned_buckets[i];
        const std::int64_t recorded = difference.recorded_buckets[i];
        if (planned > 0 || recorded > 0) {
            buckets.rows.push_back({std::string(label::bucketName(label::bucketAt(i))),
                                    unit.cell({planned}), unit.cell({recorded}),
                                    unit.signedCell({recorded - planned})});
        }
    }
    buckets.rows.push_back(
        {say("Peak reserved"), unit.cell(difference.planned_reserved),
         unit.cell(difference.recorded_reserved),
         unit.signedCell(difference.recorded_reserved - difference.planned_reserved)});
    section.blocks.emplace_back(std::move(buckets));
    Table sizes{{{say("Tensor size"), Align::right},
                 {say("Planned"), Align::right},
                 {say("Recorded"), Align::right},
                 {say("Difference"), Align::right},
                 {say("Tensors"), Align::left}},
                {},
                {}};
    for (std::size_t i = 0; i < std::min(kMostSizes, difference.sizes.size()); ++i) {
        const walk::SizeDifference& size = difference.sizes[i];
        sizes.rows.push_back({formatBytes(size.bytes), formatCount(size.planned),
                              formatCount(size.recorded), formatDifference(size.delta()),
                              wordsOf(size)});
    }
    if (!sizes.rows.empty()) {
        section.blocks.emplace_back(
            Paragraph{say("{} match in size. What differs:", difference.same), Emphasis::none});
        section.blocks.emplace_back(std::move(sizes));
    }
    return section;
}

} // namespace tidemark::report
