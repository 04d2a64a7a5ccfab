// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/roles.h"

#include "core/label/corrections/program_evidence.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;
using program::What;

bool isWide(Role role)
{
    return role == Role::attention_matrix || role == Role::logits;
}

/// What a use is as one product says it; several that differ leave it to the label, as does a
/// square of a length that is not known.
Role roleOf(const program::SizeUse& use, Role labelled, bool knows_length)
{
    if (use.expressions.empty() || (labelled != Role::none && !isWide(labelled))) {
        return labelled;
    }
    if (use.what == What::attention_matrix) {
        return knows_length ? Role::attention_matrix : labelled;
    }
    if (use.what == What::logits) {
        return Role::logits;
    }
    return use.expressions.size() > 1 ? labelled : Role::none;
}

/// Whether its size may speak: backward's passing memory is told by its kin, see
/// `BackwardKinship`.
bool isOfForward(Bucket bucket, Phase phase)
{
    return bucket == Bucket::activation
        || ((bucket == Bucket::temporary || bucket == Bucket::output) && phase != Phase::backward);
}

} // namespace

void gatherRoles(Facts& facts)
{
    facts.roles = facts.labels.role;
    const program::Program& program = facts.program;
    if (program.find(program::DimensionName::tokens) == nullptr) {
        return;
    }
    const bool knows_length = program.find(program::DimensionName::sequence) != nullptr;
    for (std::size_t i = 0; i < facts.roles.size(); ++i) {
        const AllocationId a(i);
        if (isOfForward(facts.bucket(a), facts.phase[i]) && !label::isSaid(facts.labels, a)) {
            facts.roles[i] = roleOf(program.sizeOf(a), facts.roles[i], knows_length);
        }
    }
    const auto& failed = facts.labels.failed;
    const auto last = std::ranges::find(failed, facts.moment.oom, &label::FailedRequest::event);
    if (facts.failed_request && last != failed.end()
        && isOfForward(last->bucket, facts.phaseAtMoment())) {
        const auto k = static_cast<std::size_t>(last - failed.begin());
        facts.failed_request->role = roleOf(program.failed[k], last->role, knows_length);
    }
}

} // namespace tidemark::diagnose
