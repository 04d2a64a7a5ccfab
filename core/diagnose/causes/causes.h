// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/causes/measures.h"
#include "core/diagnose/facts/facts.h"
#include "core/diagnose/facts/reference_pass.h"
#include "core/diagnose/facts/run_case.h"
#include "core/diagnose/moment.h"
#include "core/diagnose/predict/need.h"
#include "core/message/cause.h"
#include "core/message/texts.h"

#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What the rules look at. References only; lives as long as one diagnosis takes.
struct CauseInput {
    const Facts& facts;
    const NeedBasis& basis;
    const Measures& measures;
    BatchRatio batch;
    RunCase run = RunCase::unknown;

    /// Live bytes and the request that failed.
    [[nodiscard]] std::int64_t total() const
    {
        return facts.moment.active.value + facts.moment.requested.value;
    }
    /// What shares are taken of: the capacity (of an interval the upper end) where it is known,
    /// else the total. Why a run died does not depend on the GPU that it is to run on next.
    [[nodiscard]] std::int64_t room() const
    {
        return basis.died_with.bytes ? basis.died_with.most().value : total();
    }
    [[nodiscard]] double share(std::int64_t bytes) const
    {
        return room() <= 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(room());
    }
    /// What gives the sentences about all this their unit.
    [[nodiscard]] Bytes need() const
    {
        return roundedBytes(basis.before.requested.mid);
    }
    /// Reserved and not in use at the moment, without private pools.
    [[nodiscard]] std::int64_t cached() const;
    /// Figures that most sentences use: total, capacity, room, requested, cached, hole, buckets.
    [[nodiscard]] Figures figures() const;
};

/// Puts a cause together: its figures, then its sentences. `finish` adds it, once all is said.
class CauseWriter {
public:
    CauseWriter(std::vector<CauseFinding>& out, const CauseInput& in, Cause cause, double score)
        : m_out(out)
        , m_cause(cause)
        , m_moment(in.facts.moment.state)
        , m_figures(in.figures())
    {
        m_finding.cause = cause;
        m_finding.score = score;
    }
    CauseWriter(const CauseWriter&) = delete;
    CauseWriter& operator=(const CauseWriter&) = delete;

    CauseWriter& set(std::string_view name, Figure value);
    /// Without a place and a stack the place is the moment that the diagnosis is about.
    CauseWriter& say(std::string_view evidence, std::optional<StateId> at = {}, StackId stack = {});
    void finish();

private:
    std::vector<CauseFinding>& m_out;
    Cause m_cause;
    StateId m_moment;
    Figures m_figures;
    CauseFinding m_finding;
};

/// Figures for the headlines of causes that the message tells.
void addLimitFigures(const CauseInput& in, Cause cause, Figures& figures);

// One family per file; each adds the causes whose criterion holds, with a score from 0 to 1.
void addLimitCauses(const CauseInput& in, std::vector<CauseFinding>& out);
void addFragmentation(const CauseInput& in, std::vector<CauseFinding>& out);
void addGrowthCauses(const CauseInput& in, std::vector<CauseFinding>& out);
void addBatchCauses(const CauseInput& in, std::vector<CauseFinding>& out);
/// How many times as large as those before the batch is: at the same places, else in live bytes.
double largerThanBefore(const CauseInput& in);
void addActivationCauses(const CauseInput& in, std::vector<CauseFinding>& out);
void addStateCauses(const CauseInput& in, std::vector<CauseFinding>& out);

/// Ranked, at least one.
std::vector<CauseFinding> rankCauses(const CauseInput& in);

/// Whether the run died, or needs more than the capacity that is known.
bool runsOut(const Facts& facts, const NeedBasis& basis);

/// Whether it would do so again: not where it fits into a larger capacity than it died with.
bool needsFix(const Facts& facts, const NeedBasis& basis);

/// "activations take 78 % of the GPU": the headline of the first cause, filled in.
std::string causeHeadline(const CauseInput& in, Cause cause);

} // namespace tidemark::diagnose
