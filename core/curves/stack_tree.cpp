// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/stack_tree.h"

#include "core/base/language.h"
#include "core/label/stacks/stack_rules.h"
#include "core/label/stacks/stack_text.h"
#include "core/replay/by_stack.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tidemark::curves {
namespace {

/// The package that an installed file belongs to: "torch", "transformers"; "python" for the
/// standard library, "C++" for native code.
std::string packageOf(std::string_view filename, label::FrameOrigin origin)
{
    if (origin == label::FrameOrigin::native) {
        return "C++";
    }
    for (const std::string_view folder : {"site-packages/", "dist-packages/", "site-packages\\"}) {
        if (const std::size_t at = filename.rfind(folder); at != std::string_view::npos) {
            const std::string_view rest = filename.substr(at + folder.size());
            std::string_view package = rest.substr(0, rest.find_first_of("/\\"));
            package = package.substr(0, package.rfind(".py"));
            return std::string(package);
        }
    }
    return "python";
}

/// Whether an installed file has the code of a model ("modeling_llama.py"), which people look for,
/// and not what models are built of, wrapped in or run by.
bool isModel(std::string_view filename, std::string_view package)
{
    const label::StackRules::Code code = label::StackRules::builtin().codeOf(filename);
    return code.is_python && !code.is_block && !code.is_runner && !code.calls_modules
        && !code.calls_functions && package != "torch" && package != "python";
}

class StackTreeBuilder {
public:
    /// What a call is told apart by: a frame, or a package that is folded.
    struct Call {
        FrameId frame;
        std::uint32_t package = 0; ///< Index + 1 into the packages; 0: not folded.
        friend auto operator<=>(const Call&, const Call&) = default;
    };

    StackTreeBuilder(const trace::Snapshot& snapshot, const replay::DeviceReplay& replay,
                     const label::DeviceLabels& labels, const StackTreeRequest& request)
        : m_snapshot(snapshot)
        , m_replay(replay)
        , m_labels(labels)
        , m_request(request)
    {
        m_tree.nodes.emplace_back();
    }

    StackTree build()
    {
        sumStacks();
        for (const auto& [stack, sum] : m_sums) {
            if (sum.bytes > 0) {
                add(stack, sum);
            }
        }
        for (StackNode& node : m_tree.nodes) {
            std::ranges::stable_sort(node.children, std::greater<>(), [this](std::uint32_t child) {
                return m_tree.nodes[child].bytes;
            });
        }
        return std::move(m_tree);
    }

    /// What a stack is in the tree, outermost first (or from the other end); at least one call.
    std::vector<Call> callsOf(StackId stack)
    {
        const std::span<const FrameId> frames = m_snapshot.stacks.frames(stack);
        std::vector<Call> calls;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const FrameId frame =
                m_request.begins_at_callers ? frames[frames.size() - 1 - i] : frames[i];
            const FrameFacts& facts = factsOf(frame);
            if (facts.origin == label::FrameOrigin::noise
                || (m_request.folds_libraries && facts.package != 0 && !facts.is_model)) {
                continue;
            }
            const Call call{frame, 0};
            if (!m_request.folds_libraries || calls.empty() || calls.back() != call) {
                calls.push_back(call);
            }
        }
        if (calls.empty()) {
            calls.push_back(packageCall(frames));
        }
        return calls;
    }

    std::vector<AllocationId> through(const StackTree& tree, std::uint32_t node)
    {
        std::vector<const StackNode*> path;
        for (; node != 0; node = tree.nodes[node].parent) {
            path.push_back(&tree.nodes[node]);
        }
        std::ranges::reverse(path);
        const auto leads = [&](StackId stack) {
            const std::vector<Call> calls = callsOf(stack);
            return calls.size() >= path.size()
                && std::ranges::equal(path, std::span(calls).first(path.size()),
                                      [this](const StackNode* call, const Call& own) {
                                          return call->frame == own.frame
                                              && (!own.frame.isNone() || call->name == nameOf(own));
                                      });
        };
        std::vector<AllocationId> ids =
            replay::allocationsByStack(m_replay.allocations, m_snapshot.stacks, leads);
        std::erase_if(ids, [this](AllocationId a) {
            return (m_request.buckets >> label::indexOf(m_labels.bucket[a.index()]) & 1U) == 0;
        });
        return ids;
    }

private:
    /// What one stack allocated.
    struct Sum {
        label::BucketBytes buckets{};
        std::int64_t bytes = 0;
        std::int64_t count = 0;
        std::int64_t largest_bytes = -1;
        AllocationId largest;
    };
    struct FrameFacts {
        label::FrameOrigin origin = label::FrameOrigin::user;
        std::uint32_t package = 0; ///< Index + 1; 0 of the user's own.
        bool is_model = false; ///< Code of a library's model.
    };

    void count(AllocationId a, int sign)
    {
        const label::Bucket bucket = m_labels.bucket[a.index()];
        if ((m_request.buckets >> label::indexOf(bucket) & 1U) == 0) {
            return;
        }
        Sum& sum = m_sums[m_replay.allocations.stack[a.index()]];
        const std::int64_t bytes = m_replay.allocations.requested[a.index()].value;
        sum.buckets[label::indexOf(bucket)] += sign * bytes;
        sum.bytes += sign * bytes;
        sum.count += sign;
        if (sign > 0 && bytes > sum.largest_bytes) {
            sum.largest_bytes = bytes;
            sum.largest = a;
        }
    }

    void sumStacks()
    {
        const auto [first, last] = m_request.range;
        const replay::Allocations& all = m_replay.allocations;
        switch (m_request.measure) {
        case StackMeasure::live:
            for (const AllocationId a : replay::livingAt(m_replay, last)) {
                count(a, 1);
            }
            break;
        case StackMeasure::grown:
            for (const AllocationId a : replay::livingAt(m_replay, last)) {
                count(a, 1);
            }
            for (const AllocationId a : replay::livingAt(m_replay, first)) {
                count(a, -1);
            }
            break;
        case StackMeasure::allocated:
        case StackMeasure::kept:
            for (std::size_t i = 0; i < all.count(); ++i) {
                const bool begins = all.begin[i] > first && all.begin[i] <= last;
                const bool counts =
                    begins && (m_request.measure == StackMeasure::allocated || all.end[i] > last);
                if (counts) {
                    count(AllocationId(i), 1);
                }
            }
            break;
        }
    }

    const FrameFacts& factsOf(FrameId frame)
    {
        const auto [at, is_new] = m_facts.try_emplace(frame.index());
        if (is_new) {
            FrameFacts& facts = at->second;
            facts.origin = label::frameOrigin(m_snapshot, frame);
            if (facts.origin == label::FrameOrigin::library
                || facts.origin == label::FrameOrigin::native) {
                const std::string package = packageOf(
                    m_snapshot.strings.text(m_snapshot.stacks.frame(frame).filename), facts.origin);
                const auto [known, is_first] = m_package_index.try_emplace(
                    package, static_cast<std::uint32_t>(m_packages.size() + 1));
                if (is_first) {
                    m_packages.push_back(package);
                }
                facts.package = known->second;
                facts.is_model = isModel(
                    m_snapshot.strings.text(m_snapshot.stacks.frame(frame).filename), package);
            }
        }
        return at->second;
    }

    [[nodiscard]] std::string nameOf(const Call& call) const
    {
        return call.package != 0  ? m_packages[call.package - 1]
            : call.frame.isNone() ? say("no stack recorded")
                                  : label::frameText(m_snapshot, call.frame);
    }

    std::uint32_t child(std::uint32_t parent, const Call& call)
    {
        const auto [at, is_new] =
            m_known.try_emplace({parent, call}, static_cast<std::uint32_t>(m_tree.nodes.size()));
        if (is_new) {
            StackNode node;
            node.parent = parent;
            node.is_library =
                call.package != 0 || (!call.frame.isNone() && factsOf(call.frame).package != 0);
            node.frame = call.frame;
            node.name = nameOf(call);
            m_tree.nodes.push_back(std::move(node));
            m_tree.nodes[parent].children.push_back(at->second);
        }
        return at->second;
    }

    /// The package of a stack in which nothing is the user's own.
    Call packageCall(std::span<const FrameId> frames)
    {
        const FrameId frame =
            label::ownFrame(frames, [this](FrameId f) { return factsOf(f).origin; });
        return frame.isNone() || factsOf(frame).origin == label::FrameOrigin::noise
            ? Call{}
            : Call{FrameId::none(), factsOf(frame).package};
    }

    void add(StackId stack, const Sum& sum)
    {
        std::uint32_t node = 0;
        addTo(node, sum);
        for (const Call& call : callsOf(stack)) {
            node = child(node, call);
            addTo(node, sum);
        }
        m_tree.ends.emplace_back(stack, node);
    }

    void addTo(std::uint32_t index, const Sum& sum)
    {
        StackNode& node = m_tree.nodes[index];
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            node.buckets[b] += sum.buckets[b];
        }
        node.bytes += sum.bytes;
        node.count += sum.count;
        const auto sizeOf = [this](AllocationId a) {
            return a.isNone() ? -1 : m_replay.allocations.requested[a.index()].value;
        };
        if (sizeOf(sum.largest) > sizeOf(node.largest)) {
            node.largest = sum.largest;
        }
    }

    const trace::Snapshot& m_snapshot;
    const replay::DeviceReplay& m_replay;
    const label::DeviceLabels& m_labels;
    const StackTreeRequest& m_request;
    StackTree m_tree;
    std::map<StackId, Sum> m_sums;
    std::unordered_map<std::size_t, FrameFacts> m_facts; ///< By the frame's index.
    std::map<std::string, std::uint32_t> m_package_index;
    std::vector<std::string> m_packages;
    std::map<std::pair<std::uint32_t, Call>, std::uint32_t> m_known;
};

/// Without what folded stacks mean something by.
std::string plainName(const std::string& name)
{
    std::string plain = name;
    std::ranges::replace_if(
        plain, [](char c) { return c == ';' || static_cast<unsigned char>(c) < ' '; }, '_');
    return plain;
}

} // namespace

std::string StackTree::folded(std::uint32_t node) const
{
    std::vector<std::uint32_t> chain;
    for (; node != 0; node = nodes[node].parent) {
        chain.push_back(node);
    }
    std::string text;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
        text += (text.empty() ? "" : ";") + plainName(nodes[*at].name);
    }
    return text;
}

std::uint32_t StackTree::endOf(StackId stack) const
{
    const auto end =
        std::ranges::lower_bound(ends, stack, {}, &std::pair<StackId, std::uint32_t>::first);
    return end != ends.end() && end->first == stack ? end->second : 0;
}

std::vector<AllocationId> allocationsThrough(const trace::Snapshot& snapshot,
                                             const replay::DeviceReplay& replay,
                                             const label::DeviceLabels& labels,
                                             const StackTreeRequest& request, const StackTree& tree,
                                             std::uint32_t node)
{
    return StackTreeBuilder(snapshot, replay, labels, request).through(tree, node);
}

StackTree stackTree(const trace::Snapshot& snapshot, const replay::DeviceReplay& replay,
                    const label::DeviceLabels& labels, const StackTreeRequest& request)
{
    return StackTreeBuilder(snapshot, replay, labels, request).build();
}

std::string foldedStacks(const StackTree& tree)
{
    std::vector<std::pair<std::int64_t, std::uint32_t>> own;
    for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) {
        std::int64_t bytes = tree.nodes[i].bytes;
        for (const std::uint32_t child : tree.nodes[i].children) {
            bytes -= tree.nodes[child].bytes;
        }
        if (bytes > 0) {
            own.emplace_back(bytes, i);
        }
    }
    std::ranges::stable_sort(own, std::greater<>(), &std::pair<std::int64_t, std::uint32_t>::first);
    std::string text;
    for (const auto& [bytes, node] : own) {
        text += tree.folded(node) + ' ' + std::to_string(bytes) + '\n';
    }
    return text;
}

} // namespace tidemark::curves
