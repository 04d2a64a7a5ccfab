// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/compare.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/settings.h"

#include <fmt/format.h>

namespace tidemark::compare {
namespace {

std::vector<std::string> differingSettings(const trace::Snapshot& a, const trace::Snapshot& b)
{
    std::vector<std::string> lines;
    for (const Setting& setting : allocatorSettings(a, b)) {
        if (setting.differs()) {
            lines.push_back(fmt::format("{}: {} → {}", setting.name,
                                        setting.a.empty() ? say("not set") : setting.a,
                                        setting.b.empty() ? say("not set") : setting.b));
        }
    }
    return lines;
}

void warnAbout(const Side& side, std::vector<std::string>& warnings)
{
    const replay::DeviceReplay& r = side.replay();
    if (r.stateCount() <= 1) {
        warnings.push_back(say("{} has no trace: its figures are those at the dump.", side.letter));
    }
    if (r.violations > 0) {
        warnings.push_back(say("{}: trace and segments disagree in {} places; see its input notes.",
                               side.letter, formatCount(r.violations)));
    }
}

/// Recordings that begin with memory in use may have had their peak before.
void warnAboutStart(const Side& a, const Side& b, std::vector<std::string>& warnings)
{
    const auto before = [](const Side& side) {
        const replay::DeviceReplay& r = side.replay();
        return r.stateCount() <= 1 ? std::string()
            : r.active.front() > 0 ? formatBytes({r.active.front()})
                                   : std::string();
    };
    const std::string in_a = before(a);
    const std::string in_b = before(b);
    if (!in_a.empty() && !in_b.empty()) {
        warnings.push_back(
            in_a == in_b
                ? say("Both recordings started with {} in use; earlier peaks aren't visible.", in_a)
                : say("{} started with {} in use, {} with {}; earlier peaks aren't visible.",
                      a.letter, in_a, b.letter, in_b));
    } else if (!in_a.empty() || !in_b.empty()) {
        warnings.push_back(say("{} started with {} in use; earlier peaks aren't visible.",
                               (in_a.empty() ? b : a).letter, in_a.empty() ? in_b : in_a));
    }
}

} // namespace

Comparison comparePeaks(const Side& a, const Side& b)
{
    Comparison c;
    c.device_a = a.index;
    c.device_b = b.index;
    const StateId peak_a = a.replay().peak;
    const StateId peak_b = b.replay().peak;
    c.peak_a = a.replay().activeAt(peak_a);
    c.peak_b = b.replay().activeAt(peak_b);
    const label::BucketBytes at_a = a.curves().at(peak_a);
    const label::BucketBytes at_b = b.curves().at(peak_b);
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        if (at_a[i] != 0 || at_b[i] != 0) {
            c.buckets.push_back({label::bucketAt(i), {at_a[i]}, {at_b[i]}});
        }
    }
    c.settings = differingSettings(a.snapshot(), b.snapshot());
    warnAboutStart(a, b, c.warnings);
    warnAbout(a, c.warnings);
    warnAbout(b, c.warnings);
    return c;
}

} // namespace tidemark::compare
