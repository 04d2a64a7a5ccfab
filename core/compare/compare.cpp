// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/compare.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <cstdlib>

namespace tidemark::compare {
namespace {

using diagnose::Analysis;

std::string signedBytes(Bytes b)
{
    return b.value > 0 ? "+" + formatBytes(b) : formatBytes(b);
}

std::vector<std::string> differingSettings(const trace::AllocatorSettings& a,
                                           const trace::AllocatorSettings& b)
{
    std::vector<std::string> lines;
    const auto line = [&](std::string_view name, const std::string& x, const std::string& y) {
        if (x != y) {
            lines.push_back(fmt::format("{}: {} → {}", name, x.empty() ? "not set" : x,
                                        y.empty() ? "not set" : y));
        }
    };
    const auto flag = [](const std::optional<bool>& v) {
        return v.has_value() ? std::string(*v ? "on" : "off") : std::string();
    };
    const auto number = [](const auto& v) {
        return v.has_value() ? fmt::format("{}", *v) : std::string();
    };
    line("PYTORCH_CUDA_ALLOC_CONF", a.conf, b.conf);
    line("expandable_segments", flag(a.expandable_segments), flag(b.expandable_segments));
    line("max_split_size", number(a.max_split_size_bytes), number(b.max_split_size_bytes));
    line("garbage_collection_threshold", number(a.garbage_collection_threshold),
         number(b.garbage_collection_threshold));
    return lines;
}

void warnAbout(const Analysis& analysis, std::size_t device, std::string_view name,
               std::vector<std::string>& warnings)
{
    const replay::DeviceReplay& r = analysis.replay->devices[device];
    if (r.stateCount() <= 1) {
        warnings.push_back(
            fmt::format("{} has no trace: its figures are those of the moment of the dump.", name));
    } else if (r.active.front() > 0) {
        warnings.push_back(fmt::format(
            "The trace of {} begins with {} already allocated; an earlier peak would not be seen.",
            name, formatBytes({r.active.front()})));
    }
    if (r.violations > 0) {
        warnings.push_back(fmt::format(
            "{}: trace and segments contradict each other in {} places; see its input notes.", name,
            formatCount(r.violations)));
    }
}

std::string sentenceFor(const Comparison& c)
{
    const Bytes delta = c.peak_b - c.peak_a;
    if (delta == Bytes{}) {
        return fmt::format("A and B have the same peak, {}.", formatBytes(c.peak_a));
    }
    const BucketDelta* most = nullptr;
    for (const BucketDelta& d : c.buckets) {
        const bool same_way = (d.delta().value > 0) == (delta.value > 0) && d.delta() != Bytes{};
        if (same_way
            && (most == nullptr || std::abs(d.delta().value) > std::abs(most->delta().value))) {
            most = &d;
        }
    }
    std::string text = fmt::format(
        "B peaks {} {} than A ({} against {})", formatBytes({std::abs(delta.value)}),
        delta.value > 0 ? "higher" : "lower", formatBytes(c.peak_b), formatBytes(c.peak_a));
    if (most != nullptr) {
        text += fmt::format("; the largest part is {} ({})", label::bucketName(most->bucket),
                            signedBytes(most->delta()));
    }
    return text + ".";
}

} // namespace

Comparison compare(const Analysis& a, const Analysis& b)
{
    return compare(a, a.mainDevice(), b, b.mainDevice());
}

Comparison compare(const Analysis& a, std::size_t device_a, const Analysis& b, std::size_t device_b)
{
    Comparison c;
    c.device_a = device_a;
    c.device_b = device_b;
    const curves::DeviceCurves& curves_a = a.curves->devices[device_a];
    const curves::DeviceCurves& curves_b = b.curves->devices[device_b];
    c.peak_a = curves_a.replay().activeAt(curves_a.replay().peak);
    c.peak_b = curves_b.replay().activeAt(curves_b.replay().peak);
    const label::BucketBytes at_a = curves_a.at(curves_a.replay().peak);
    const label::BucketBytes at_b = curves_b.at(curves_b.replay().peak);
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        if (at_a[i] != 0 || at_b[i] != 0) {
            c.buckets.push_back({label::bucketAt(i), {at_a[i]}, {at_b[i]}});
        }
    }
    c.sentence = sentenceFor(c);
    c.settings = differingSettings(a.snapshot->settings, b.snapshot->settings);
    warnAbout(a, device_a, "A", c.warnings);
    warnAbout(b, device_b, "B", c.warnings);
    return c;
}

} // namespace tidemark::compare
