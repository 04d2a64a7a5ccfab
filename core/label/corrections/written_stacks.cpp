// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/written_stacks.h"

#include "core/base/keyed_hash.h"
#include "core/base/text_finder.h"
#include "core/label/stacks/stack_rules.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace tidemark::label {
namespace {

using Numbers = std::vector<std::uint32_t>;
using Node = std::uint32_t;
constexpr std::uint32_t kNone = 0xffffffff;

bool isSeparator(char c)
{
    return c == '/' || c == '\\';
}

/// Whether a path that ends in another, which is not empty, does so at a separator.
bool isPathEnd(std::string_view path, std::string_view end)
{
    return path.size() == end.size() || isSeparator(end.front())
        || isSeparator(path[path.size() - end.size() - 1]);
}

std::vector<FrameText> withoutNoise(const std::vector<FrameText>& frames)
{
    std::vector<FrameText> kept;
    std::ranges::copy_if(frames, std::back_inserter(kept), [](const FrameText& frame) {
        return !StackRules::builtin().isNoise(frame.name, frame.filename);
    });
    return kept.empty() ? frames : kept;
}

/// The paths that rules write, and which of them a file of the snapshot is meant by.
class WrittenFiles {
public:
    std::uint32_t add(const std::string& path)
    {
        const auto next = static_cast<std::uint32_t>(m_paths.size());
        const auto [it, is_new] = m_numbers.try_emplace(path, next);
        if (is_new) {
            m_paths.push_back(it->first);
        }
        return it->second;
    }
    /// To be called once, when all are there.
    void index()
    {
        for (std::uint32_t n = 0; n < m_paths.size(); ++n) {
            if (m_paths[n].empty()) {
                m_empty = n;
            } else {
                m_indexed.push_back(n);
            }
        }
        std::vector<std::string_view> texts;
        for (const std::uint32_t n : m_indexed) {
            texts.push_back(m_paths[n]);
        }
        m_finder.emplace(texts);
    }
    [[nodiscard]] Numbers of(std::string_view file) const
    {
        if (file.empty()) {
            return m_empty == kNone ? Numbers() : Numbers{m_empty};
        }
        Numbers found;
        m_finder->findEndings(file, found);
        Numbers meant;
        for (const std::uint32_t i : found) {
            if (isPathEnd(file, m_paths[m_indexed[i]])) {
                meant.push_back(m_indexed[i]);
            }
        }
        return meant;
    }

private:
    std::map<std::string, std::uint32_t, std::less<>> m_numbers;
    std::vector<std::string_view> m_paths; ///< By number.
    Numbers m_indexed; ///< Those that are not empty.
    std::uint32_t m_empty = kNone; ///< The one that is.
    std::optional<TextFinder> m_finder;
};

/// Written stacks as a tree: those that begin alike, innermost first, share nodes.
class Tree {
public:
    explicit Tree(const trace::Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_meant_by(snapshot.stacks.frameCount())
        , m_is_known(snapshot.stacks.frameCount(), false)
    {
    }

    /// `number`: of the stack.
    void add(const std::vector<FrameText>& stack, std::uint32_t number)
    {
        Node node = 0;
        for (const FrameText& frame : withoutNoise(stack)) {
            const StringId name = m_snapshot.strings.find(frame.name);
            if (name.isNone() && !frame.name.empty()) {
                return; // No frame has it.
            }
            const Key key{frame.name.empty() ? StringId::none() : name, m_files.add(frame.filename),
                          frame.line};
            const auto frame_number =
                m_frames.try_emplace(key, static_cast<std::uint32_t>(m_frames.size()))
                    .first->second;
            const auto next = static_cast<Node>(m_stacks_at.size());
            const auto [it, is_new] = m_below.try_emplace(edge(node, frame_number), next);
            if (is_new) {
                m_stacks_at.emplace_back();
            }
            node = it->second;
        }
        m_stacks_at[node].push_back(number);
    }
    /// To be called once, when all are there.
    void index()
    {
        m_files.index();
    }
    /// The written stacks that mean these frames.
    [[nodiscard]] Numbers meaning(std::span<const FrameId> frames)
    {
        Numbers nodes{0};
        for (const FrameId id : frames) {
            const Numbers& meant_by = framesMeaning(id);
            Numbers below;
            for (const Node node : nodes) {
                for (const std::uint32_t frame : meant_by) {
                    const auto it = m_below.find(edge(node, frame));
                    if (it != m_below.end()) {
                        below.push_back(it->second);
                    }
                }
            }
            if (below.empty()) {
                return below;
            }
            nodes = std::move(below);
        }
        Numbers stacks;
        for (const Node node : nodes) {
            stacks.insert(stacks.end(), m_stacks_at[node].begin(), m_stacks_at[node].end());
        }
        return stacks;
    }

private:
    using Key = std::tuple<StringId, std::uint32_t, std::int32_t>; ///< Name, path, line.

    static std::uint64_t edge(Node node, std::uint32_t frame)
    {
        return (std::uint64_t{node} << 32) | frame;
    }
    const Numbers& framesMeaning(FrameId id)
    {
        Numbers& meant_by = m_meant_by[id.index()];
        if (!m_is_known[id.index()]) {
            m_is_known[id.index()] = true;
            const Frame& frame = m_snapshot.stacks.frame(id);
            const bool has_name = !m_snapshot.text(frame.name).empty();
            const auto addFrame = [&](std::uint32_t file, std::int32_t line) {
                const auto it =
                    m_frames.find({has_name ? frame.name : StringId::none(), file, line});
                if (it != m_frames.end()) {
                    meant_by.push_back(it->second);
                }
            };
            for (const std::uint32_t file : filesMeaning(frame.filename)) {
                addFrame(file, 0); // Any line.
                if (frame.line != 0) {
                    addFrame(file, frame.line);
                }
            }
        }
        return meant_by;
    }
    const Numbers& filesMeaning(StringId file)
    {
        const auto [it, is_new] = m_files_meaning.try_emplace(file);
        if (is_new) {
            it->second = m_files.of(m_snapshot.text(file));
        }
        return it->second;
    }

    const trace::Snapshot& m_snapshot;
    WrittenFiles m_files;
    std::map<Key, std::uint32_t> m_frames; ///< Written frames, numbered.
    std::unordered_map<std::uint64_t, Node, KeyedNumberHash> m_below; ///< By node and frame.
    std::vector<Numbers> m_stacks_at{1}; ///< Per node: the written stacks that end there.
    std::vector<Numbers> m_meant_by; ///< Per frame of the snapshot: written ones.
    std::vector<bool> m_is_known;
    std::unordered_map<StringId, Numbers> m_files_meaning;
};

} // namespace

std::optional<std::vector<std::vector<StackId>>>
findWrittenStacks(const trace::Snapshot& snapshot,
                  std::span<const std::vector<FrameText>* const> written, std::size_t most)
{
    std::vector<std::vector<StackId>> found(written.size());
    if (written.empty()) {
        return found;
    }
    Tree tree(snapshot);
    for (std::size_t w = 0; w < written.size(); ++w) {
        tree.add(*written[w], static_cast<std::uint32_t>(w));
    }
    tree.index();
    std::vector<bool> is_noise(snapshot.stacks.frameCount());
    for (std::size_t f = 0; f < is_noise.size(); ++f) {
        is_noise[f] = frameOrigin(snapshot, FrameId(f)) == FrameOrigin::noise;
    }
    std::size_t count = 0;
    std::vector<FrameId> telling;
    for (std::size_t s = 0; s < snapshot.stacks.stackCount(); ++s) {
        std::span<const FrameId> frames = snapshot.stacks.frames(StackId(s));
        telling.clear();
        std::ranges::copy_if(frames, std::back_inserter(telling),
                             [&](FrameId f) { return !is_noise[f.index()]; });
        for (const std::uint32_t w : tree.meaning(telling.empty() ? frames : telling)) {
            found[w].push_back(StackId(s));
            if (++count > most) {
                return std::nullopt;
            }
        }
    }
    return found;
}

} // namespace tidemark::label
