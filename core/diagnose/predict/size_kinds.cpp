// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/size_kinds.h"

#include "core/base/column.h"
#include "core/base/keyed_hash.h"
#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/facts/cast_shares.h"

#include <array>
#include <unordered_map>

namespace tidemark::diagnose {
namespace {

/// What of a subject decides what laws make of its size.
struct SizeKind {
    std::int64_t bytes = 0;
    std::uint64_t size_use = 0; ///< Of the program.
    std::uint64_t words = 0; ///< All that is one of a few.
    std::array<double, 3> shares{};
    friend bool operator==(const SizeKind&, const SizeKind&) = default;
};

struct SizeKindHash {
    KeyedHash hash;
    std::size_t operator()(const SizeKind& k) const
    {
        const auto shares =
            static_cast<std::uint64_t>((k.shares[0] + 2 * k.shares[1] + 4 * k.shares[2]) * 1024);
        return hash.pair((shares << 48U) ^ k.words,
                         static_cast<std::uint64_t>(k.bytes) ^ (k.size_use << 44U));
    }
};

SizeKind kindOf(const Facts& facts, const Subject& s)
{
    std::uint64_t words = 0;
    for (const auto word :
         {static_cast<std::uint8_t>(s.bucket), static_cast<std::uint8_t>(s.role),
          static_cast<std::uint8_t>(s.phase), static_cast<std::uint8_t>(s.use),
          static_cast<std::uint8_t>(s.wide.kind), static_cast<std::uint8_t>(s.attention)}) {
        words = words << 8U | word;
    }
    words = words << 2U | (s.wide.is_surely ? 2U : 0U) | (s.pass >= 0 ? 1U : 0U);
    const auto& size_of = facts.program.size_of;
    return {s.bytes,
            size_of.empty() ? 0 : size_of[s.allocation.index()],
            words,
            {s.matrix_share, s.logits_share, s.copy_share}};
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

} // namespace

SizeKinds sizeKinds(const Facts& facts)
{
    SizeKinds kinds;
    const std::vector<InputUse> uses = inputUses(facts, *facts.blocks);
    const std::vector<AttentionPart> parts = attentionParts(facts);
    std::unordered_map<SizeKind, std::uint32_t, SizeKindHash> found;
    assignColumn(kinds.of, facts.allocations().count(), std::uint32_t{0});
    for (const AllocationId a : facts.ids()) {
        Subject like;
        like.use = uses[a.index()];
        like.wide = facts.fp32_sites[a.index()];
        like.attention = parts[a.index()];
        const Subject subject = withShares(facts, subjectOf(facts, a, like));
        const auto [kind, is_new] =
            found.try_emplace(kindOf(facts, subject), static_cast<std::uint32_t>(kinds.count()));
        if (is_new) {
            kinds.examples.push_back(subject);
        }
        kinds.of[a.index()] = kind->second;
    }
    findSteps(facts, kinds);
    return kinds;
}

Subject subjectOf(const Facts& facts, AllocationId a, const Subject& example)
{
    Subject subject = example;
    subject.allocation = a;
    subject.bucket = facts.bucket(a);
    subject.role = facts.role(a);
    subject.phase = facts.phaseOf(a);
    subject.pass = facts.passOf(a);
    subject.bytes = facts.bytes(a);
    subject.begin = facts.begin(a);
    subject.end = facts.end(a);
    subject.stack = facts.stack(a);
    return subject;
}

Subject withShares(const Facts& facts, Subject s)
{
    if (s.isOfBackward()) {
        s.matrix_share = facts.attention_kin->share(s.bytes, s.begin);
        s.logits_share = facts.logits_kin->share(s.bytes, s.begin);
    } else if (s.bucket == label::Bucket::activation && s.role == label::Role::none) {
        s.copy_share = facts.casts->share(facts, s.stack, s.bytes);
    }
    return s;
}

} // namespace tidemark::diagnose
