// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/reference_pass.h"

#include "core/label/stacks/torch_release.h"
#include "core/replay/changes.h"

#include <algorithm>
#include <vector>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kFewestCompared = 4; // allocations, below which nothing can be compared
constexpr double kAlikePlaces = 0.75; // share of equal places
constexpr std::size_t kComparedPlaces = 32;

std::vector<AllocationId> allocationsOf(const Facts& facts, std::int32_t pass)
{
    std::vector<AllocationId> result;
    const auto& begins = facts.allocations().begin;
    const StateId first = facts.passes[static_cast<std::size_t>(pass)].forward.begin;
    auto i = static_cast<std::size_t>(std::ranges::lower_bound(begins, first) - begins.begin());
    for (; i < begins.size() && facts.pass_of[i] <= pass; ++i) {
        if (facts.pass_of[i] == pass) {
            result.emplace_back(i);
        }
    }
    return result;
}

/// Whether the last of the first `made` allocations of both passes come from the same places.
bool isAlike(const Facts& facts, const std::vector<AllocationId>& earlier,
             const std::vector<AllocationId>& current)
{
    const std::size_t made = current.size();
    const std::size_t from = made > kComparedPlaces ? made - kComparedPlaces : 0;
    const auto& stack = facts.allocations().stack;
    std::size_t alike = 0;
    for (std::size_t i = from; i < made; ++i) {
        const bool same = facts.stacks.place(stack[earlier[i].index()])
            == facts.stacks.place(stack[current[i].index()]);
        alike += same ? 1 : 0;
    }
    return static_cast<double>(alike) >= kAlikePlaces * static_cast<double>(made - from);
}

std::int64_t sumOf(const Facts& facts, const std::vector<AllocationId>& list, std::size_t count)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += facts.bytes(list[i]);
    }
    return sum;
}

/// Calls `visit` with every complete training pass before the cut one that is like it, latest
/// first, until it returns false.
template <class Visit>
void forEachAlike(const Facts& facts, std::size_t& made, const Visit& visit)
{
    const std::int32_t now = passAt(facts.passes, facts.moment.state);
    if (now < 0 || cutPass(facts) == nullptr) {
        return;
    }
    const std::vector<AllocationId> current = allocationsOf(facts, now);
    made = current.size();
    if (made < kFewestCompared) {
        return;
    }
    for (std::int32_t p = now - 1; p >= 0; --p) {
        const Pass& pass = facts.passes[static_cast<std::size_t>(p)];
        if (!pass.isWholeTraining()) {
            continue;
        }
        const std::vector<AllocationId> earlier = allocationsOf(facts, p);
        if (earlier.size() > made && isAlike(facts, earlier, current)
            && !visit(pass, earlier, current)) {
            return;
        }
    }
}

/// Bytes of inputs live in a state that did not live when recording began.
std::int64_t inputsAt(const Facts& facts, StateId state)
{
    return facts.curves.at(state)[label::indexOf(label::Bucket::input)];
}

/// Bytes live in the state `since` and no longer in `until`, beside gradients.
std::int64_t droppedBetween(const Facts& facts, StateId since, StateId until)
{
    std::int64_t dropped = 0;
    const auto& begins = facts.allocations().begin;
    const auto made = std::ranges::upper_bound(begins, since) - begins.begin();
    for (std::size_t i = 0; i < static_cast<std::size_t>(made); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) != label::Bucket::gradient && facts.allocations().isLive(a, since)
            && !facts.allocations().isLive(a, until)) {
            dropped += facts.bytes(a);
        }
    }
    return dropped;
}

/// O(states).
void findMostBesideGradients(const Facts& facts, const Pass& pass, ReferencePass& like)
{
    std::int64_t now = 0;
    std::int64_t most = 0;
    like.most_beside_gradients = pass.backward.begin;
    const auto add = [&](StateId state, AllocationId a, bool begins) {
        const bool is_gradient = facts.bucket(a) == label::Bucket::gradient;
        const std::int64_t gradient = is_gradient && begins ? facts.bytes(a) : 0;
        now += is_gradient ? 0 : begins ? facts.bytes(a) : -facts.bytes(a);
        if (now + gradient > most) {
            most = now + gradient;
            like.most_beside_gradients = state;
            like.gradient_then = gradient;
        }
    };
    replay::forEachChange(facts.replay, {{pass.backward.begin.value + 1}, pass.backward.end}, add);
}

bool inOneStep(const Facts& facts, const Pass& earlier, const Pass& later)
{
    const auto boundary = std::ranges::upper_bound(facts.boundaries, earlier.forward.begin);
    return boundary == facts.boundaries.end() || *boundary > later.forward.begin;
}

} // namespace

const Pass* cutPass(const Facts& facts)
{
    const std::int32_t p = passAt(facts.passes, facts.moment.state);
    if (p < 0) {
        return nullptr;
    }
    const Pass& pass = facts.passes[static_cast<std::size_t>(p)];
    return pass.isTraining() ? &pass : nullptr;
}

ReferencePass findReferencePass(const Facts& facts)
{
    ReferencePass like;
    if (facts.phaseAtMoment() == label::Phase::optimizer) {
        const auto done = std::find_if(facts.passes.rbegin(), facts.passes.rend(),
                                       [](const Pass& p) { return p.isWholeTraining(); });
        if (done != facts.passes.rend()) {
            findMostBesideGradients(facts, *done, like);
        }
        return like;
    }
    std::size_t made = 0;
    forEachAlike(facts, made, [&](const Pass& pass, const auto& earlier, const auto& current) {
        const AllocationId next = earlier[current.size()];
        like.pass = &pass;
        like.same_place = {facts.begin(next).value - 1};
        like.same_request = facts.bytes(next);
        return false;
    });
    const Pass* const now = cutPass(facts);
    if (like.pass == nullptr && now != nullptr && !now->backward.isEmpty()) {
        findMostBesideGradients(facts, *now, like);
    }
    if (like.pass != nullptr) {
        const auto added = [&](const Pass& pass, StateId state, std::int64_t request) {
            return static_cast<double>(facts.replay.activeAt(state).value + request
                                       - facts.replay.activeAt(pass.forward.begin).value);
        };
        const Pass& cut = *now;
        like.older_results = std::max<std::int64_t>(
            0,
            droppedBetween(facts, cut.forward.begin, facts.moment.state)
                - droppedBetween(facts, like.pass->forward.begin, like.same_place));
        const double then = added(*like.pass, like.same_place, like.same_request);
        const double so_far = added(cut, facts.moment.state, facts.moment.requested.value)
            + static_cast<double>(like.older_results);
        like.ratio = then > 0 ? so_far / then : 0;
        findMostBesideGradients(facts, *like.pass, like);
        const bool is_one_step = inOneStep(facts, *like.pass, cut);
        like.perhaps_cleared =
            !is_one_step && label::torchRelease(facts.snapshot) == label::TorchRelease::before_2_0;
        like.adds_to_gradients = is_one_step || like.perhaps_cleared;
    }
    return like;
}

BatchRatio compareBatch(const Facts& facts)
{
    static constexpr std::uint32_t kMostPasses = 64; // enough to know what is usual
    BatchRatio result;
    std::int64_t now = 0;
    std::int64_t most = 0;
    std::size_t made = 0;
    forEachAlike(facts, made, [&](const Pass& pass, const auto& earlier, const auto& current) {
        now = sumOf(facts, current, current.size());
        most = std::max(most, sumOf(facts, earlier, current.size()));
        result.input_then = std::max(result.input_then, inputsAt(facts, pass.forward.end));
        return ++result.passes < kMostPasses;
    });
    if (most > 0) {
        result.ratio = static_cast<double>(now) / static_cast<double>(most);
        result.input_now = inputsAt(facts, facts.moment.state);
    }
    return result;
}

} // namespace tidemark::diagnose
