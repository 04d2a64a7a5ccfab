// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/assigner.h"

#include <set>
#include <vector>

namespace tidemark::label {
namespace {

/// Where no stack tells parameters from what else stays, counts of sizes do.
class SetupLabeller {
public:
    SetupLabeller(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& out)
        : m_e(evidence)
        , m_a(evidence.replay.allocations)
        , m_gradients(gradients)
        , m_out(out)
    {
    }

    void run()
    {
        labelLastTemporaries();
        for (const auto& [size, count] : m_gradients) {
            m_gradient_bytes += size * count;
        }
        if (m_gradient_bytes == 0) {
            if (!m_e.runs.has_training) {
                labelStaticCache();
            }
            return;
        }
        labelGradientCopies();
        if (!hasStateBefore() && !makesStateInSteps()) {
            labelFurtherSets();
        }
        labelDataSet();
    }

private:
    static constexpr std::int64_t kTinyBytes = 512;

    [[nodiscard]] bool isMadeInSetup(AllocationId a) const
    {
        const EventId made = m_a.alloc_event[a.index()];
        return !made.isNone() && m_out.bucketOf(a) == Bucket::parameter
            && m_e.runs.runs[m_e.runs.indexAt(made)].phase == Phase::setup;
    }
    [[nodiscard]] std::int64_t size(AllocationId a) const
    {
        return m_a.requested[a.index()].value;
    }
    [[nodiscard]] std::int64_t gradientsOf(std::int64_t bytes) const
    {
        const auto it = m_gradients.find(bytes);
        return it == m_gradients.end() ? 0 : it->second;
    }
    template <class Visit>
    void forEach(Visit visit) const
    {
        for (std::size_t i = 0; i < m_a.count(); ++i) {
            visit(AllocationId(i));
        }
    }

    [[nodiscard]] bool hasStateBefore() const;
    [[nodiscard]] bool makesStateInSteps() const;
    void labelLastTemporaries();
    void labelFurtherSets();
    void labelGradientCopies();
    [[nodiscard]] std::vector<AllocationId> leadingCopies(const Run& run) const;
    void labelDataSet();
    void labelStaticCache();

    const RuleInputs& m_e;
    const replay::Allocations& m_a;
    const SizeCounts& m_gradients;
    Assigner& m_out;
    std::int64_t m_gradient_bytes = 0;
};

/// Nearly a set of gradient sizes beside that of the parameters, from before the trace.
bool SetupLabeller::hasStateBefore() const
{
    SizeCounts seen;
    std::int64_t further = 0;
    forEach([&](AllocationId a) {
        const std::int64_t n = gradientsOf(size(a));
        if (m_a.alloc_event[a.index()].isNone() && m_e.livesToTheEnd(a) && n > 0
            && seen[size(a)]++ >= n) {
            further += size(a);
        }
    });
    return further * 10 >= m_gradient_bytes * 9;
}

bool SetupLabeller::makesStateInSteps() const
{
    std::int64_t state = 0;
    forEach([&](AllocationId a) {
        if (!m_a.alloc_event[a.index()].isNone() && m_out.bucketOf(a) == Bucket::optimizer_state) {
            state += size(a);
        }
    });
    return state * 2 > m_gradient_bytes;
}

/// The trace's last allocations outlive its last one whatever they are. State is not freed right
/// after.
void SetupLabeller::labelLastTemporaries()
{
    constexpr std::size_t kSoon = 16; // Events.
    forEach([&](AllocationId a) {
        const EventId made = m_a.alloc_event[a.index()];
        const EventId freed = m_a.free_event[a.index()];
        if (!made.isNone() && !freed.isNone() && freed.index() - made.index() <= kSoon
            && m_out.bucketOf(a) == Bucket::optimizer_state) {
            m_out.assign(a, Bucket::temporary, Role::optimizer_transient,
                         Rule::freed_after_the_last);
        }
    });
}

/// What an optimizer run begins with, as long as each is twice as large as a further gradient.
std::vector<AllocationId> SetupLabeller::leadingCopies(const Run& run) const
{
    std::vector<AllocationId> copies;
    SizeCounts seen;
    for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
        const AllocationId a = m_e.replay.event_allocation[i];
        if (m_e.device.events.action[i] != trace::Action::alloc || a.isNone()) {
            continue;
        }
        if (size(a) % 2 == 0 && seen[size(a)]++ < gradientsOf(size(a) / 2)) {
            copies.push_back(a);
        } else if (size(a) > kTinyBytes) {
            break;
        }
    }
    return copies;
}

/// Gradients in half precision are copied for the full-precision weights before the step, nearly
/// all of them and all alive at once.
void SetupLabeller::labelGradientCopies()
{
    for (const Run& run : m_e.runs.runs) {
        if (run.phase != Phase::optimizer) {
            continue;
        }
        std::vector<AllocationId> copies = leadingCopies(run);
        if (copies.empty()) {
            continue;
        }
        const StateId all_made = StateId::after(m_a.alloc_event[copies.back().index()]);
        std::int64_t bytes = 0;
        for (const AllocationId a : copies) {
            bytes += m_e.livesOn(a, all_made) ? size(a) : 0;
        }
        if (bytes * 10 < m_gradient_bytes * 2 * 9 || bytes * 10 > m_gradient_bytes * 2 * 11) {
            continue;
        }
        for (const AllocationId a : copies) {
            m_out.assign(a, Bucket::gradient, Role::none, Rule::gradient_of_master_copy);
        }
    }
}

void SetupLabeller::labelFurtherSets()
{
    SizeCounts seen;
    forEach([&](AllocationId a) {
        const std::int64_t n = gradientsOf(size(a));
        if (size(a) > kTinyBytes && n > 0 && isMadeInSetup(a) && seen[size(a)]++ >= n) {
            m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::further_set_in_setup);
        }
    });
}

/// One or two tensors larger than all that is trained, in a model that is trained otherwise.
void SetupLabeller::labelDataSet()
{
    constexpr std::size_t kMost = 3;
    std::vector<AllocationId> untrained;
    std::int64_t bytes = 0;
    std::set<std::int64_t> of_state; // What has state is trained, whatever its gradient looks like.
    forEach([&](AllocationId a) {
        if (m_out.bucketOf(a) == Bucket::optimizer_state) {
            of_state.insert(size(a));
        }
    });
    forEach([&](AllocationId a) {
        if (size(a) > kTinyBytes && gradientsOf(size(a)) == 0 && isMadeInSetup(a)
            && !of_state.contains(size(a))) {
            untrained.push_back(a);
            bytes += size(a);
        }
    });
    if (untrained.size() > kMost || bytes <= m_gradient_bytes) {
        return;
    }
    for (const AllocationId a : untrained) {
        m_out.assign(a, Bucket::input, Role::none, Rule::untrained_and_large);
    }
}

/// Many of one size, made last before the first pass of an inference, and larger together than the
/// rest: room for keys and values of every layer.
void SetupLabeller::labelStaticCache()
{
    constexpr std::size_t kFewest = 4;
    std::vector<AllocationId> kept;
    std::int64_t all = 0;
    forEach([&](AllocationId a) {
        if (isMadeInSetup(a)) {
            kept.push_back(a);
            all += size(a);
        }
    });
    std::size_t alike = 0;
    while (alike < kept.size() && size(kept[kept.size() - 1 - alike]) == size(kept.back())) {
        ++alike;
    }
    if (alike < kFewest || alike % 2 != 0
        || size(kept.back()) * static_cast<std::int64_t>(alike) * 2 < all) {
        return;
    }
    for (std::size_t i = kept.size() - alike; i < kept.size(); ++i) {
        m_out.assign(kept[i], Bucket::kv_cache, Role::none, Rule::static_cache);
    }
}

} // namespace

void relabelFrameless(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& assigner)
{
    SetupLabeller(evidence, gradients, assigner).run();
}

} // namespace tidemark::label
