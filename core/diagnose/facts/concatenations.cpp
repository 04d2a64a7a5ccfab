// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/concatenations.h"

#include "core/label/stacks/frame_tests.h"
#include "core/replay/block_sizes.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

constexpr std::size_t kFewestLinks = 3;

class Finder {
public:
    explicit Finder(const Facts& facts)
        : m_facts(facts)
    {
    }

    std::vector<Concatenation> run()
    {
        const replay::Allocations& all = m_facts.allocations();
        for (std::size_t i = 0; i < all.count() && all.begin[i] <= m_facts.moment.state; ++i) {
            if (all.stack[i].isNone() || all.alloc_event[i].isNone()
                || !isWithoutGradients(m_facts.phase[i]) || !mayCollect(i)
                || m_facts.isInModule(all.stack[i])) {
                continue;
            }
            add(AllocationId(i));
        }
        std::vector<Concatenation> found;
        for (auto& [stack, chains] : m_chains) {
            addFailed(stack, chains);
            for (Concatenation& chain : chains) {
                for (const AllocationId link : chain.links) {
                    chain.live += m_facts.isLive(link) ? m_facts.bytes(link) : 0;
                }
                const std::size_t links = chain.links.size() + (chain.failed > 0 ? 1 : 0);
                if (links >= kFewestLinks && chain.live > 0) {
                    found.push_back(std::move(chain));
                }
            }
        }
        const bool explains_failure =
            std::ranges::any_of(found, [](const Concatenation& one) { return one.failed > 0; });
        if (!explains_failure) {
            addFirstJoin(found);
        }
        return found;
    }

private:
    /// Whether what a pass without gradients leaves may lie there. Where no frame tells modules,
    /// what is called a cache may be one.
    [[nodiscard]] bool mayCollect(std::size_t i) const
    {
        const Bucket bucket = m_facts.labels.bucket[i];
        return bucket == Bucket::output || bucket == Bucket::temporary
            || bucket == Bucket::activation || bucket == Bucket::unknown
            || (bucket == Bucket::kv_cache && m_tells_modules);
    }
    [[nodiscard]] bool tellsModules() const
    {
        const auto& stacks = m_facts.allocations().stack;
        for (std::size_t i = 0; i < stacks.size(); ++i) {
            if (isWithoutGradients(m_facts.phase[i]) && m_facts.isInModule(stacks[i])) {
                return true;
            }
        }
        return false;
    }

    /// Whether the last link goes as soon as `next` is made: that is how the old one is dropped.
    [[nodiscard]] bool isReplacedBy(AllocationId last, AllocationId next) const
    {
        static constexpr std::uint32_t kAtOnce = 16; // events
        const StateId made = m_facts.begin(next);
        const StateId gone = m_facts.end(last);
        return m_facts.bytes(last) < m_facts.bytes(next) && made < gone
            && gone.value - made.value <= kAtOnce;
    }
    void add(AllocationId a)
    {
        const replay::Allocations& all = m_facts.allocations();
        std::vector<Concatenation>& chains = m_chains[m_facts.stack(a)];
        Concatenation* owner = nullptr;
        for (Concatenation& chain : chains) {
            if (isReplacedBy(chain.links.back(), a)
                && (owner == nullptr
                    || all.end[chain.links.back().index()]
                        < all.end[owner->links.back().index()])) {
                owner = &chain;
            }
        }
        if (owner != nullptr) {
            owner->links.push_back(a);
            return;
        }
        // What is gone can be continued no more; what is short is none.
        std::erase_if(chains, [&](const Concatenation& chain) {
            return chain.links.size() < kFewestLinks - 1
                && all.end[chain.links.back().index()] <= m_facts.begin(a);
        });
        static constexpr std::size_t kMostChains = 256;
        if (chains.size() < kMostChains) {
            Concatenation chain;
            chain.stack = m_facts.stack(a);
            chain.links.push_back(a);
            chains.push_back(std::move(chain));
        }
    }

    void addFailed(StackId stack, std::vector<Concatenation>& chains) const
    {
        if (!m_facts.isOom() || m_facts.failedStack() != stack) {
            return;
        }
        for (auto chain = chains.rbegin(); chain != chains.rend(); ++chain) {
            const AllocationId last = chain->links.back();
            if (m_facts.isLive(last) && m_facts.bytes(last) < m_facts.moment.requested.value) {
                chain->failed = m_facts.moment.requested.value;
                return;
            }
        }
    }

    /// Results of several batches that were to be joined for the first time.
    void addFirstJoin(std::vector<Concatenation>& found) const
    {
        const StackId stack = m_facts.failedStack();
        if (!m_facts.isOom() || stack.isNone() || m_facts.isInModule(stack)
            || !isWithoutGradients(m_facts.phaseAtMoment())) {
            return;
        }
        const replay::Allocations& all = m_facts.allocations();
        std::map<StackId, Concatenation> results;
        for (std::size_t i = 0; i < all.count(); ++i) {
            const AllocationId a(i);
            if (m_facts.isLive(a) && !all.stack[i].isNone() && !all.alloc_event[i].isNone()
                && isWithoutGradients(m_facts.phase[i]) && mayCollect(i)) {
                Concatenation& one = results[all.stack[i]];
                one.parts.push_back(a);
                one.live += m_facts.bytes(a);
            }
        }
        for (auto& [made_by, one] : results) {
            if (one.parts.size() >= 2 && areOfSeveralPasses(one.parts) && isSum(one.live, stack)) {
                one.stack = stack;
                one.failed = m_facts.moment.requested.value;
                found.push_back(std::move(one));
                return;
            }
        }
    }
    [[nodiscard]] bool areOfSeveralPasses(const std::vector<AllocationId>& parts) const
    {
        const std::int32_t first = m_facts.pass_of[parts.front().index()];
        return std::ranges::any_of(parts,
                                   [&](AllocationId a) { return m_facts.passOf(a) != first; });
    }
    [[nodiscard]] bool isSum(std::int64_t parts, StackId stack) const
    {
        static constexpr std::int64_t kMostPadding = 2; // times the parts
        const std::int64_t asked = m_facts.moment.requested.value;
        const std::int64_t rounding = replay::roundToBlock({parts}).value - parts;
        if (asked >= parts && asked <= parts + rounding) {
            return true;
        }
        const bool joins =
            label::anyFrame(m_facts.snapshot, stack, [](std::string_view name, std::string_view) {
                return name.find("concat") != std::string_view::npos || name == "pad_sequence";
            });
        return joins && asked >= parts && asked <= kMostPadding * parts;
    }

    const Facts& m_facts;
    bool m_tells_modules = tellsModules();
    std::map<StackId, std::vector<Concatenation>> m_chains;
};

} // namespace

std::int64_t Concatenation::perBatch(const Facts& facts) const
{
    if (!parts.empty()) {
        return failed / static_cast<std::int64_t>(parts.size());
    }
    std::vector<std::int64_t> added;
    for (std::size_t k = 1; k < links.size(); ++k) {
        added.push_back(facts.bytes(links[k]) - facts.bytes(links[k - 1]));
    }
    if (failed > 0) {
        added.push_back(failed - facts.bytes(links.back()));
    }
    if (added.empty()) {
        return 0;
    }
    const auto middle = added.begin() + static_cast<std::ptrdiff_t>(added.size() / 2);
    std::nth_element(added.begin(), middle, added.end());
    return *middle;
}

std::uint32_t Concatenation::batches(const Facts& facts) const
{
    return parts.empty() ? batchesOfFirst(facts) + static_cast<std::uint32_t>(links.size()) - 1
            + (failed > 0 ? 1 : 0)
                         : static_cast<std::uint32_t>(parts.size());
}

std::uint32_t Concatenation::batchesOfFirst(const Facts& facts) const
{
    const std::int64_t one = std::max<std::int64_t>(1, perBatch(facts));
    const std::int64_t first = facts.bytes(links.front());
    return static_cast<std::uint32_t>(std::max<std::int64_t>((first + one / 2) / one, 1));
}

std::vector<Concatenation> findConcatenations(const Facts& facts)
{
    return Finder(facts).run();
}

} // namespace tidemark::diagnose
