// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fitted_walk.h"
#include "core/diagnose/predict/changed_run.h"
#include "core/diagnose/predict/laws.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::diagnose {

/// Makes changed runs of the recorded one. Many lists of changes have a change in common, so each
/// law, what it adds, and each combination of changed lifetimes is made once. Not for several
/// threads at a time. The facts must outlive it.
class RunChanger {
public:
    /// Asked to stop it changes by the laws alone.
    explicit RunChanger(const Facts& facts, Engine engine = Engine::walk, std::stop_token stop = {})
        : m_facts(facts)
        , m_fitted(facts, engine, std::move(stop))
    {
    }
    [[nodiscard]] const Facts& facts() const
    {
        return m_facts;
    }
    /// O(allocations) when first asked for.
    const SizeKinds& kinds();

    /// A gpus=… among the changes holds instead of `gpus`. The run's laws live as long as this.
    /// O(kinds · laws) once every law and every combination of lifetimes is there; each of these
    /// takes O(allocations).
    ChangedRun changed(std::span<const Change> changes, int gpus);

private:
    /// Change, GPUs, and whether the run is to compute in 16 bits.
    using Which = std::tuple<std::string, int, bool>; ///< The change as text.
    struct Made {
        std::unique_ptr<const Law> law;
        std::shared_ptr<const Additions> additions; ///< Null: none.
    };

    const Made& made(const Change& change, int gpus, bool to_sixteen_bits);
    void addLaws(std::span<const Change> changes, int gpus, ChangedRun& run);
    std::shared_ptr<const Additions> underOthers(const Made& adding,
                                                 std::span<const Law* const> laws);
    void changeSizes(ChangedRun& run);
    void changeLifetimes(ChangedRun& run);

    const Facts& m_facts;
    std::optional<SizeKinds> m_kinds;
    FittedWalk m_fitted;
    std::map<Which, Made> m_laws;
    /// By the law that adds and the others that change what it adds.
    std::map<std::vector<const Law*>, std::shared_ptr<const Additions>> m_additions;
    std::map<std::string, std::shared_ptr<const Lifetimes>> m_lifetimes; ///< By the laws' words.
};

} // namespace tidemark::diagnose
