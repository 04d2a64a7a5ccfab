// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/analysis.h"

#include "core/allocator/baseline.h"

#include <algorithm>
#include <tuple>

namespace tidemark::diagnose {

std::size_t Analysis::mainDevice() const
{
    std::size_t best = 0;
    std::tuple<bool, bool, std::size_t, std::int64_t> best_rank{};
    for (std::size_t d = 0; d < deviceCount(); ++d) {
        const trace::Device& device = snapshot->devices[d];
        const replay::DeviceReplay& r = replay->devices[d];
        const std::int64_t reserved =
            deviceCount() == 1 || r.reserved.empty() ? 0 : *std::ranges::max_element(r.reserved);
        const bool is_used_gpu = device.kind == trace::DeviceKind::gpu && !device.isEmpty();
        const std::tuple rank{!r.ooms.empty(), is_used_gpu, device.events.count(), reserved};
        if (d == 0 || rank > best_rank) {
            best = d;
            best_rank = rank;
        }
    }
    return best;
}

bool Analysis::isSameAs(const Analysis& other) const
{
    const auto parts = [](const Analysis& a) {
        return std::tie(a.generation, a.snapshot, a.replay, a.block_sizes, a.baselines, a.inferred,
                        a.corrections, a.labels, a.curves, a.programs, a.planned, a.diagnosis);
    };
    return parts(*this) == parts(other) && file == other.file;
}

const program::Program& Analysis::program(std::size_t device) const
{
    static const program::Program kNone;
    return programs && device < programs->size() ? (*programs)[device] : kNone;
}

const allocator::Baseline* Analysis::baseline(std::size_t device) const
{
    const bool is_there = baselines && device < baselines->size() && (*baselines)[device];
    return is_there ? &*(*baselines)[device] : nullptr;
}

std::string_view Analysis::message() const
{
    if (input.message.empty() && snapshot && snapshot->capture) {
        return snapshot->capture->error_message;
    }
    return input.message;
}

} // namespace tidemark::diagnose
