// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/find.h"

#include "core/program/constants.h"
#include "core/program/models.h"
#include "core/program/observed.h"
#include "core/program/size_uses.h"
#include "core/program/solution.h"
#include "core/program/statements.h"
#include "core/program/structure.h"

#include <set>
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

Attempt attempt(const Observed& observed, Effort& effort)
{
    WeightSet weights = findWeights(observed);
    Solution solution = solve(observed, weights, effort);
    SizeReadings readings = readSizes(solution, effort);
    Structure structure = findStructure(weights, solution, readings);
    return {std::move(weights), std::move(solution), std::move(readings), structure};
}

/// Without frames, activations may pass for weights. What is as large as rows of this solution is
/// taken for no weight; false: there is none.
bool doubtWeights(Observed& observed, const Evidence& evidence, const Solution& solution)
{
    std::set<std::int64_t> rows;
    for (const auto& reading : allReadings(solution)) {
        if (reading.prior >= kExplains && growthOf(reading.expression).batch > 0) {
            rows.insert(reading.bytes);
        }
    }
    bool any = false;
    for (std::size_t a = 0; a < observed.count(); ++a) {
        if (observed.kind[a] == Kind::weight && !evidence.isCertain(a)
            && observed.size(a) >= kSmallestMatrixBytes && rows.contains(observed.size(a))) {
            observed.kind[a] = Kind::unknown;
            any = true;
        }
    }
    return any;
}

} // namespace

Program find(const replay::DeviceReplay& replay, const Evidence& evidence)
{
    Program program;
    Observed observed = observe(replay, evidence);
    Attempt best = attempt(observed, program.effort);
    Observed doubted = observed;
    if (doubtWeights(doubted, evidence, best.solution)) {
        Attempt second = attempt(doubted, program.effort);
        if (!second.isDoubtful()
            && (best.isDoubtful() || second.structure.layers > best.structure.layers)) {
            observed = std::move(doubted);
            best = std::move(second);
        }
    }
    const auto& [weights, solution, readings, structure] = best;
    SizeUses uses = findUses(observed, solution, readings);
    Statements said = stateDimensions(solution, uses, structure);
    program.dimensions = std::move(said.dimensions);
    program.unidentified = std::move(said.unidentified);
    program.values = valuesOf(solution);
    program.models = findModels(observed, weights, solution);
    program.sizes = std::move(uses.sizes);
    program.size_of = std::move(uses.size_of);
    program.explained_share = uses.explained_share;
    return program;
}

} // namespace tidemark::program
