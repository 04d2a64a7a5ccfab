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

/// By a call of the program's own: the capture of a CUDA graph calls it as well, since its pool
/// cannot use what is cached.
bool isEmptying(const Facts& facts, StackId stack)
{
    bool calls = false;
    bool captures = false;
    (void)anyFrame(facts.snapshot, stack, [&](std::string_view name, std::string_view file) {
        calls = calls || name == "empty_cache" || name.find("emptyCache") != std::string_view::npos;
        captures = captures || label::isFile(file, "torch/cuda/graphs.py");
        return captures;
    });
    return calls && !captures;
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
              ? say("empty_cache() freed memory {} times, {} in all. That costs time "
                    "and changes nothing about what fits: PyTorch does the same before an OOM.",
                    formatCount(calls), Bytes{bytes})
              : say(
                  "empty_cache() at {} freed memory {} times, {} in all. That costs "
                  "time and changes nothing about what fits: PyTorch does the same before an OOM.",
                  place, formatCount(calls), Bytes{bytes}),
          StateId::after(last), stack},
         {bytes}});
}

} // namespace

void addMyths(const CauseInput& in, const CauseFinding& first, std::vector<Finding>& out)
{
    addEmptying(in, out);
    if (const std::string& myth = causeText(first.cause).myth; !myth.empty()) {
        out.push_back({std::string(kMyth),
                       {std::string(translated(myth)), in.facts.moment.state, {}},
                       {0},
                       first.score});
    }
}

} // namespace tidemark::diagnose
