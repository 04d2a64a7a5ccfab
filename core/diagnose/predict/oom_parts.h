// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/predict/need.h"

#include <cstddef>

namespace tidemark::diagnose {

// What a run that died needs: the recording up to the failed request, and what was to follow it.
// That is as an earlier pass went on where there is one, else as the weights tell, and the
// gradients and states that were never made.

/// Where `fillOomNeed` looks at a run: points and ranges in the order of `OomPoint` and `OomRange`.
ScanRequest requestForOom(const Facts& facts, const NeedBasis& basis);

/// The requested bytes of the need, what of them is to follow, whether more may, and notes.
/// `scanned`: the run's answer to `requestForOom`.
void fillOomNeed(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
                 const ScanResult& scanned, Need& need);

/// Where `requestForOom` looks at a run: its points, in its order.
enum OomPoint : std::size_t {
    kMoment,
    kStep, ///< Where the step of the moment begins.
    kPass, ///< Where the pass begins that the moment cuts off; its step without one.
    kLikePass, ///< Where the pass like it begins.
    kLikePlace, ///< The same place in that pass.
    kLikeMost, ///< Where the most is live beside gradients in its backward.
    kFirstBlock, ///< Before the completion's first block.
    kInFirstBlock, ///< With the first thing that it makes.
    kInLastBlock, ///< The same of the last one that had begun.
    kPointCount,
};
/// Its ranges.
enum OomRange : std::size_t {
    kLikeForward, ///< Of the pass like it.
    kLikeBackward,
    kLikeRest, ///< From its end to the begin of the moment's step.
    kPassesOfStep, ///< From the begin of the moment's step to the end of its last pass.
    kRangeCount,
};

/// Where the step of the moment began; the start without steps.
StateId stepBegin(const Facts& facts);

/// What the need of a run that died is the largest of, at one bound, in bytes; 0 for what does not
/// apply. Each O(1) but for `plannedPass`, O(layers). Keeps references to all that it is given.
class OomParts {
public:
    OomParts(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
             const ScanResult& scanned, Bound bound)
        : m_facts(facts)
        , m_basis(basis)
        , m_run(run)
        , m_scanned(scanned)
        , m_bound(bound)
    {
    }

    /// What was seen has to fit, too.
    [[nodiscard]] double recordedPeak() const;
    /// What was live plus what was asked for, and what follows at once.
    [[nodiscard]] double atMoment() const;
    /// With the rest of the optimizer state, where its making was cut off.
    [[nodiscard]] double withMissingState() const;
    /// A later step finds all of the state made, and needs as much in passing as a step before.
    [[nodiscard]] double laterStep(const ReferencePass& like) const;
    /// The passes after the first one in a step find all gradients, also those that the first,
    /// which was cut off, had not made yet.
    [[nodiscard]] double gradientsOfFirstPass() const;
    /// The first pass again, `pass` at its largest so far, where the step before has left all
    /// gradients and they are only zeroed.
    [[nodiscard]] double peakWithZeroedGradients(const ReferencePass& like, double pass) const;
    /// At the end of the first backward all gradients stand, whatever became of the activations.
    [[nodiscard]] double endOfBackward() const;
    /// The pass goes on as an earlier one did, larger or smaller by what was seen so far.
    [[nodiscard]] double wholePass(const ReferencePass& like) const;
    /// A first pass goes on as its blocks did so far: each keeps as much.
    [[nodiscard]] double completedPass() const;
    /// A first pass goes through layers whose weights are known.
    [[nodiscard]] double plannedPass() const;
    /// A first pass that was cut off in forward, as its weights tell what its rest is, else some:
    /// nothing more, that, or half as much again and what backward makes of it in passing.
    [[nodiscard]] double unknownPass() const;
    /// An evaluation between two steps, if one follows.
    [[nodiscard]] double laterEvaluation() const;
    /// The first optimizer step with all gradients, its state and what it makes in passing.
    [[nodiscard]] double firstStep() const;
    [[nodiscard]] double unseenState() const;

    /// Most programs clear what the step before has left before backward makes other gradients. The
    /// upper end has both.
    [[nodiscard]] double clearedBeforeBackward(const ReferencePass& like) const;

    /// Gradients of the step before, which the pass like this one did not find when it began.
    [[nodiscard]] double foundGradients(const ReferencePass& like) const;

private:
    [[nodiscard]] bool adds(const ReferencePass& like) const;
    [[nodiscard]] double trainable() const;
    [[nodiscard]] double allGradients() const;
    [[nodiscard]] double atRequest() const;
    /// Whether the step cleared the gradients of the one before and then began a pass like the last
    /// of that. What the step before has added to them it adds to none: `wholePass` tells what the
    /// pass needs, and the optimizer needs as much as it did.
    [[nodiscard]] bool clearedGradients(const ReferencePass& like) const;
    [[nodiscard]] std::int64_t gradientsAt(StateId state) const;
    /// Of the pass like this one; without the gradients that it made, where this one adds to them.
    [[nodiscard]] double largestOfBackward(const ReferencePass& like) const;
    [[nodiscard]] double mostBesideGradients(const ReferencePass& like) const;
    [[nodiscard]] double value(OomPoint point) const;
    /// What the change leaves of the request that failed, as a share.
    [[nodiscard]] double ratioOfRequest() const;
    [[nodiscard]] double largestIn(OomRange range) const;
    /// Of optimizer state or gradients at a point, which is `state`.
    [[nodiscard]] double bytesAt(OomPoint point, StateId state, label::Bucket bucket) const;
    /// Adam takes one weight after the other and has two temporaries of its size, or takes all at
    /// once and has as much as the weights. What it is shows only once it runs.
    [[nodiscard]] double stepTransients() const;
    /// What the optimizer step that was cut off had still to make in passing: the rest of it, or
    /// all where it was still making its state.
    [[nodiscard]] double missingTransients() const;
    /// The gradient of the log-probabilities and that of the logits stand side by side.
    [[nodiscard]] double missingLossGradient() const;
    [[nodiscard]] double missingState() const;
    [[nodiscard]] double transientOfSteps(const ReferencePass& like) const;

    const Facts& m_facts;
    const NeedBasis& m_basis;
    const ChangedRun& m_run;
    const ScanResult& m_scanned;
    Bound m_bound;
};

} // namespace tidemark::diagnose
