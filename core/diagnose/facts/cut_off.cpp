// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/cut_off.h"

#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/facts/reference_pass.h"
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/torch_release.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace tidemark::diagnose {

using label::Bucket;
using label::Phase;

bool sawCompletePass(const Facts& facts)
{
    return std::ranges::any_of(facts.passes, [&](const Pass& pass) {
        return pass.isWholeTraining() && pass.end() <= facts.moment.state;
    });
}

namespace {

/// Whether the last two large results that forward kept are both of that size.
bool endsWithTwo(const Facts& facts, const Pass& pass, std::int64_t bytes)
{
    static constexpr std::int64_t kLarge = 2; // half of it
    const auto [first, end] = facts.madeIn(pass);
    int count = 0;
    for (std::size_t i = end; i > first && count < 2; --i) {
        const AllocationId a(i - 1);
        if (facts.begin(a) <= pass.backward.begin && facts.isLive(a)
            && facts.bytes(a) * kLarge >= bytes) {
            if (facts.bytes(a) != bytes) {
                return false;
            }
            ++count;
        }
    }
    return count == 2;
}

} // namespace

std::optional<int> lossGradientsBefore(const Facts& facts)
{
    const Pass* pass = cutPass(facts);
    const std::int64_t bytes = facts.moment.requested.value;
    if (pass == nullptr || facts.phaseAtMoment() != Phase::backward
        || (facts.logits_kin->share(bytes, facts.moment.state) < 1
            && !endsWithTwo(facts, *pass, bytes))) {
        return std::nullopt;
    }
    const auto& begins = facts.allocations().begin;
    const auto first = std::ranges::lower_bound(begins, pass->backward.begin) - begins.begin();
    int count = 0;
    for (auto i = static_cast<std::size_t>(first); i < facts.allocations().count(); ++i) {
        count += facts.bytes(AllocationId(i)) == bytes ? 1 : 0;
    }
    return count;
}

namespace {

bool isIn(const Facts& facts, StackId stack, std::initializer_list<std::string_view> functions)
{
    return label::anyFrame(facts.snapshot, stack, [&](std::string_view name, std::string_view) {
        return std::ranges::find(functions, name) != functions.end();
    });
}

/// How many model-sized temporaries Adam makes where it takes all weights at once:
/// the square roots, and up to torch 2.0 their sums with eps, which later ones add in place
/// (torch's optim/adam.py, optim/adamw.py).
std::int64_t listsOfAdam(const Facts& facts, StackId stack)
{
    if (!isIn(facts, stack, {"_multi_tensor_adam", "_multi_tensor_adamw"})) {
        return 1;
    }
    const label::TorchRelease release = label::torchRelease(facts.snapshot);
    return release == label::TorchRelease::before_2_0 || release == label::TorchRelease::v2_0 ? 2
                                                                                              : 1;
}

} // namespace

std::int64_t restOfTemporaries(const Facts& facts)
{
    const StackId stack = facts.failedStack();
    const auto& a = facts.allocations();
    const std::int64_t request = facts.moment.requested.value;
    if (stack.isNone()) {
        return 0;
    }
    std::int64_t made = request;
    std::int64_t made_elsewhere = 0; // of other lists
    std::int64_t of_this = 1; // as large as what failed
    std::int64_t largest = 0; // gradient
    std::int64_t largest_made = request;
    for (const AllocationId id : facts.ids()) {
        const std::int64_t bytes = facts.bytes(id);
        const bool is_live = facts.isLive(id);
        largest =
            facts.bucket(id) == Bucket::gradient && is_live ? std::max(largest, bytes) : largest;
        if (facts.phaseOf(id) != Phase::optimizer || facts.bucket(id) != Bucket::temporary) {
            continue;
        }
        if (a.stack[id.index()] != stack) {
            made_elsewhere += is_live ? bytes : 0;
            continue;
        }
        largest_made = std::max(largest_made, bytes);
        if (is_live) {
            made += bytes;
            of_this += bytes == request ? 1 : 0;
        }
    }
    if (facts.stacks.traits(stack).has(label::Trait::foreach)) {
        const std::int64_t lists = listsOfAdam(facts, stack);
        const std::int64_t all_made = made + (lists > 1 ? made_elsewhere : 0);
        return std::max<std::int64_t>(0, lists * facts.states.trainable - all_made);
    }
    // Adam has a weight's square roots and their quotient, which it divides by.
    if (isIn(facts, stack, {"_single_tensor_adam", "_single_tensor_adamw"})) {
        return std::max<std::int64_t>(0, 2 * largest - made);
    }
    return std::max<std::int64_t>(0, of_this * (largest - largest_made));
}

} // namespace tidemark::diagnose
