// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/checked_roles.h"

#include "core/label/stacks/frame_tests.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace tidemark::diagnose {
namespace {

using label::anyFrame;
using label::Bucket;
using label::Phase;
using label::Role;
using label::Trait;

/// Attention matrices lie around a softmax of their size. A hidden layer of the same size in a
/// function of the same name (every module has a `forward`) lies further away and is none. Numbers
/// that stand alone, such as the factors that some operations make, are not counted on the way.
void dropFarFromSoftmax(const Facts& facts, std::vector<Role>& roles)
{
    static constexpr std::size_t kBefore = 12; // allocations: scores, scaled, masked, cast
    static constexpr std::size_t kAfter = 3; // dropout and its mask
    static constexpr std::int64_t kNumber = 1024; // bytes
    const replay::Allocations& a = facts.allocations();
    std::vector<std::size_t> place(a.count()); // how many before it count
    std::vector<std::size_t> softmaxes;
    std::size_t counted = 0;
    for (std::size_t i = 0; i < a.count(); ++i) {
        place[i] = counted;
        counted += a.requested[i].value > kNumber ? 1U : 0U;
        if (roles[i] == Role::attention_matrix
            && facts.stacks.traits(a.stack[i]).has(Trait::softmax)) {
            softmaxes.push_back(i);
        }
    }
    if (softmaxes.empty()) {
        return;
    }
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (roles[i] != Role::attention_matrix) {
            continue;
        }
        const std::size_t from = place[i] > kAfter ? place[i] - kAfter : 0;
        const auto place_of = [&](std::size_t softmax) { return place[softmax]; };
        bool near = place[i] + kBefore >= counted; // a pass that was cut off lacks its last softmax
        for (auto it = std::ranges::lower_bound(softmaxes, from, {}, place_of);
             it != softmaxes.end() && place[*it] <= place[i] + kBefore && !near; ++it) {
            near = a.requested[*it] == a.requested[i];
        }
        if (!near) {
            roles[i] = Role::none;
        }
    }
}

/// Where heads are as long as the sequence, copies of the queries, keys and values are as large as
/// the matrix of scores, and so is the hidden state. Autograd then saves those copies before the
/// softmax and after its result; of the matrices it saves what the softmax made and what dropout
/// did with it right away.
void dropCopiesOfHeads(const Facts& facts, std::vector<Role>& roles)
{
    static constexpr std::size_t kDropout = 2; // its mask and its result
    const replay::Allocations& a = facts.allocations();
    std::unordered_set<std::int64_t> hidden; // sizes of what is saved far from any softmax
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (facts.labels.bucket[i] == Bucket::activation && roles[i] == Role::none) {
            hidden.insert(a.requested[i].value);
        }
    }
    std::size_t since_softmax = kDropout + 1;
    std::int64_t softmax_bytes = 0;
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (roles[i] != Role::attention_matrix) {
            continue;
        }
        if (facts.stacks.traits(a.stack[i]).has(Trait::softmax)) {
            since_softmax = 0;
            softmax_bytes = a.requested[i].value;
            continue;
        }
        ++since_softmax;
        const bool is_saved = facts.labels.bucket[i] == Bucket::activation;
        const bool is_dropout = since_softmax <= kDropout && a.requested[i].value == softmax_bytes
            && isOfDropout(facts, a.stack[i]);
        if (is_saved && !is_dropout && hidden.contains(a.requested[i].value)) {
            roles[i] = Role::none;
        }
    }
}

/// Under autocast the softmax computes in 32 bits, and the product that follows reads a copy of its
/// result in 16: half as large, the first thing made after it and its dropout, and kept for
/// backward as the result itself would be. Where no frame of autocast tells it from a copy of the
/// values, which is made there too, it has a size that nothing else is saved in but logits, which
/// are known.
void nameNarrowCopies(const Facts& facts, std::vector<Role>& roles)
{
    static constexpr std::int64_t kNumber = 1024; // bytes
    const replay::Allocations& a = facts.allocations();
    const auto is_between = [&](std::size_t i) {
        return a.requested[i].value <= kNumber || isOfDropout(facts, a.stack[i]);
    };
    const auto is_cast = [&](std::size_t i) {
        return facts.stacks.traits(a.stack[i]).has(Trait::weight_cast);
    };
    std::vector<std::size_t> halves;
    std::vector<bool> is_half(a.count());
    bool casts = false;
    for (std::size_t i = 0; i < a.count(); ++i) {
        casts = casts || is_cast(i);
        if (roles[i] != Role::attention_matrix
            || !facts.stacks.traits(a.stack[i]).has(Trait::softmax)) {
            continue;
        }
        std::size_t next = i + 1;
        while (next < a.count() && is_between(next)) {
            ++next;
        }
        if (next < a.count() && roles[next] == Role::none
            && facts.labels.bucket[next] == Bucket::activation
            && 2 * a.requested[next].value == a.requested[i].value) {
            halves.push_back(next);
            is_half[next] = true;
        }
    }
    std::unordered_set<std::int64_t> others; // sizes
    for (std::size_t i = 0; i < a.count() && !halves.empty(); ++i) {
        if (facts.labels.bucket[i] == Bucket::activation && !is_half[i]
            && roles[i] != Role::logits) {
            others.insert(a.requested[i].value);
        }
    }
    std::unordered_set<std::int64_t> narrow; // sizes that no other thing has
    for (const std::size_t i : halves) {
        const bool is_alone = !others.contains(a.requested[i].value);
        if (casts ? is_cast(i) : is_alone) {
            roles[i] = Role::attention_matrix;
            if (is_alone) {
                narrow.insert(a.requested[i].value);
            }
        }
    }
    for (std::size_t i = 0; i < a.count() && !narrow.empty(); ++i) {
        if (roles[i] == Role::none && facts.labels.bucket[i] == Bucket::temporary
            && facts.phase[i] == Phase::forward && narrow.contains(a.requested[i].value)) {
            roles[i] = Role::attention_matrix; // the scores, which are in 16 bits before it
        }
    }
}

/// What forward makes in passing right before a softmax, in its size, are its scores: scaled,
/// masked, or copied to 32 bits for it. Not where something else but logits is saved in that size.
void namePassingScores(const Facts& facts, std::vector<Role>& roles)
{
    static constexpr std::size_t kBefore = 12; // allocations
    const replay::Allocations& a = facts.allocations();
    std::unordered_set<std::int64_t> others; // sizes
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (facts.labels.bucket[i] == Bucket::activation && roles[i] != Role::attention_matrix
            && roles[i] != Role::logits) {
            others.insert(a.requested[i].value);
        }
    }
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (roles[i] != Role::attention_matrix || others.contains(a.requested[i].value)
            || !facts.stacks.traits(a.stack[i]).has(Trait::softmax)) {
            continue;
        }
        for (std::size_t k = i - std::min(i, kBefore); k < i; ++k) {
            if (roles[k] == Role::none && facts.labels.bucket[k] == Bucket::temporary
                && facts.phase[k] == Phase::forward && a.requested[k] == a.requested[i]) {
                roles[k] = Role::attention_matrix;
            }
        }
    }
}

/// Between the model's head and the loss nothing else of a model's size is saved; what lies before
/// such a thing belongs to the last block, not to the head.
void dropBeforeHead(const Facts& facts, std::vector<Role>& roles)
{
    static constexpr std::int64_t kSmall = 64; // of the logits: statistics and targets
    const replay::Allocations& a = facts.allocations();
    for (const Pass& pass : facts.passes) {
        const auto of_state = [&](StateId s) {
            return static_cast<std::size_t>(std::ranges::lower_bound(a.begin, s) - a.begin.begin());
        };
        const std::size_t begin = of_state(pass.forward.begin);
        const std::size_t end = of_state(StateId{pass.forward.end.value + 1});
        std::size_t loss = begin;
        while (loss < end && !facts.stacks.traits(a.stack[loss]).has(Trait::loss)) {
            ++loss;
        }
        if (loss == end) {
            continue; // no loss is to be seen
        }
        std::int64_t logits = 0;
        for (std::size_t i = loss; i < end; ++i) {
            const bool is_one = roles[i] == Role::logits;
            logits = is_one ? std::max(logits, a.requested[i].value) : logits;
        }
        bool is_behind = false;
        for (std::size_t i = loss; i-- > begin;) {
            const bool is_other = facts.labels.bucket[i] == Bucket::activation
                && roles[i] != Role::logits && a.requested[i].value > logits / kSmall;
            is_behind = is_behind || is_other;
            if (is_behind && roles[i] == Role::logits) {
                roles[i] = Role::none;
            }
        }
    }
}

} // namespace

std::vector<Role> checkedRoles(const Facts& facts)
{
    std::vector<Role> roles = facts.labels.role;
    dropFarFromSoftmax(facts, roles);
    dropCopiesOfHeads(facts, roles);
    nameNarrowCopies(facts, roles);
    namePassingScores(facts, roles);
    dropBeforeHead(facts, roles);
    return roles;
}

bool isOfDropout(const Facts& facts, StackId stack)
{
    return anyFrame(facts.snapshot, stack, [](std::string_view name, std::string_view) {
        return name.find("dropout") != std::string_view::npos;
    });
}

bool isOfTable(const Facts& facts, StackId stack)
{
    return anyFrame(facts.snapshot, stack, [](std::string_view, std::string_view file) {
        return label::isFile(file, "torch/nn/modules/sparse.py");
    });
}

} // namespace tidemark::diagnose
