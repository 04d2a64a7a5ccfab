// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/matrix_roles.h"

#include "core/diagnose/facts/masked_attention.h"
#include "core/replay/block_sizes.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Role;

constexpr std::int64_t kSmallest = 64 << 10; // bytes; below, no matrix of interest
constexpr std::int64_t kWider = 8; // times what lies around
constexpr std::int64_t kTiny = 4 << 10; // bytes; scalars and seeds say nothing about layers
constexpr std::int64_t kNarrower = 4; // a mask of bytes beside a matrix of fp32
constexpr std::int64_t kTooNarrow = 512; // statistics of a norm, no hidden states

/// One allocation of a pass, or the request that failed in it.
struct Item {
    std::size_t index = 0; ///< Of the allocation.
    std::int64_t bytes = 0;
    bool failed = false;
};

struct Run {
    std::size_t begin = 0; ///< Into the items.
    std::size_t end = 0;
    [[nodiscard]] std::size_t count() const
    {
        return end - begin;
    }
};

std::vector<Item> itemsOf(const Facts& facts, std::size_t first, std::size_t last,
                          std::int32_t pass)
{
    std::vector<Item> items;
    for (std::size_t i = first; i < last; ++i) {
        const AllocationId a(i);
        const bool is_pass = facts.bucket(a) == Bucket::activation
            || facts.bucket(a) == Bucket::temporary || facts.bucket(a) == Bucket::input;
        if (is_pass && facts.pass_of[i] == pass && facts.bytes(a) >= kTiny
            && facts.phase[i] != label::Phase::backward) {
            items.push_back({i, facts.bytes(a), false});
        }
    }
    const bool failed_in_it = facts.isOom() && passAt(facts.passes, facts.moment.state) == pass
        && facts.phaseAtMoment() != label::Phase::backward;
    if (failed_in_it) {
        items.push_back({0, facts.moment.requested.value, true});
    }
    return items;
}

/// Whether Y is what a linear layer with one of the weights makes of X.
bool isLinearOutput(const std::set<std::int64_t>& weights, std::int64_t x, std::int64_t y)
{
    static constexpr double kFewestOutputs = 4000; // a vocabulary
    for (const std::int64_t weight : weights) {
        for (const std::int64_t width : {4, 2}) { // bytes of an element
            const double square = static_cast<double>(weight) * static_cast<double>(x)
                / (static_cast<double>(y) * static_cast<double>(width));
            const std::int64_t d = std::llround(std::sqrt(square));
            if (d < 8 || static_cast<double>(d) * static_cast<double>(d) != square) {
                continue;
            }
            const bool divides = weight % (width * d) == 0 && x % (width * d) == 0;
            const auto outputs = static_cast<double>(weight) / static_cast<double>(width * d);
            if (divides && outputs >= kFewestOutputs) {
                return true;
            }
        }
    }
    return false;
}

class PassRoles {
public:
    PassRoles(Facts& facts, std::vector<Item> items, const std::set<std::int64_t>& weights)
        : m_facts(facts)
        , m_items(std::move(items))
        , m_weights(weights)
    {
        for (const Item& item : m_items) {
            m_widest = std::max(m_widest, item.bytes);
        }
    }

    void infer()
    {
        if (m_widest < kSmallest) {
            return;
        }
        findRuns();
        const std::int64_t output = outputBytes();
        std::vector<Run> others;
        const Run* last_output = nullptr;
        for (const Run& run : m_runs) {
            const bool is_output =
                output > 0 && m_items[run.begin].bytes == output && isOutput(run);
            if (is_output || (last_output != nullptr && !isModuleBetween(*last_output, run))) {
                give(run, Role::logits);
                last_output = &run;
            } else {
                others.push_back(run);
            }
        }
        const bool recurs = others.size() >= 2
            && std::ranges::all_of(others, [&](const Run& run) { return isBetweenLayers(run); });
        for (const Run& run : others) {
            if (recurs) {
                give(run, Role::attention_matrix);
            }
        }
    }

private:
    [[nodiscard]] bool isWide(std::size_t i) const
    {
        return m_items[i].bytes * kNarrower >= m_widest;
    }
    [[nodiscard]] bool isNarrow(std::size_t i) const
    {
        return m_items[i].bytes * kWider <= m_widest;
    }

    void findRuns()
    {
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            if (!isWide(i)) {
                continue;
            }
            if (!m_runs.empty() && m_runs.back().end == i) {
                ++m_runs.back().end;
            } else {
                m_runs.push_back({i, i + 1});
            }
        }
    }

    [[nodiscard]] bool isOfModule(std::size_t i) const
    {
        const Item& item = m_items[i];
        return m_facts.stacks.kind(item.failed ? m_facts.failedStack()
                                               : m_facts.allocations().stack[item.index])
            == label::StackKind::forward;
    }

    [[nodiscard]] bool isModuleBetween(const Run& one, const Run& next) const
    {
        for (std::size_t i = one.end; i < next.begin; ++i) {
            if (isOfModule(i)) {
                return true;
            }
        }
        return false;
    }

    /// Size of what the last layer of the pass makes, if that is wide; else 0. What the loss makes
    /// of it has its size, with no module between.
    [[nodiscard]] std::int64_t outputBytes() const
    {
        static constexpr std::ptrdiff_t kMostModels = 2; // that score the same batch in one pass
        const bool recurs =
            std::ranges::count_if(m_runs, [&](const Run& run) { return isBetweenLayers(run); })
            > kMostModels;
        if (recurs) {
            return 0; // a weight may fit by chance, where sizes are powers of two
        }
        std::size_t first = m_runs.size() - 1;
        for (std::size_t i = m_runs[first].end; i < m_items.size(); ++i) {
            if (isOfModule(i)) {
                return 0; // another layer follows
            }
        }
        while (first > 0 && !isModuleBetween(m_runs[first - 1], m_runs[first])) {
            --first;
        }
        const std::int64_t bytes = m_items[m_runs[first].begin].bytes;
        const auto twins = std::ranges::count_if(m_runs, [&](const Run& run) {
            return m_items[run.begin].bytes == bytes && isOutput(run);
        });
        return isOutput(m_runs[first]) && twins <= kMostModels ? bytes : 0;
    }

    /// Made in a module, and one of the last narrow ones before it is what it is made of.
    [[nodiscard]] bool isOutput(const Run& run) const
    {
        static constexpr std::size_t kBefore = 4;
        if (!isOfModule(run.begin)) {
            return false;
        }
        const std::int64_t y = exactBytes(run);
        for (std::size_t k = 1; k <= kBefore && k <= run.begin; ++k) {
            const std::size_t i = run.begin - k;
            if (isNarrow(i) && isLinearOutput(m_weights, m_items[i].bytes, y)) {
                return true;
            }
        }
        return false;
    }

    /// A failed request is known rounded only.
    [[nodiscard]] std::int64_t exactBytes(const Run& run) const
    {
        return m_items[run.begin].bytes;
    }

    /// Several of one size, with hidden states before and behind that are narrow, not tiny. The
    /// last one may be cut off.
    [[nodiscard]] bool isBetweenLayers(const Run& run) const
    {
        const auto isHidden = [&](std::size_t i) {
            return isNarrow(i) && m_items[i].bytes * kTooNarrow >= m_widest;
        };
        const bool is_cut = run.end == m_items.size();
        return run.begin > 0 && isHidden(run.begin - 1) && (is_cut || isHidden(run.end))
            && (is_cut || run.count() >= 2) && m_items[run.begin].bytes == m_widest;
    }

    void give(const Run& run, Role role)
    {
        for (std::size_t i = run.begin; i < run.end; ++i) {
            if (m_items[i].failed) {
                m_facts.failed_request->role = role;
            } else {
                m_facts.roles[m_items[i].index] = role;
            }
        }
    }

    Facts& m_facts;
    std::vector<Item> m_items;
    const std::set<std::int64_t>& m_weights;
    std::int64_t m_widest = 0;
    std::vector<Run> m_runs;
};

/// Sizes of the weights that are worth a look: those of matrices.
std::set<std::int64_t> weightSizes(const Facts& facts)
{
    std::set<std::int64_t> sizes;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == Bucket::parameter && facts.bytes(a) >= kSmallest) {
            sizes.insert(facts.bytes(a));
        }
    }
    static constexpr std::size_t kMost = 64; // distinct sizes; the largest make the widest
    while (sizes.size() > kMost) {
        sizes.erase(sizes.begin());
    }
    return sizes;
}

/// Where frames name neither, what they do not name may still be one.
void inferFromWidths(Facts& facts)
{
    const std::set<std::int64_t> weights = weightSizes(facts);
    const auto& begins = facts.allocations().begin;
    for (std::size_t p = 0; p < facts.passes.size(); ++p) {
        const Pass& pass = facts.passes[p];
        const auto first = std::ranges::lower_bound(begins, pass.forward.begin) - begins.begin();
        const auto last = std::ranges::lower_bound(begins, pass.forward.end) - begins.begin();
        PassRoles(facts,
                  itemsOf(facts, static_cast<std::size_t>(first), static_cast<std::size_t>(last),
                          static_cast<std::int32_t>(p)),
                  weights)
            .infer();
    }
}

} // namespace

void inferMatrixRoles(Facts& facts)
{
    const auto names = [&](Role role) {
        return std::ranges::find(facts.roles, role) != facts.roles.end()
            || (facts.failed_request && facts.failed_request->role == role);
    };
    if (!names(Role::attention_matrix) && !names(Role::logits)) {
        inferFromWidths(facts);
    }
    if (!names(Role::attention_matrix)) {
        inferMaskedAttention(facts);
    }
}

} // namespace tidemark::diagnose
