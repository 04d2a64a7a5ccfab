// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/size_kinds.h"

#include "core/base/column.h"
#include "core/base/keyed_hash.h"
#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/cast_shares.h"
#include "core/diagnose/facts/made_by.h"

#include <unordered_map>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

struct SizeKind {
    std::int64_t bytes = 0;
    std::uint32_t size_use = 0; ///< Of the program.
    double attention = 0; ///< Shares.
    double logits = 0;
    double casts = 0;
    Bucket bucket{};
    Role role{};
    Phase phase{};
    InputUse use{};
    Fp32Site wide{};
    bool in_pass = false;
    AttentionPart part{};
    friend bool operator==(const SizeKind&, const SizeKind&) = default;
};

struct SizeKindHash {
    KeyedHash hash;
    std::size_t operator()(const SizeKind& k) const
    {
        const auto shares =
            static_cast<std::uint64_t>((k.attention + 2 * k.logits + 4 * k.casts) * 1024);
        const std::uint64_t words = (static_cast<std::uint64_t>(k.bucket) << 16)
            | (static_cast<std::uint64_t>(k.role) << 8) | static_cast<std::uint64_t>(k.phase);
        const auto wide = 2 * static_cast<std::uint64_t>(k.wide.kind) + (k.wide.is_surely ? 1 : 0);
        const auto use = 128 * wide + 8 * static_cast<std::uint64_t>(k.use)
            + 2 * static_cast<std::uint64_t>(k.part) + (k.in_pass ? 1 : 0);
        const auto size =
            static_cast<std::uint64_t>(k.bytes) ^ (static_cast<std::uint64_t>(k.size_use) << 44U);
        return hash.pair((shares << 32) | (use << 24) | words, size);
    }
};

SizeKind kindOf(const Facts& facts, AllocationId a, InputUse use, Fp32Site wide, AttentionPart part)
{
    SizeKind kind;
    kind.part = part;
    kind.use = use;
    kind.wide = wide;
    kind.in_pass = facts.pass_of[a.index()] >= 0;
    kind.bytes = facts.bytes(a);
    kind.size_use = facts.program.size_of.empty() ? 0 : facts.program.size_of[a.index()];
    kind.bucket = facts.bucket(a);
    kind.role = facts.role(a);
    kind.phase = facts.phase[a.index()];
    if (kind.bucket == Bucket::temporary && kind.phase == Phase::backward) {
        const StateId begin = facts.allocations().begin[a.index()];
        kind.attention = facts.attention_kin->share(kind.bytes, begin);
        kind.logits = facts.logits_kin->share(kind.bytes, begin);
    } else if (kind.bucket == Bucket::activation && kind.role == Role::none) {
        kind.casts = facts.casts->share(facts, facts.allocations().stack[a.index()], kind.bytes);
    }
    return kind;
}

/// Whether an allocation is there beyond a boundary after the one before which it begins.
class Outlasting {
public:
    explicit Outlasting(const std::vector<StateId>& boundaries)
        : m_boundaries(boundaries)
    {
    }
    /// `begin` never before that of an earlier call.
    bool operator()(StateId begin, StateId end)
    {
        while (m_next < m_boundaries.size() && m_boundaries[m_next] <= begin) {
            ++m_next;
        }
        return m_next < m_boundaries.size() && m_boundaries[m_next] < end;
    }

private:
    const std::vector<StateId>& m_boundaries;
    std::size_t m_next = 0;
};

void findSteps(const Facts& facts, SizeKinds& kinds)
{
    const replay::Allocations& a = facts.allocations();
    assignColumn(kinds.steps, facts.replay.stateCount(), SizeKinds::Step());
    Outlasting outlasts(facts.boundaries);
    for (std::uint32_t s = 1; s < kinds.steps.size(); ++s) {
        const AllocationId marked = facts.replay.event_allocation[s - 1];
        if (marked.isNone()) {
            continue;
        }
        const std::size_t i = marked.index();
        if (a.alloc_event[i] == EventId(s - 1)) {
            kinds.steps[s] = {kinds.of[i], true, outlasts({s}, a.end[i])};
        } else if (a.end[i] == StateId{s}) {
            kinds.steps[s] = {kinds.of[i], false, false};
        }
    }
    for (const replay::LooseEnd& loose : facts.replay.loose_ends) {
        kinds.steps[loose.state.index()] = {};
    }
}

Subject subjectOf(const Facts& facts, AllocationId a, InputUse use, Fp32Site wide,
                  AttentionPart part)
{
    const replay::Allocations& all = facts.allocations();
    return {a,
            facts.bucket(a),
            facts.role(a),
            facts.phase[a.index()],
            facts.pass_of[a.index()],
            facts.bytes(a),
            all.begin[a.index()],
            all.end[a.index()],
            all.stack[a.index()],
            use,
            wide,
            part};
}

} // namespace

SizeKinds sizeKinds(const Facts& facts)
{
    SizeKinds kinds;
    const std::vector<InputUse> uses = inputUses(facts, *facts.blocks);
    const std::vector<Fp32Site>& wide = facts.fp32_sites;
    const std::vector<AttentionPart> parts = attentionParts(facts);
    std::unordered_map<SizeKind, std::uint32_t, SizeKindHash> found;
    const std::size_t count = facts.allocations().count();
    assignColumn(kinds.of, count, std::uint32_t{0});
    for (std::size_t i = 0; i < count; ++i) {
        const AllocationId a(i);
        const AttentionPart part = parts[i];
        const auto [kind, is_new] = found.try_emplace(kindOf(facts, a, uses[i], wide[i], part),
                                                      static_cast<std::uint32_t>(kinds.count()));
        if (is_new) {
            kinds.examples.push_back(subjectOf(facts, a, uses[i], wide[i], part));
        }
        kinds.of[i] = kind->second;
    }
    findSteps(facts, kinds);
    return kinds;
}

Subject subjectOf(const Facts& facts, AllocationId a, const Subject& example)
{
    return subjectOf(facts, a, example.use, example.wide, example.attention);
}

} // namespace tidemark::diagnose
