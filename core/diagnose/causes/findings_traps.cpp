// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Known traps in the stacks of a snapshot.
#include "core/base/ascii.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/findings.h"
#include "core/diagnose/facts/forwards_only.h"
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/stack_rules.h"
#include "core/message/traps.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

namespace tidemark::diagnose {
namespace {

constexpr double kWorthATrap = 0.05; ///< Of what lives with the failed request.
constexpr double kSureTrap = 0.8; ///< Weaker signs need a text's words beside the frames.

/// One of a trap's signs that frames alone show.
struct FrameSign {
    const Trap* trap = nullptr;
    const TrapSign* sign = nullptr;
};

/// The signs of each frame of the catalogue.
const std::vector<std::vector<FrameSign>>& signsOfFrames()
{
    static const std::vector<std::vector<FrameSign>> kSigns = [] {
        const TrapCatalogue& catalogue = trapCatalogue();
        std::vector<std::vector<FrameSign>> signs(catalogue.frames.size());
        for (const Trap& trap : catalogue.traps) {
            if (trap.in_snapshot == InSnapshot::no || trap.in_snapshot == InSnapshot::graph
                || trap.strength < kSureTrap) {
                continue;
            }
            for (const TrapSign& sign : trap.signs) {
                for (const std::size_t frame : sign.frames) {
                    if (sign.isByFrames()) {
                        signs[frame].push_back({&trap, &sign});
                    }
                }
            }
        }
        return signs;
    }();
    return kSigns;
}

/// The trap of each stack. Each file, each frame and each stack is looked at once.
class StackTraps {
public:
    explicit StackTraps(const trace::Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_kinds(snapshot.stacks.frameCount())
    {
        const TrapCatalogue& catalogue = trapCatalogue();
        std::unordered_map<std::string_view, std::size_t> names;
        for (std::size_t i = 0; i < catalogue.files.size(); ++i) {
            names.emplace(catalogue.files[i], i);
        }
        std::unordered_map<std::uint32_t, std::vector<std::size_t>> files;
        for (std::size_t f = 0; f < m_kinds.size(); ++f) {
            const Frame& frame = snapshot.stacks.frame(FrameId(f));
            const auto [file, is_new] = files.try_emplace(frame.filename.value);
            if (is_new) {
                file->second = framesOfFile(snapshot.text(frame.filename), names);
            }
            const std::string_view name = snapshot.text(frame.name);
            for (const std::size_t index : file->second) {
                if (catalogue.frames[index].isFunction(name)) {
                    m_kinds[f].push_back(index);
                    m_any = true;
                }
            }
        }
    }

    /// Whether any stack can show one.
    [[nodiscard]] bool any() const
    {
        return m_any;
    }

    /// Those of a failed request and of the peak's request count only where these requests are
    /// theirs.
    void decide(const Trap* refused, const Trap* peak)
    {
        m_refused = refused;
        m_peak = peak;
        m_is_decided = true;
        m_of.clear();
    }

    /// The surest, of two the one further inside; null: none.
    const Trap* of(StackId stack)
    {
        if (stack.isNone()) {
            return nullptr;
        }
        const auto [known, is_new] = m_of.try_emplace(stack.value, nullptr);
        if (is_new) {
            known->second = find(stack);
        }
        return known->second;
    }

private:
    struct Hit {
        std::size_t kind = 0; ///< A frame of the catalogue.
        FrameId frame;
        bool is_innermost = false; ///< Of the stack's Python.
        bool is_called = false; ///< A module runs between it and the allocation.
    };

    /// What of the catalogue lies in a file.
    static std::vector<std::size_t>
    framesOfFile(std::string_view file,
                 const std::unordered_map<std::string_view, std::size_t>& names)
    {
        static constexpr std::size_t kLongestName = 100;
        const std::string_view last = baseName(file);
        std::vector<std::size_t> found;
        const auto name = last.size() > kLongestName ? names.end() : names.find(lowered(last));
        if (name != names.end()) {
            const TrapCatalogue& catalogue = trapCatalogue();
            for (const std::size_t index : catalogue.frames_of_file[name->second]) {
                if (!signsOfFrames()[index].empty() && catalogue.frames[index].isIn(file)) {
                    found.push_back(index);
                }
            }
        }
        return found;
    }

    [[nodiscard]] bool isModuleCall(FrameId id) const
    {
        const Frame& frame = m_snapshot.stacks.frame(id);
        const std::string_view name = m_snapshot.text(frame.name);
        return (name == "_call_impl" || name == "_wrapped_call_impl")
            && label::isFile(m_snapshot.text(frame.filename), "torch/nn/modules/module.py");
    }

    [[nodiscard]] const Trap* find(StackId stack) const
    {
        std::vector<Hit> hits; // from the inside
        bool is_called = false;
        bool is_innermost = true;
        for (const FrameId id : m_snapshot.stacks.frames(stack)) {
            for (const std::size_t kind : m_kinds[id.index()]) {
                const bool is_new = std::ranges::find(hits, kind, &Hit::kind) == hits.end();
                if (is_new) {
                    hits.push_back({kind, id, is_innermost, is_called});
                }
            }
            is_innermost = is_innermost
                && !label::isPythonFile(m_snapshot.text(m_snapshot.stacks.frame(id).filename));
            is_called = is_called || isModuleCall(id);
        }
        const Trap* best = nullptr;
        for (const Hit& hit : hits) {
            for (const FrameSign& sign : signsOfFrames()[hit.kind]) {
                if ((best == nullptr || sign.trap->strength > best->strength) && isOpen(*sign.trap)
                    && isShown(sign, hits)) {
                    best = sign.trap;
                }
            }
        }
        return best;
    }

    [[nodiscard]] bool isOpen(const Trap& trap) const
    {
        return !m_is_decided
            || (trap.in_snapshot == InSnapshot::oom        ? &trap == m_refused
                    : trap.in_snapshot == InSnapshot::peak ? &trap == m_peak
                                                           : true);
    }

    [[nodiscard]] bool isShown(const FrameSign& sign, const std::vector<Hit>& hits) const
    {
        const bool takes_all =
            sign.trap->in_snapshot == InSnapshot::oom || sign.trap->in_snapshot == InSnapshot::peak;
        return std::ranges::all_of(sign.sign->frames, [&](std::size_t kind) {
            const auto hit = std::ranges::find(hits, kind, &Hit::kind);
            return hit != hits.end() && (takes_all || !hit->is_called)
                && (sign.trap->in_snapshot != InSnapshot::line || hit->is_innermost)
                && isOfLibrary(*sign.trap,
                               m_snapshot.text(m_snapshot.stacks.frame(hit->frame).filename));
        });
    }

    const trace::Snapshot& m_snapshot;
    std::vector<std::vector<std::size_t>> m_kinds; ///< Per frame: of the catalogue.
    std::unordered_map<std::uint32_t, const Trap*> m_of;
    const Trap* m_refused = nullptr;
    const Trap* m_peak = nullptr;
    bool m_is_decided = false;
    bool m_any = false;
};

/// What lives from the stacks of one trap.
struct Held {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    std::int64_t largest_bytes = -1;
    StackId largest;
    std::map<std::int64_t, std::int64_t> sizes; ///< How many of each size.
};

/// Of what a trap holds, what lives a second time as weights of its size.
void keepCopies(const Facts& facts, const Trap& trap, StackTraps& traps, Held& held)
{
    std::map<std::int64_t, std::int64_t> others;
    for (const AllocationId a : facts.ids()) {
        if (facts.bucket(a) == label::Bucket::parameter && facts.isLive(a)
            && traps.of(facts.stack(a)) != &trap) {
            ++others[facts.bytes(a)];
        }
    }
    held.bytes = held.count = 0;
    for (const auto& [size, count] : held.sizes) {
        const auto other = others.find(size);
        const std::int64_t copies = other == others.end() ? 0 : std::min(count, other->second);
        held.bytes += copies * size;
        held.count += copies;
    }
}

/// The stack of what brought the peak; none where the trace begins with it.
StackId stackOfPeak(const Facts& facts)
{
    const auto& all = facts.allocations();
    const auto later = std::upper_bound(all.begin.begin(), all.begin.end(), facts.moment.state);
    return later == all.begin.begin()
        ? StackId::none()
        : all.stack[static_cast<std::size_t>(later - all.begin.begin() - 1)];
}

std::string sentenceOf(const Trap& trap, const Held& held, std::int64_t refused)
{
    if (refused == 0) {
        return say(
            "{}: {} in {}.", claimOf(trap), Bytes{held.bytes},
            sayCounted(held.count, "{} allocation", "{} allocations", formatCount(held.count)));
    }
    return held.bytes == 0
        ? say("{}: {} refused.", claimOf(trap), Bytes{refused})
        : say("{}: {} allocated, {} refused.", claimOf(trap), Bytes{held.bytes}, Bytes{refused});
}

/// The trap whose frames the graphs of forward passes without backward have.
void addGraphTrap(const CauseInput& in, std::vector<Finding>& out)
{
    const ForwardsOnly forwards = findForwardsOnly(in.facts);
    if (forwards.turns == 0 || forwards.stack.isNone()
        || static_cast<double>(forwards.bytes) < kWorthATrap * static_cast<double>(in.total())) {
        return;
    }
    const TrapCatalogue& catalogue = trapCatalogue();
    const trace::Snapshot& snapshot = in.facts.snapshot;
    for (const Trap& trap : catalogue.traps) {
        const auto names = [&](FrameId id) {
            const std::string_view name = snapshot.text(snapshot.stacks.frame(id).name);
            return std::ranges::any_of(trap.signs, [&](const TrapSign& sign) {
                return sign.isByFrames()
                    && std::ranges::all_of(sign.frames, [&](std::size_t frame) {
                           return catalogue.frames[frame].isFunction(name);
                       });
            });
        };
        if (trap.in_snapshot != InSnapshot::graph
            || std::ranges::none_of(snapshot.stacks.frames(forwards.stack), names)) {
            continue;
        }
        Finding finding{std::string(kTrap),
                        {say("{}: {} in {}.", claimOf(trap), Bytes{forwards.bytes},
                             sayCounted(forwards.alive, "{} forward", "{} forwards",
                                        formatCount(forwards.alive))),
                         in.facts.moment.state, forwards.stack},
                        {forwards.bytes},
                        trap.strength};
        finding.trap = trap.id;
        for (const TrapLine& line : trap.lines) {
            addLine(line, finding.how);
        }
        out.push_back(std::move(finding));
        return;
    }
}

} // namespace

void addTraps(const CauseInput& in, std::vector<Finding>& out)
{
    addGraphTrap(in, out);
    const Facts& facts = in.facts;
    StackTraps traps(facts.snapshot);
    if (!traps.any()) {
        return;
    }
    const Trap* const refused_by = facts.isOom() ? traps.of(facts.failedStack()) : nullptr;
    traps.decide(refused_by, facts.isOom() ? refused_by : traps.of(stackOfPeak(facts)));
    std::map<const Trap*, Held> held_by; // of one array, so in its order
    for (const AllocationId a : facts.ids()) {
        const Trap* const trap = facts.isLive(a) ? traps.of(facts.stack(a)) : nullptr;
        if (trap == nullptr) {
            continue;
        }
        Held& held = held_by[trap];
        held.bytes += facts.bytes(a);
        ++held.count;
        ++held.sizes[facts.bytes(a)];
        if (facts.bytes(a) > held.largest_bytes) {
            held.largest_bytes = facts.bytes(a);
            held.largest = facts.stack(a);
        }
    }
    if (refused_by != nullptr) {
        held_by.try_emplace(refused_by);
    }
    std::vector<Finding> found;
    for (auto& [trap, held] : held_by) {
        const bool is_refused = trap == refused_by;
        if (trap->in_snapshot == InSnapshot::copy && !is_refused) {
            keepCopies(facts, *trap, traps, held);
        }
        const std::int64_t refused = is_refused ? facts.moment.requested.value : 0;
        const std::int64_t bytes = held.bytes + refused;
        if (bytes <= 0
            || static_cast<double>(bytes) < kWorthATrap * static_cast<double>(in.total())) {
            continue;
        }
        Finding finding{std::string(kTrap),
                        {sentenceOf(*trap, held, refused), facts.moment.state,
                         is_refused ? facts.failedStack() : held.largest},
                        {bytes},
                        trap->strength};
        finding.trap = trap->id;
        for (const TrapLine& line : trap->lines) {
            addLine(line, finding.how);
        }
        found.push_back(std::move(finding));
    }
    std::ranges::stable_sort(found, std::ranges::greater{},
                             [](const Finding& finding) { return finding.bytes.value; });
    std::ranges::move(found, std::back_inserter(out));
}

} // namespace tidemark::diagnose
