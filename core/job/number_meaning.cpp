// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/number_meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tidemark::job {
namespace {

/// The readings whose numbers mean the same: their paths differ in fields and numbers alone.
class NameFamily {
public:
    NameFamily(std::vector<PathReading>& readings, PathIndices members)
        : m_readings(readings)
        , m_members(std::move(members))
        , m_slots(slots(m_members.front()).size())
    {
    }

    void resolve()
    {
        const std::optional<std::size_t> rank = rankSlot();
        const bool is_likely = rank && looksLikeRanks(*rank);
        for (const std::size_t i : m_members) {
            if (rank && slots(i)[*rank].may_be_rank
                && (is_likely || slots(i)[*rank].word != SlotWord::bare)) {
                m_readings[i].rank = rank;
                m_readings[i].name.rank = static_cast<std::uint32_t>(slots(i)[*rank].value);
            }
        }
        const std::optional<std::size_t> step = stepSlot(rank);
        for (const std::size_t i : m_members) {
            if (step && !m_readings[i].fields.step && slots(i)[*step].may_be_step) {
                m_readings[i].step = step;
                m_readings[i].fields.step = static_cast<std::int64_t>(slots(i)[*step].value);
            }
        }
    }

private:
    [[nodiscard]] const std::vector<Slot>& slots(std::size_t member) const
    {
        return m_readings[member].fields.slots;
    }
    [[nodiscard]] SlotWord wordOf(std::size_t slot) const
    {
        SlotWord word = SlotWord::bare;
        for (const std::size_t i : m_members) {
            word = std::max(word, slots(i)[slot].word);
        }
        return word;
    }
    template <class Holds>
    [[nodiscard]] bool anyOf(Holds holds) const
    {
        return std::ranges::any_of(m_members, holds);
    }
    [[nodiscard]] bool varies(std::size_t slot) const
    {
        return anyOf([&](std::size_t i) {
            return slots(i)[slot].value != slots(m_members.front())[slot].value;
        });
    }

    /// Whether two members differ in this number alone.
    [[nodiscard]] bool differsAlone(std::size_t slot) const
    {
        std::map<std::string, std::uint64_t> seen;
        for (const std::size_t i : m_members) {
            const PathFields& fields = m_readings[i].fields;
            std::string others =
                fmt::format("{}|{}|{}|{}", fields.step.value_or(-1), static_cast<int>(fields.kind),
                            fields.host, fields.world_size.value_or(0));
            for (const PathItem& item : fields.items) {
                if (item.role == PathItem::Role::moment) {
                    others.append("|").append(item.text);
                }
            }
            for (std::size_t k = 0; k < m_slots; ++k) {
                others += k == slot ? "|*" : fmt::format("|{}", fields.slots[k].value);
            }
            const auto [at, is_new] = seen.emplace(std::move(others), fields.slots[slot].value);
            if (!is_new && at->second != fields.slots[slot].value) {
                return true;
            }
        }
        return false;
    }

    /// Ranks begin at 0 and leave few out: 100, 200, 300 are none.
    [[nodiscard]] bool looksLikeRanks(std::size_t slot) const
    {
        std::set<std::uint64_t> values;
        bool is_glued = false;
        for (const std::size_t i : m_members) {
            values.insert(slots(i)[slot].value);
            is_glued = is_glued || slots(i)[slot].is_glued;
        }
        const std::uint64_t most = *values.rbegin();
        if (is_glued && wordOf(slot) == SlotWord::bare) {
            return most + 1 == values.size(); // 0, 1, 2, …
        }
        constexpr std::uint64_t kFew = 16;
        constexpr std::uint64_t kSparse = 8;
        return most < kFew || most < values.size() * kSparse;
    }

    [[nodiscard]] std::optional<std::size_t> rankSlot() const
    {
        for (const SlotWord word : {SlotWord::rank, SlotWord::process}) {
            PathIndices found;
            for (std::size_t k = 0; k < m_slots; ++k) {
                if (wordOf(k) == word
                    && anyOf([&](std::size_t i) { return slots(i)[k].may_be_rank; })) {
                    found.push_back(k);
                }
            }
            const auto keepIf = [&](const auto& holds) {
                if (std::ranges::any_of(found, holds)) {
                    std::erase_if(found, [&](std::size_t k) { return !holds(k); });
                }
            };
            keepIf([&](std::size_t k) { return !slots(m_members.front())[k].is_local; });
            keepIf([&](std::size_t k) { return varies(k); });
            if (found.empty()) {
                continue;
            }
            const bool is_sure = word == SlotWord::rank || varies(found.back())
                || slots(m_members.front())[found.back()].stands_alone;
            if (is_sure) {
                return found.back();
            }
        }
        // Of several the one that begins at 0 without gaps, then the last.
        std::optional<std::size_t> best;
        for (std::size_t k = 0; k < m_slots; ++k) {
            const bool may_be = std::ranges::all_of(m_members, [&](std::size_t i) {
                return slots(i)[k].may_be_rank && slots(i)[k].word == SlotWord::bare;
            });
            if (may_be && looksLikeRanks(k) && differsAlone(k)
                && (!best || isDense(k) || !isDense(*best))) {
                best = k;
            }
        }
        return best;
    }
    [[nodiscard]] bool isDense(std::size_t slot) const
    {
        std::set<std::uint64_t> values;
        for (const std::size_t i : m_members) {
            values.insert(slots(i)[slot].value);
        }
        return *values.rbegin() + 1 == values.size();
    }

    /// "group_0/rank0", "group_1/rank0": folders with words, numbered from 0.
    [[nodiscard]] bool numbersFolders(std::size_t slot,
                                      const std::optional<std::size_t>& rank) const
    {
        std::size_t own = 0;
        std::size_t others = 0;
        std::optional<std::size_t> rank_folder;
        const std::vector<PathItem>& items = m_readings[m_members.front()].fields.items;
        const auto isSlot = [](const PathItem& item, std::optional<std::size_t> index) {
            return item.role == PathItem::Role::slot && item.slot == index;
        };
        for (const PathItem& item : items) {
            own = isSlot(item, slot) ? item.folder : own;
            rank_folder = isSlot(item, rank) ? std::optional(item.folder) : rank_folder;
        }
        for (const PathItem& item : items) {
            others += item.folder == own && !isSlot(item, slot) ? 1U : 0U;
        }
        return rank_folder && *rank_folder > own && others > 0 && isDense(slot);
    }

    /// "rank0.18": behind the rank; else the only number that differs among one rank's dumps.
    [[nodiscard]] std::optional<std::size_t> stepSlot(const std::optional<std::size_t>& rank) const
    {
        std::optional<std::size_t> found;
        for (std::size_t k = 0; k < m_slots; ++k) {
            const bool may_be = k != rank && wordOf(k) == SlotWord::bare
                && anyOf([&](std::size_t i) { return slots(i)[k].may_be_step; })
                && !numbersFolders(k, rank);
            if (may_be && rank && k == *rank + 1 && slots(m_members.front())[k].follows) {
                return k;
            }
            if (may_be && differsAlone(k)) {
                if (found) {
                    return std::nullopt;
                }
                found = k;
            }
        }
        return found;
    }

    std::vector<PathReading>& m_readings;
    PathIndices m_members;
    std::size_t m_slots;
};

} // namespace

std::string familyKey(const PathFields& fields)
{
    std::string key;
    std::size_t folder = 0;
    for (const PathItem& item : fields.items) {
        if (item.role == PathItem::Role::neutral || item.role == PathItem::Role::moment) {
            continue;
        }
        if (item.folder != folder && !key.empty()) {
            key += '/';
        }
        folder = item.folder;
        key.append(item.text).append(item.role == PathItem::Role::slot ? "#" : "_");
    }
    return key;
}

void findRanks(std::vector<PathReading>& readings, const PathIndices& members)
{
    NameFamily(readings, members).resolve();
}

} // namespace tidemark::job
