// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/findings.h"
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::anyFrame;

using trace::Action;

/// What tempts beside a cause and does not help, with the reason; empty: nothing does.
std::string mythOf(Cause first)
{
    switch (first) {
    case Cause::leak:
        return say("torch.cuda.empty_cache() and gc.collect() do not help: the program still "
                   "references the memory. A smaller batch only delays it.");
    case Cause::evaluation_accumulation:
        return say("torch.cuda.empty_cache() and gc.collect() do not help: the program still "
                   "references the memory. Nor does model.eval(), which does not stop autograd.");
    case Cause::evaluation_batch:
        return say(
            "model.eval() does not help: it does not stop autograd; torch.no_grad() does. "
            "torch.cuda.empty_cache() does not either: PyTorch had freed every empty segment.");
    case Cause::fragmentation:
        return say("torch.cuda.empty_cache() does not help: PyTorch had freed every empty segment. "
                   "Live blocks pin the rest.");
    case Cause::model_states:
    case Cause::optimizer_state:
    case Cause::gradients:
    case Cause::loading:
        return say(
            "A smaller batch or shorter sequences do not shrink weights, gradients or optimizer "
            "state; nor do torch.cuda.empty_cache(), TOKENIZERS_PARALLELISM or OMP_NUM_THREADS.");
    case Cause::activations:
    case Cause::activations_sequence:
    case Cause::logits:
    case Cause::longest_batch:
        return say("torch.cuda.empty_cache() does not help: PyTorch had freed every empty segment. "
                   "Sharding optimizer state does not shrink activations.");
    case Cause::single_huge_tensor:
        return say("torch.cuda.empty_cache() and allocator settings do not help: only a smaller "
                   "tensor does.");
    case Cause::kv_cache:
        return say("torch.cuda.empty_cache() and torch.no_grad() do not help: the KV cache is in "
                   "use. Fewer or shorter sequences shrink it.");
    case Cause::private_pools:
        return say("torch.cuda.empty_cache() does not help: it cannot free private pools while "
                   "their graphs or MemPools live, and does nothing inside one.");
    case Cause::compile_workspace:
        return say("torch.cuda.empty_cache() does not help for long: the next step allocates the "
                   "same workspaces.");
    case Cause::other_process:
    case Cause::duplicate_ranks:
        return say("torch.cuda.empty_cache() and allocator settings affect only this process. "
                   "Before killing Python processes or resetting the GPU, check that they are not "
                   "ranks of this job.");
    case Cause::non_pytorch_memory:
        return say("max_split_size_mb and other allocator settings do not help: they affect only "
                   "PyTorch's own memory.");
    case Cause::memory_fraction:
        return say("torch.cuda.empty_cache() does not help: PyTorch had freed every empty segment "
                   "before it hit the limit.");
    default:
        return {};
    }
}

bool isEmptying(const Facts& facts, StackId stack)
{
    return anyFrame(facts.snapshot, stack, [](std::string_view name, std::string_view) {
        return name == "empty_cache" || name.find("emptyCache") != std::string_view::npos;
    });
}

/// The program that calls empty_cache() itself, by its segments that go back to the driver.
void addEmptying(const CauseInput& in, std::vector<Finding>& out)
{
    static constexpr std::int64_t kFewestCalls = 2; // one at the end of setup costs nothing
    const Facts& facts = in.facts;
    const trace::Events& events = facts.device.events;
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    EventId last;
    for (std::size_t i = 0; i < events.count(); ++i) {
        const Action action = events.action[i];
        const bool goes_back = action == Action::segment_free || action == Action::segment_unmap;
        if (!goes_back || events.stack[i].isNone() || !isEmptying(facts, events.stack[i])) {
            continue;
        }
        const bool is_next = !last.isNone() && last.index() + 1 == i
            && events.stack[last.index()] == events.stack[i];
        calls += is_next ? 0 : 1;
        bytes += events.size[i].value;
        last = EventId(i);
    }
    if (calls < kFewestCalls) {
        return;
    }
    const StackId stack = events.stack[last.index()];
    const std::string place = label::linesText(facts.snapshot, facts.stacks.lines(stack));
    out.push_back(
        {"empties-cache",
         {place.empty()
              ? say("torch.cuda.empty_cache() freed memory {} times, {} in all. That costs time "
                    "and changes nothing about what fits: PyTorch does the same before an OOM.",
                    formatCount(calls), sizeText({bytes}))
              : say(
                  "torch.cuda.empty_cache() at {} freed memory {} times, {} in all. That costs "
                  "time and changes nothing about what fits: PyTorch does the same before an OOM.",
                  place, formatCount(calls), sizeText({bytes})),
          StateId::after(last), stack},
         {bytes}});
}

} // namespace

void addMyths(const CauseInput& in, const CauseFinding& first, std::vector<Finding>& out)
{
    addEmptying(in, out);
    if (std::string myth = mythOf(first.cause); !myth.empty()) {
        out.push_back(
            {std::string(kMyth), {std::move(myth), in.facts.moment.state, {}}, {0}, first.score});
    }
}

} // namespace tidemark::diagnose
