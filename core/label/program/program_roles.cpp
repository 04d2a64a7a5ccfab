// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/program/program_roles.h"

#include "core/base/language.h"
#include "core/label/program/program_evidence.h"
#include "core/label/runs/passes.h"
#include "core/label/stacks/stack_kinds.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::label {
namespace {

using program::TensorKind;

bool isWide(Role role)
{
    return role == Role::attention_matrix || role == Role::logits;
}

/// What a use is as one product says it; several that differ leave it to the label, as does a
/// square of a length that is not known. Then nothing tells matrices from rows that are as large,
/// but no layer has a softmax over those: what frames called a matrix stays one.
Role roleOf(const program::SizeUse& use, Role labelled, bool knows_length)
{
    const bool is_row =
        use.what == TensorKind::feed_forward || use.what == TensorKind::hidden_state;
    if (use.expressions.empty() || (labelled != Role::none && !isWide(labelled))
        || (labelled == Role::attention_matrix && is_row && !knows_length)) {
        return labelled;
    }
    if (use.what == TensorKind::attention_matrix) {
        return knows_length ? Role::attention_matrix : labelled;
    }
    if (use.what == TensorKind::logits) {
        return Role::logits;
    }
    return use.expressions.size() > 1 ? labelled : Role::none;
}

/// Whether its size may speak: backward's passing memory is told by its kin.
bool isOfForward(Bucket bucket, Phase phase)
{
    return bucket == Bucket::activation
        || ((bucket == Bucket::temporary || bucket == Bucket::output) && phase != Phase::backward);
}

/// Tells the wide matrices of one device.
class Teller {
public:
    Teller(const program::Program& program, const trace::Device& device,
           const replay::Allocations& allocations, const StackKinds& kinds, DeviceLabels& labels)
        : m_program(program)
        , m_device(device)
        , m_all(allocations)
        , m_kinds(kinds)
        , m_labels(labels)
        , m_knows_length(program.find(program::DimensionName::sequence) != nullptr)
    {
    }

    /// Whether anything changed.
    bool tell()
    {
        const std::vector<Phase> phase = phasesOf(m_all, m_labels);
        bool is_changed = false;
        for (std::size_t i = 0; i < m_all.count(); ++i) {
            const AllocationId a(i);
            if (!isOfForward(m_labels.bucket[i], phase[i]) || isUserSet(m_labels, a)) {
                continue;
            }
            const Role role = checkedRole(m_program.sizeOf(a), m_all.stack[i], m_labels.role[i]);
            if (role != m_labels.role[i]) {
                m_labels.role[i] = role;
                m_labels.reason[i] = reasonOf(m_labels.reason[i], m_program.size_of[i]);
                is_changed = true;
            }
        }
        for (std::size_t k = 0; k < m_labels.failed.size(); ++k) {
            is_changed = tellFailed(m_labels.failed[k], k) || is_changed;
        }
        return is_changed;
    }

private:
    /// A cache of keys and values is no matrix of attention, though it may be as large.
    [[nodiscard]] Role checkedRole(const program::SizeUse& use, StackId stack, Role labelled) const
    {
        const Role role = roleOf(use, labelled, m_knows_length);
        const bool is_cache = isWide(role) && m_kinds.traits(stack).has(Trait::kv_cache);
        return is_cache ? Role::none : role;
    }
    bool tellFailed(FailedRequest& request, std::size_t number)
    {
        const PhaseSpan* const span = m_labels.phaseAt(request.event);
        if (span == nullptr || !isOfForward(request.bucket, span->phase)) {
            return false;
        }
        const StackId stack = m_device.events.stack[request.event.index()];
        const Role role = checkedRole(m_program.failed[number], stack, request.role);
        return std::exchange(request.role, role) != role;
    }
    /// The reason for the bucket, with the product that gave the role.
    std::uint32_t reasonOf(std::uint32_t old, std::uint32_t use)
    {
        const auto [place, is_new] =
            m_reasons.try_emplace({old, use}, static_cast<std::uint32_t>(m_labels.reasons.size()));
        if (is_new) {
            const Reason& reason = m_labels.reasons[old];
            m_labels.reasons.push_back(
                {reason.rule,
                 say("{}; its size is {}", translated(reason.evidence),
                     program::textOf(m_program.sizes[use].expressions.front()))});
        }
        return place->second;
    }

    const program::Program& m_program;
    const trace::Device& m_device;
    const replay::Allocations& m_all;
    const StackKinds& m_kinds;
    DeviceLabels& m_labels;
    bool m_knows_length;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> m_reasons;
};

bool knowsRows(const program::Program& program)
{
    return program.find(program::DimensionName::tokens) != nullptr;
}

} // namespace

std::optional<Labels> withRolesOf(std::span<const program::Program> programs,
                                  const trace::Snapshot& snapshot, const replay::Replay& replay,
                                  const Labels& labels, const std::stop_token& stop)
{
    if (std::ranges::none_of(programs, knowsRows)) {
        return std::nullopt;
    }
    const StackKinds kinds(snapshot, stop);
    Labels told = labels;
    bool is_changed = false;
    for (std::size_t d = 0; d < programs.size() && !stop.stop_requested(); ++d) {
        if (knowsRows(programs[d])) {
            Teller teller(programs[d], snapshot.devices[d], replay.devices[d].allocations, kinds,
                          told.devices[d]);
            is_changed = teller.tell() || is_changed;
        }
    }
    return is_changed && !stop.stop_requested() ? std::optional(std::move(told)) : std::nullopt;
}

} // namespace tidemark::label
