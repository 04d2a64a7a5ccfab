// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/settings.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/findings.h"
#include "core/label/stacks/stack_text.h"
#include "core/replay/memory_state.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;
using replay::MemoryState;
using replay::SegmentState;

constexpr double kWorthSaying = 0.03; // of the room

std::string placeText(const CauseInput& in, StackId stack)
{
    return label::frameText(in.facts.snapshot, in.facts.stacks.lines(stack).shown);
}

bool isDefaultPool(const SegmentState& segment)
{
    return !segment.pool.isPrivate();
}

/// The blocks that share their segments with the most free bytes, by line and purpose: without them
/// those segments would be one piece each, and could have been given back.
void addPins(const CauseInput& in, const MemoryState& memory, std::vector<Finding>& out)
{
    struct Pin {
        std::int64_t bytes = 0; ///< Of the blocks.
        std::int64_t free = 0; ///< Of their segments, each once.
        std::uint32_t blocks = 0;
        std::uint32_t segments = 0;
        AllocationId largest;
    };
    const std::uint64_t stream = in.facts.device.events.stream[in.facts.moment.oom.index()];
    std::map<std::pair<std::uint32_t, Bucket>, Pin> pins;
    for (const SegmentState& segment : memory.segments) {
        if (segment.free().value <= 0 || segment.block_count == 0 || segment.stream != stream
            || !isDefaultPool(segment)) {
            continue;
        }
        std::set<std::pair<std::uint32_t, Bucket>> here;
        for (const replay::BlockInState& block : memory.blocksOf(segment)) {
            const StackId stack = in.facts.allocations().stack[block.allocation.index()];
            const std::pair key{in.facts.stacks.lines(stack).shown.value,
                                in.facts.bucket(block.allocation)};
            Pin& pin = pins[key];
            pin.bytes += block.size.value;
            ++pin.blocks;
            if (pin.largest.isNone()
                || in.facts.bytes(block.allocation) > in.facts.bytes(pin.largest)) {
                pin.largest = block.allocation;
            }
            if (here.insert(key).second) {
                pin.free += segment.free().value;
                ++pin.segments;
            }
        }
    }
    static constexpr std::size_t kMost = 3;
    std::vector<Pin> worst;
    for (const auto& [key, pin] : pins) {
        if (in.share(pin.free) >= kWorthSaying) {
            worst.push_back(pin);
        }
    }
    std::ranges::stable_sort(worst, std::ranges::greater{}, [](const Pin& pin) {
        return std::pair{pin.free, pin.bytes};
    });
    for (std::size_t i = 0; i < std::min(kMost, worst.size()); ++i) {
        const Pin& pin = worst[i];
        const StackId stack = in.facts.allocations().stack[pin.largest.index()];
        const std::string place = placeText(in, stack);
        const std::string what = std::string(label::bucketNoun(in.facts.bucket(pin.largest)))
            + (place.empty() ? "" : ", ") + place;
        const std::string segments =
            sayCounted(pin.segments, "{} segment", "{} segments", formatCount(pin.segments));
        out.push_back(
            {"pinned",
             {sayCounted(pin.blocks, "{} block with {} ({}) in {} pins {} of free memory.",
                         "{} blocks with {} ({}) in {} pin {} of free memory.",
                         formatCount(pin.blocks), Bytes{pin.bytes}, what, segments,
                         Bytes{pin.free}),
              in.facts.moment.state, stack},
             {pin.free}});
    }
}

/// Free bytes that belong to another stream: the failing one cannot have them.
void addStreams(const CauseInput& in, const MemoryState& memory, std::vector<Finding>& out)
{
    const std::uint64_t stream = in.facts.device.events.stream[in.facts.moment.oom.index()];
    std::int64_t stranded = 0;
    std::int64_t largest = 0;
    std::set<std::uint64_t> streams;
    for (const SegmentState& segment : memory.segments) {
        if (segment.stream != stream && isDefaultPool(segment) && segment.free().value > 0) {
            stranded += segment.free().value;
            largest = std::max(largest, segment.largest_hole.value);
            streams.insert(segment.stream);
        }
    }
    if (in.share(stranded) < kWorthSaying) {
        return;
    }
    out.push_back(
        {"other-streams",
         {sayCounted(static_cast<std::int64_t>(streams.size()),
                     "{} is free in segments of {} other stream, in blocks of up to {}; this "
                     "stream cannot use it.",
                     "{} is free in segments of {} other streams, in blocks of up to {}; this "
                     "stream cannot use it.",
                     Bytes{stranded}, formatCount(static_cast<std::int64_t>(streams.size())),
                     Bytes{largest}),
          in.facts.moment.state,
          {}},
         {stranded}});
}

void addPrivatePools(const CauseInput& in, const MemoryState& memory, std::vector<Finding>& out)
{
    std::int64_t reserved = 0;
    std::int64_t free = 0;
    bool has_graphs = false; // Pools that a capture made for itself.
    bool has_handles = false; // Those that the program made.
    for (const SegmentState& segment : memory.segments) {
        if (!isDefaultPool(segment)) {
            reserved += segment.size.value;
            free += segment.free().value;
            (segment.pool.graph != 0 ? has_graphs : has_handles) = true;
        }
    }
    if (in.share(reserved) < kWorthSaying) {
        return;
    }
    const std::string owners = !has_handles ? say("Private pools of CUDA graphs")
        : has_graphs                        ? say("Private pools (CUDA graphs, MemPool)")
                     : say("Private pools of the program (MemPool, NCCL symmetric memory, a shared "
                           "CUDA graph pool, or torch.cuda._use_uvm(), maybe in host memory)");
    out.push_back({"private-pools",
                   {say("{} reserve {}; {} of it is free but unusable outside.", owners,
                        Bytes{reserved}, Bytes{free}),
                    in.facts.moment.state,
                    {}},
                   {reserved}});
}

/// Two settings of the file that do not go together, whether it died of them or not yet.
void addSettings(const CauseInput& in, std::vector<Finding>& out)
{
    const trace::AllocatorSettings& recorded = in.facts.snapshot.settings;
    if (in.facts.device.kind != trace::DeviceKind::gpu || !recorded.splitsBesideExpandable()) {
        return;
    }
    out.push_back({"max-split-beside-expandable",
                   {allocator::splitLimitClash(Bytes{*recorded.max_split_size_bytes}),
                    in.facts.moment.state,
                    {}},
                   {in.cached()}});
}

/// Live weights by when and where they were made.
struct WeightGroup {
    std::int64_t bytes = 0;
    std::uint32_t count = 0;
    StateId last; ///< When the last of them was made.
    StackId stack;
    std::multiset<std::int64_t> sizes;
    std::vector<AllocationId> members;
    [[nodiscard]] double trust(const Facts& facts) const
    {
        LabelTrust trust(facts);
        std::ranges::for_each(members, [&](AllocationId a) { trust.add(a); });
        return trust.score();
    }
};

/// Weights made before the first training pass, and those made after one.
void addLaterModel(const CauseInput& in, std::vector<Finding>& out)
{
    const Facts& facts = in.facts;
    const auto first = std::ranges::find_if(facts.passes, &Pass::isWholeTraining);
    if (first == facts.passes.end()) {
        return;
    }
    WeightGroup before;
    WeightGroup after;
    for (const AllocationId a : facts.ids()) {
        if (facts.bucket(a) != Bucket::parameter || !facts.isLive(a)
            || facts.role(a) == Role::unsharded) {
            continue;
        }
        WeightGroup& group = facts.begin(a) < first->end() ? before : after;
        group.bytes += facts.bytes(a);
        ++group.count;
        group.last = facts.begin(a);
        group.stack = facts.stack(a);
        group.sizes.insert(facts.bytes(a));
        group.members.push_back(a);
    }
    if (before.count == 0 || in.share(after.bytes) < kWorthSaying
        || in.share(before.bytes) < kWorthSaying) {
        return;
    }
    const bool is_copy = std::ranges::includes(before.sizes, after.sizes);
    const std::string place = placeText(in, after.stack);
    const std::string means = is_copy
        ? say("same sizes, so a copy (EMA, best weights) or a second model of the same kind")
        : say("an earlier model was never freed, or another one was added");
    out.push_back(
        {is_copy ? "second-copy" : "earlier-model",
         {place.empty() ? say(
              "{} of weights were created after training began, beside {} of earlier ones: {}.",
              Bytes{after.bytes}, Bytes{before.bytes}, means)
                        : say("{} of weights were created after training began at {}, beside {} of "
                              "earlier ones: {}.",
                              Bytes{after.bytes}, place, Bytes{before.bytes}, means),
          after.last, after.stack},
         {after.bytes},
         after.trust(facts)});
}

/// Weights that come from different lines outside of any constructor: those of several models made
/// one after another, or the parts that a program puts one model together from.
void addModelsSideBySide(const CauseInput& in, std::vector<Finding>& out)
{
    const Facts& facts = in.facts;
    std::map<std::uint32_t, WeightGroup> by_line; // by the line that called the constructor
    const auto makerOf = [&](StackId stack) {
        // Outermost constructor, then the frame that called it.
        FrameId maker;
        bool is_caller = false;
        for (const FrameId f : facts.snapshot.stacks.frames(stack)) {
            const std::string_view name = facts.snapshot.text(facts.snapshot.stacks.frame(f).name);
            const bool constructs = name == "__init__" || name == "from_pretrained"
                || name == "deepcopy" || name == "_apply" || name == "__deepcopy__";
            if (constructs) {
                is_caller = true;
            } else if (is_caller && facts.stacks.origin(f) == label::FrameOrigin::user) {
                maker = f;
                is_caller = false;
            }
        }
        return maker;
    };
    for (const AllocationId a : facts.ids()) {
        if (facts.bucket(a) != Bucket::parameter || facts.stack(a).isNone() || !facts.isLive(a)) {
            continue;
        }
        const FrameId maker = makerOf(facts.stack(a));
        if (maker.isNone()) {
            continue;
        }
        WeightGroup& group = by_line[maker.value];
        group.bytes += facts.bytes(a);
        ++group.count;
        group.stack = facts.stack(a);
        group.sizes.insert(facts.bytes(a));
        group.members.push_back(a);
    }
    std::erase_if(by_line, [&](const auto& g) { return in.share(g.second.bytes) < kWorthSaying; });
    if (by_line.size() < 2) {
        return;
    }
    std::string parts;
    std::int64_t sum = 0;
    LabelTrust trust(facts);
    std::set<std::multiset<std::int64_t>> kinds;
    for (const auto& [line, group] : by_line) {
        parts += (parts.empty() ? "" : ", ")
            + say("{} at {}", Bytes{group.bytes}, label::frameText(facts.snapshot, FrameId(line)));
        sum += group.bytes;
        kinds.insert(group.sizes);
        std::ranges::for_each(group.members, [&](AllocationId a) { trust.add(a); });
    }
    out.push_back(
        {"several-models",
         {kinds.size() < by_line.size()
              ? say("Weights were made at {} lines: {}. Some of these have the same sizes, as "
                    "copies of one model have.",
                    by_line.size(), parts)
              : say("Weights were made at {} lines: {}.", by_line.size(), parts),
          facts.moment.state, by_line.begin()->second.stack},
         {sum},
         trust.score()});
}

/// Buffers as large as all gradients beside the gradients themselves.
void addGradientCopies(const CauseInput& in, std::vector<Finding>& out)
{
    static constexpr double kAlike = 0.02;
    const Facts& facts = in.facts;
    std::int64_t bytes = 0;
    StackId stack;
    LabelTrust trust(facts);
    const auto trainable = static_cast<double>(facts.states.trainable);
    const bool copies = !facts.haveBucketsAllGradients();
    bool has_bucket = false; // of DDP's
    for (const AllocationId a : facts.ids()) {
        if (!facts.isLive(a)) {
            continue;
        }
        const double difference =
            static_cast<double>(facts.bytes(a)) / std::max(1.0, trainable) - 1;
        const bool beside_gradients = facts.bucket(a) != Bucket::gradient
            || facts.states.gradients > facts.bytes(a) + facts.bytes(a) / 4;
        // What passes make has such a size by chance only.
        const Bucket bucket = facts.bucket(a);
        const bool may_be_flat = bucket == Bucket::gradient || bucket == Bucket::communication
            || bucket == Bucket::input || bucket == Bucket::output || bucket == Bucket::unknown;
        const bool is_flat = may_be_flat && beside_gradients && std::abs(difference) < kAlike;
        const bool is_bucket = facts.role(a) == Role::reduction_bucket;
        if (is_bucket ? copies : is_flat) {
            bytes += facts.bytes(a);
            stack = facts.stack(a);
            trust.add(a);
            has_bucket = has_bucket || is_bucket;
        }
    }
    if (in.share(bytes) < kWorthSaying) {
        return;
    }
    out.push_back(
        {"gradient-copies",
         {has_bucket ? say("Buckets keep a second copy of the gradients, {}. DDP's "
                           "gradient_as_bucket_view=True saves it.",
                           Bytes{bytes})
                     : say("A buffer as large as all gradients is beside them, {}.", Bytes{bytes}),
          facts.moment.state, stack},
         {bytes},
         trust.score()});
}

} // namespace

void addMemoryFindings(const CauseInput& in, std::vector<Finding>& out)
{
    addSettings(in, out);
    if (!in.facts.isOom()) {
        return;
    }
    const MemoryState memory =
        replay::memoryStateAt(in.facts.replay, in.facts.sizes, in.facts.moment.state);
    addStreams(in, memory, out);
    addPrivatePools(in, memory, out);
    addPins(in, memory, out);
}

void addModelFindings(const CauseInput& in, std::vector<Finding>& out)
{
    addLaterModel(in, out);
    addModelsSideBySide(in, out);
    addGradientCopies(in, out);
}

} // namespace tidemark::diagnose
