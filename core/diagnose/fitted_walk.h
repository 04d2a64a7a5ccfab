// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/diagnose/facts/device_run.h"
#include "core/diagnose/predict/change.h"
#include "core/diagnose/prediction.h"
#include "core/fit/fit.h"
#include "core/label/bucket.h"

#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

namespace tidemark::diagnose {

/// What a walk that fits the recording makes of changes that it knows.
struct Walked {
    Bytes peak; ///< With its interval.
    Bytes low;
    Bytes high;
    label::BucketBytes buckets{}; ///< Of the peak.
    std::string how{}; ///< A sentence.
};

/// The walk that has the tensors of a recording, asked before any law. Fitted when first asked,
/// each list of changes walked through once. Not for several threads at a time. The run must
/// outlive it.
class FittedWalk {
public:
    FittedWalk(const DeviceRun& run, Engine engine, std::stop_token stop = {})
        : m_run(run)
        , m_engine(engine)
        , m_stop(std::move(stop))
    {
    }
    /// Nothing where laws are wanted, a stop was asked for or no walk fits, or where a change is
    /// none that it knows: sharding, offloading, and what some libraries do by themselves.
    std::optional<Walked> peakAfter(std::span<const Change> changes);

private:
    /// Requires a fit. A walk.
    [[nodiscard]] std::optional<fit::WalkedPeak> walkedPeak(std::span<const Change> changes) const;

    const DeviceRun& m_run;
    Engine m_engine;
    std::stop_token m_stop;
    std::optional<fit::Fit> m_fit;
    std::map<std::string, std::optional<Walked>> m_walked; ///< By the changes' words.
};

} // namespace tidemark::diagnose
