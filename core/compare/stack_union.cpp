// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/stack_union.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace tidemark::compare {
namespace {

using curves::StackNode;
using curves::StackTree;

/// Of "model.py:41 Attention.forward" the function.
std::string_view functionOf(std::string_view name)
{
    const std::size_t space = name.rfind(' ');
    return space == std::string_view::npos ? name : name.substr(space + 1);
}

/// A call of either run or of both.
struct Pair {
    std::optional<std::uint32_t> a;
    std::optional<std::uint32_t> b;
};

class Uniter {
public:
    Uniter(const StackTree& a, const StackTree& b)
        : m_a(a)
        , m_b(b)
    {
    }

    StackUnion run()
    {
        add({0, 0}, 0);
        // Nodes follow their parents, so the list of open pairs grows while it is gone through.
        for (std::uint32_t node = 0; node < m_pairs.size(); ++node) {
            for (const Pair& child : childrenOf(m_pairs[node])) {
                add(child, node);
            }
        }
        widen();
        return std::move(m_union);
    }

private:
    void add(const Pair& pair, std::uint32_t parent)
    {
        const auto node = static_cast<std::uint32_t>(m_pairs.size());
        const StackNode& told = pair.b ? m_b.nodes[*pair.b] : m_a.nodes[*pair.a];
        StackNode united;
        united.name = told.name;
        united.parent = parent;
        united.is_library = told.is_library;
        const auto share = [&](const StackTree& tree, const std::optional<std::uint32_t>& of) {
            if (!of) {
                return CallShare{};
            }
            const StackNode& call = tree.nodes[*of];
            for (std::size_t i = 0; i < label::kBucketCount; ++i) {
                united.buckets[i] = std::max(united.buckets[i], call.buckets[i]);
            }
            united.count = std::max(united.count, call.count);
            return CallShare{call.bytes, call.count, call.largest};
        };
        m_union.a.push_back(share(m_a, pair.a));
        m_union.b.push_back(share(m_b, pair.b));
        united.largest = told.largest;
        if (node != parent) {
            m_union.tree.nodes[parent].children.push_back(node);
        }
        m_union.tree.nodes.push_back(std::move(united));
        m_pairs.push_back(pair);
    }

    std::vector<Pair> childrenOf(const Pair& pair) const
    {
        std::vector<Pair> children;
        if (pair.a) {
            for (const std::uint32_t child : m_a.nodes[*pair.a].children) {
                children.push_back({child, std::nullopt});
            }
        }
        std::vector<std::uint32_t> left;
        if (pair.b) {
            left = m_b.nodes[*pair.b].children;
        }
        const auto match = [&](const auto& nameOf) {
            std::erase_if(left, [&](std::uint32_t b) {
                const auto partner = std::ranges::find_if(children, [&](const Pair& child) {
                    return child.a && !child.b
                        && nameOf(m_a.nodes[*child.a].name) == nameOf(m_b.nodes[b].name);
                });
                if (partner == children.end()) {
                    return false;
                }
                partner->b = b;
                return true;
            });
        };
        match([](const std::string& name) { return std::string_view(name); });
        match([](const std::string& name) { return functionOf(name); });
        for (const std::uint32_t b : left) {
            children.push_back({std::nullopt, b});
        }
        return children;
    }

    /// From the innermost calls outwards: they stand behind their callers.
    void widen()
    {
        std::vector<StackNode>& nodes = m_union.tree.nodes;
        std::vector<std::int64_t> own_a(nodes.size());
        std::vector<std::int64_t> own_b(nodes.size());
        for (std::size_t i = nodes.size(); i-- > 0;) {
            own_a[i] += m_union.a[i].bytes;
            own_b[i] += m_union.b[i].bytes;
            nodes[i].bytes += std::abs(own_b[i] - own_a[i]);
            m_union.equal += std::min(own_a[i], own_b[i]);
            if (i > 0) {
                const std::uint32_t parent = nodes[i].parent;
                nodes[parent].bytes += nodes[i].bytes;
                own_a[parent] -= m_union.a[i].bytes;
                own_b[parent] -= m_union.b[i].bytes;
            }
        }
        for (StackNode& node : nodes) {
            std::ranges::stable_sort(node.children, [&](std::uint32_t x, std::uint32_t y) {
                return nodes[x].bytes > nodes[y].bytes;
            });
        }
    }

    const StackTree& m_a;
    const StackTree& m_b;
    std::vector<Pair> m_pairs;
    StackUnion m_union;
};

} // namespace

StackUnion uniteStacks(const StackTree& a, const StackTree& b)
{
    return Uniter(a, b).run();
}

} // namespace tidemark::compare
