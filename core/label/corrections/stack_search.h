// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/corrections.h"
#include "core/label/corrections/frame_uses.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::label {

/// Which stacks each of many corrections means. The texts of all are looked for in one reading of
/// the names and files, and written stacks in one of the stacks: what rules cost is what they find.
/// For use inside core/label.
class StackSearch {
public:
    /// Numbers of 4 bytes that are kept of what rules find.
    static constexpr std::size_t kMostKept = std::size_t{1} << 24;

    /// Serves the first rules of the list: as many as find no more than is kept, one at least.
    /// `uses`: of the snapshot; null if no rule has a text. All must outlive it. O(n log n) of the
    /// texts and frames, and what is found.
    StackSearch(const trace::Snapshot& snapshot, const FrameUses* uses,
                std::span<const Correction> rules, std::size_t most_kept = kMostKept);

    /// The number of rules that are served.
    [[nodiscard]] std::size_t count() const
    {
        return m_query_of.size();
    }
    /// Whether a rule asks for stacks at all. If not, nothing below is to be asked.
    [[nodiscard]] bool asks(std::size_t rule) const
    {
        return m_query_of[rule] != kNone;
    }
    /// Whether a rule means a stack, none included. O(frames × log texts found).
    [[nodiscard]] bool isMeant(std::size_t rule, StackId stack) const;
    /// All stacks that a rule means, in order; valid until the next call. O(cost(rule)) for the
    /// first rule that asks for them.
    [[nodiscard]] std::span<const StackId> stacks(std::size_t rule);
    /// How many frames there are to look at for `stacks`.
    [[nodiscard]] std::size_t cost(std::size_t rule) const;

private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    /// Which texts and which written stack a rule asks for.
    struct Query {
        std::uint32_t function = kNone;
        std::uint32_t file = kNone;
        std::uint32_t written = kNone;
    };
    /// Texts of rules, and in which of the distinct texts of frames each occurs.
    struct Texts {
        std::unordered_map<std::string_view, std::uint32_t> numbers;
        std::vector<std::string_view> texts;
        std::vector<std::vector<std::uint32_t>> places; ///< Numbers of FrameTexts, in order.
        std::vector<std::size_t> uses; ///< Places in stacks.

        std::uint32_t add(const std::string& text);
        /// False, without all of them: there are more than `most` places, which counts down.
        bool findIn(const FrameTexts& part, std::size_t& most);
        /// Whether a text occurs in another of a number; any does in no text.
        [[nodiscard]] bool occurs(std::uint32_t text, std::uint32_t place) const;
    };

    /// False: the rules find more than `most`.
    bool search(std::span<const Correction> rules, std::size_t most);
    /// The written stacks that the rules ask for, each once.
    std::vector<const std::vector<FrameText>*> addQueries(std::span<const Correction> rules);
    [[nodiscard]] bool hasFrame(const Query& query, std::span<const FrameId> frames) const;
    [[nodiscard]] std::vector<StackId> stacksWithFrame(const Query& query) const;

    const trace::Snapshot& m_snapshot;
    const FrameUses* m_uses;
    std::size_t m_most_kept;
    std::vector<std::uint32_t> m_query_of; ///< Per rule.
    std::vector<Query> m_queries;
    Texts m_functions;
    Texts m_files;
    std::vector<std::vector<StackId>> m_written; ///< Per written stack those that it means.
    std::unordered_map<std::uint32_t, std::vector<StackId>> m_listed; ///< By query.
    std::size_t m_listed_size = 0;
};

} // namespace tidemark::label
