// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/model_tree.h"

#include "core/base/language.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace tidemark::curves {
namespace {

/// The program's word for a size, where it has one and was identified at all.
std::string whatOf(AllocationId a, label::Bucket bucket, const program::Program& program)
{
    const bool is_known = !program.dimensions.empty() && a.index() < program.size_of.size();
    const auto what = is_known ? program.sizeOf(a).what : program::TensorKind::unknown;
    return std::string(what == program::TensorKind::unknown ? label::bucketName(bucket)
                                                            : program::wordsOf(what));
}

class ModelTreeBuilder {
public:
    ModelTreeBuilder(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
                     const label::ModulePaths& paths, const label::ModulePlaces& places,
                     const program::Program& program)
        : m_replay(replay)
        , m_labels(labels)
        , m_paths(paths)
        , m_places(places)
        , m_program(program)
    {
        m_tree.nodes.emplace_back();
        m_layers.emplace_back();
    }

    ModelTree build(StateId state)
    {
        m_tree.live = replay::livingAt(m_replay, state);
        m_tree.has_modules = std::ranges::any_of(
            m_tree.live, [this](AllocationId a) { return !m_places.module[a.index()].isNone(); });
        for (const AllocationId a : m_tree.live) {
            add(a);
        }
        for (std::size_t n = 0; n < m_tree.nodes.size(); ++n) {
            m_tree.nodes[n].layers = static_cast<std::uint32_t>(m_layers[n].size());
        }
        m_now.resize(m_tree.nodes.size());
        std::iota(m_now.begin(), m_now.end(), 0U);
        dropOnlySizes();
        joinChains();
        for (std::uint32_t& node : m_tree.of) {
            while (m_now[node] != node) {
                node = m_now[node];
            }
        }
        sortChildren();
        return std::move(m_tree);
    }

private:
    std::uint32_t child(std::uint32_t parent, const std::string& name, std::int64_t size)
    {
        const auto [at, is_new] = m_known.try_emplace(
            {parent, name, size}, static_cast<std::uint32_t>(m_tree.nodes.size()));
        if (is_new) {
            ModelNode node;
            node.name = name;
            node.parent = parent;
            node.is_one_size = size >= 0;
            m_tree.nodes.push_back(std::move(node));
            m_layers.emplace_back();
            m_tree.nodes[parent].children.push_back(at->second);
        }
        return at->second;
    }

    std::uint32_t placeOf(AllocationId a)
    {
        constexpr std::int64_t kNoSize = -1;
        const label::ModuleId module = m_places.module[a.index()];
        std::uint32_t node = 0;
        if (!module.isNone()) {
            for (const std::string& part : m_paths.path(module).parts) {
                node = child(node, part, kNoSize);
            }
            return node;
        }
        if (m_tree.has_modules) {
            node = child(node, say("no stack or module"), kNoSize);
        } else if (m_places.layer[a.index()] > 0) {
            node = child(node, say("repeated blocks"), kNoSize);
        }
        const label::Bucket bucket = m_labels.bucket[a.index()];
        return child(node, std::string(label::bucketName(bucket)), kNoSize);
    }

    void add(AllocationId a)
    {
        const std::size_t i = a.index();
        const label::Bucket bucket = m_labels.bucket[i];
        const std::int64_t bytes = m_replay.allocations.requested[i].value;
        // Sizes of two buckets are two: the bucket is the lowest digit.
        const auto size = bytes * static_cast<std::int64_t>(label::kBucketCount)
            + static_cast<std::int64_t>(label::indexOf(bucket));
        std::uint32_t node = child(placeOf(a), whatOf(a, bucket, m_program), size);
        m_tree.of.push_back(node);
        while (true) {
            count(node, a, bucket, bytes);
            if (node == 0) {
                break;
            }
            node = m_tree.nodes[node].parent;
        }
    }

    void count(std::uint32_t number, AllocationId a, label::Bucket bucket, std::int64_t bytes)
    {
        ModelNode& node = m_tree.nodes[number];
        node.bytes[label::indexOf(bucket)] += bytes;
        node.total += bytes;
        if (node.count == 0 || bytes > m_replay.allocations.requested[node.largest.index()].value) {
            node.largest = a;
        }
        ++node.count;
        if (const std::uint16_t layer = m_places.layer[a.index()]; layer > 0) {
            m_layers[number].insert(layer);
        }
    }

    /// A module with one size alone says it itself.
    void dropOnlySizes()
    {
        for (std::size_t n = 1; n < m_tree.nodes.size(); ++n) {
            ModelNode& node = m_tree.nodes[n];
            if (node.children.size() == 1 && m_tree.nodes[node.children.front()].is_one_size) {
                const std::uint32_t only = std::exchange(node.children, {}).front();
                node.is_one_size = true;
                m_now[only] = static_cast<std::uint32_t>(n);
            }
        }
    }

    void joinChains()
    {
        for (std::size_t n = 1; n < m_tree.nodes.size(); ++n) {
            while (m_tree.nodes[n].children.size() == 1) {
                const std::uint32_t below = m_tree.nodes[n].children.front();
                ModelNode& node = m_tree.nodes[n];
                const ModelNode& only = m_tree.nodes[below];
                node.name += " › " + only.name;
                node.is_one_size = only.is_one_size;
                node.children = only.children;
                for (const std::uint32_t c : node.children) {
                    m_tree.nodes[c].parent = static_cast<std::uint32_t>(n);
                }
                m_now[below] = static_cast<std::uint32_t>(n);
                m_tree.nodes[below].children.clear();
            }
        }
    }

    void sortChildren()
    {
        for (ModelNode& node : m_tree.nodes) {
            std::ranges::stable_sort(node.children, [this](std::uint32_t a, std::uint32_t b) {
                return m_tree.nodes[a].total > m_tree.nodes[b].total;
            });
        }
    }

    const replay::DeviceReplay& m_replay;
    const label::DeviceLabels& m_labels;
    const label::ModulePaths& m_paths;
    const label::ModulePlaces& m_places;
    const program::Program& m_program;
    ModelTree m_tree;
    std::vector<std::set<std::uint16_t>> m_layers; ///< Per node.
    std::vector<std::uint32_t> m_now; ///< Per node: the one that took it in, or itself.
    std::map<std::tuple<std::uint32_t, std::string, std::int64_t>, std::uint32_t> m_known;
};

} // namespace

ModelTree modelTree(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
                    const label::ModulePaths& paths, const label::ModulePlaces& places,
                    const program::Program& program, StateId state)
{
    return ModelTreeBuilder(replay, labels, paths, places, program).build(state);
}

} // namespace tidemark::curves
