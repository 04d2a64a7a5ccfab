// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/find.h"

#include "core/base/language.h"
#include "core/program/agreement.h"
#include "core/program/constants.h"
#include "core/program/observed.h"
#include "core/program/size_uses.h"
#include "core/program/solution.h"
#include "core/program/statements.h"
#include "core/program/structure.h"
#include "core/program/weights.h"

#include <set>
#include <string>
#include <utility>

namespace tidemark::program {
namespace {

/// One attempt with the kinds as they are believed.
struct Attempt {
    WeightSet weights;
    Solution solution;
    SizeReadings readings;
    Structure structure;

    [[nodiscard]] bool isDoubtful() const
    {
        return !doubtOfWeights(structure).empty() || !doubtOfRows(structure).empty();
    }
};

std::set<std::int64_t> failedSizes(const ProgramInput& evidence)
{
    std::set<std::int64_t> sizes;
    for (const Request& request : evidence.failed) {
        sizes.insert(request.bytes);
    }
    return sizes;
}

/// What all attempts share: when to stop, and what they cost together.
struct Work {
    const std::stop_token& stop;
    Effort& effort;

    [[nodiscard]] bool isStopped() const
    {
        return stop.stop_requested();
    }
};

/// Nothing when stopped.
Attempt attempt(const Observed& observed, const ProgramInput& evidence, const Said& said,
                const Work& work)
{
    Effort& effort = work.effort;
    if (work.isStopped()) {
        return {};
    }
    WeightSet weights = findWeights(observed);
    if (work.isStopped()) {
        return {};
    }
    Solution solution = solve(observed, weights, said, effort);
    if (work.isStopped()) {
        return {};
    }
    SizeReadings readings = readSizes(solution, failedSizes(evidence), effort);
    Structure structure = findStructure(weights, solution, readings);
    return {std::move(weights), std::move(solution), std::move(readings), structure};
}

/// Without frames, activations may pass for weights. What is as large as rows of this solution is
/// taken for no weight; false: there is none.
bool doubtWeights(Observed& observed, const ProgramInput& evidence, const Solution& solution)
{
    std::set<std::int64_t> rows;
    for (const auto& reading : allReadings(solution, solution.best())) {
        if (reading.prior >= kExplains && growthOf(reading.expression).batch > 0) {
            rows.insert(reading.bytes);
        }
    }
    bool any = false;
    for (std::size_t a = 0; a < observed.count(); ++a) {
        if (observed.kind[a] == Usage::weight && !evidence.isCertain(a)
            && observed.size(a) >= kSmallestMatrixBytes && rows.contains(observed.size(a))) {
            observed.kind[a] = Usage::unknown;
            any = true;
        }
    }
    return any;
}

/// The best attempt, with the kinds that it believed.
struct Search {
    Observed observed;
    Attempt best;
};

Search search(const replay::DeviceReplay& replay, const ProgramInput& evidence, const Said& said,
              const Work& work)
{
    if (work.isStopped()) {
        return {};
    }
    Observed observed = observe(replay, evidence);
    Attempt best = attempt(observed, evidence, said, work);
    if (work.isStopped()) {
        return {};
    }
    Observed doubted = observed;
    if (!best.solution.names.are_layers_seen && doubtWeights(doubted, evidence, best.solution)) {
        Attempt second = attempt(doubted, evidence, said, work);
        if (!second.isDoubtful()
            && (best.isDoubtful() || second.structure.layers > best.structure.layers)) {
            observed = std::move(doubted);
            best = std::move(second);
        }
    }
    return {std::move(observed), std::move(best)};
}

/// What agrees with what was said; where nothing does, what is found without it, and a sentence.
Search searchWithSaid(const replay::DeviceReplay& replay, const ProgramInput& evidence,
                      std::string& disagreement, const Work& work)
{
    const Said said(evidence.dimensions);
    Search found = search(replay, evidence, said, work);
    if (said.isEmpty() || work.isStopped()) {
        return found;
    }
    Search without = search(replay, evidence, {}, work);
    if (agrees(found.best.solution, found.best.structure, without.best.solution,
               without.best.structure)) {
        return found;
    }
    disagreement =
        sayCounted(said.count(), "No dimensions fit {}, as a correction says, so none are given.",
                   "No dimensions fit {}, as corrections say, so none are given.", said.text());
    return without;
}

} // namespace

Program find(const replay::DeviceReplay& replay, const ProgramInput& evidence,
             const std::stop_token& stop)
{
    Program program;
    std::string disagreement;
    const Work work{stop, program.effort};
    const Search found = searchWithSaid(replay, evidence, disagreement, work);
    if (work.isStopped()) {
        return program;
    }
    const auto& [set, solution, readings, structure] = found.best;
    SizeUses uses = findUses(found.observed, evidence.failed, solution, readings);
    if (work.isStopped()) {
        return program;
    }
    Statements said = disagreement.empty() ? stateDimensions(solution, uses, structure)
                                           : Statements{{}, std::move(disagreement)};
    program.dimensions = std::move(said.dimensions);
    program.unidentified = std::move(said.unidentified);
    program.values = valuesOf(solution);
    program.weights = weightsOf(found.observed, set, solution, structure);
    program.sizes = std::move(uses.sizes);
    program.size_of = std::move(uses.size_of);
    program.failed = std::move(uses.failed);
    program.explained_share = uses.explained_share;
    return program;
}

} // namespace tidemark::program
