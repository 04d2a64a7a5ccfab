// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/bounded_json.h"

#include "core/base/json_depth.h"
#include "core/base/language.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::report {
namespace {

constexpr std::size_t kShortestText = 80; ///< Bytes that a text keeps.

/// One list that may be cut, and how much it takes.
struct CutPlace {
    Json* list = nullptr;
    std::string at; ///< "devices[].allocations"
    std::size_t bytes = 0;
};

class Bounder {
public:
    Bounder(Json answer, std::size_t whole, std::size_t most)
        : m_answer(std::move(answer))
        , m_whole(whole)
        , m_most(most)
    {
    }

    Result<std::string> fit()
    {
        std::string text = written();
        while (text.size() > m_most) {
            const std::size_t before = text.size();
            if (!cutLists(text.size()) && !cutTexts()) {
                return tooSmall(before);
            }
            text = written();
        }
        return text;
    }

private:
    /// Of an answer cut as far as it goes; what fits whole is not cut, and a larger limit may take
    /// more digits.
    [[nodiscard]] Error tooSmall(std::size_t cut) const
    {
        const auto digits = [](std::size_t number) { return std::to_string(number).size(); };
        std::size_t least = cut;
        while (least + digits(m_most) < cut + digits(least)) {
            ++least;
        }
        least = std::min(least, m_whole);
        return {ErrorCode::badArgument,
                say("The answer takes at least {} bytes; raise --max-bytes.", least),
                {}};
    }

    /// With what was cut, and the line end.
    [[nodiscard]] std::string written() const
    {
        Json lists = Json::array();
        for (const auto& [at, left_out] : m_left_out) {
            lists.push_back({{"at", at}, {"left_out", left_out}});
        }
        Json all = m_answer;
        all["cut"] = {
            {"max_bytes", m_most}, {"lists", std::move(lists)}, {"texts", m_cut_texts.size()}};
        return toString(all) + '\n';
    }

    /// Bytes of a value; finds the lists on the way.
    std::size_t measure(Json& value, const std::string& at, std::vector<CutPlace>& places)
    {
        if (value.is_object()) {
            std::size_t bytes = 2;
            for (auto& item : value.items()) {
                bytes += item.key().size() + 4
                    + measure(item.value(), at.empty() ? item.key() : at + '.' + item.key(),
                              places);
            }
            return bytes;
        }
        if (value.is_array()) {
            std::size_t bytes = 2;
            for (Json& item : value) {
                bytes += 1 + measure(item, at + "[]", places);
            }
            // Intervals and columns: what is missing in one would not be in another.
            const bool is_of_numbers = std::ranges::all_of(
                value, [](const Json& item) { return item.is_number() || item.is_null(); });
            if (!is_of_numbers) {
                places.push_back({&value, at, bytes});
            }
            return bytes;
        }
        return value.is_string() ? value.get_ref<const std::string&>().size() + 2
                                 : value.dump().size();
    }

    /// Moments of a run: half of them are still the whole run.
    static bool isOfMoments(const Json& list)
    {
        std::int64_t last = -2;
        for (const Json& item : list) {
            const auto event = item.is_object() ? item.find("event") : item.end();
            if (event == item.end() || !event->is_number_integer()
                || event->get<std::int64_t>() < last) {
                return false;
            }
            last = event->get<std::int64_t>();
        }
        return true;
    }

    /// Halves lists of one place, the one that has most to give: lists inside the items of others
    /// when they are longer than those. One item stays. False: there is none.
    bool cutLists(std::size_t bytes)
    {
        std::vector<CutPlace> places;
        measure(m_answer, "", places);
        struct Sum {
            std::size_t bytes = 0;
            std::size_t longest = 0;
        };
        std::map<std::string, Sum> sums;
        for (const CutPlace& place : places) {
            Sum& sum = sums[place.at];
            sum.bytes += place.bytes;
            sum.longest = std::max(sum.longest, place.list->size());
        }
        std::erase_if(sums, [](const auto& one) { return one.second.longest < 2; });
        if (sums.empty()) {
            return false;
        }
        // From the outside in: a list inside is chosen where it is longer and takes most.
        auto chosen =
            std::ranges::max_element(sums, {}, [](const auto& one) { return one.second.bytes; });
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (auto inner = sums.begin(); inner != sums.end(); ++inner) {
                if (inner->first.starts_with(chosen->first + "[]")
                    && inner->second.longest > chosen->second.longest
                    && inner->second.bytes * 2 > chosen->second.bytes) {
                    chosen = inner;
                    goes_on = true;
                    break;
                }
            }
        }
        const std::string at = chosen->first;
        const std::size_t longest = chosen->second.longest;
        // As many as the bytes that are too many, at most half.
        const double excess = static_cast<double>(bytes - m_most)
            / static_cast<double>(std::max<std::size_t>(chosen->second.bytes, 1));
        const auto kept = static_cast<std::size_t>(static_cast<double>(longest)
                                                   * std::max(0.5, 1 - 1.05 * excess));
        for (const CutPlace& place : places) {
            if (place.at == at) {
                shorten(*place.list, std::clamp<std::size_t>(kept, 1, longest - 1));
            }
        }
        recount();
        return true;
    }

    void shorten(Json& list, std::size_t kept)
    {
        if (list.size() <= kept) {
            return;
        }
        const std::size_t before = m_lengths.try_emplace(&list, list.size()).first->second;
        if (kept > 2 && isOfMoments(list)) {
            forget(list); // Its items move.
            Json some = Json::array();
            for (std::size_t i = 0; i < kept; ++i) {
                some.push_back(std::move(list[i * (list.size() - 1) / (kept - 1)]));
            }
            list = std::move(some);
            m_lengths[&list] = before;
        } else {
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept), list.end());
        }
    }

    void forget(const Json& value)
    {
        m_lengths.erase(&value);
        if (value.is_structured()) {
            for (const Json& item : value) {
                forget(item);
            }
        }
    }

    /// What is missing where; lists that went with others say nothing more.
    void recount()
    {
        m_left_out.clear();
        countIn(m_answer, "");
    }
    void countIn(Json& value, const std::string& at)
    {
        if (value.is_array()) {
            if (const auto known = m_lengths.find(&value);
                known != m_lengths.end() && known->second > value.size()) {
                m_left_out[at] += known->second - value.size();
            }
            for (Json& item : value) {
                countIn(item, at + "[]");
            }
        } else if (value.is_object()) {
            for (auto& item : value.items()) {
                countIn(item.value(), at.empty() ? item.key() : at + '.' + item.key());
            }
        }
    }

    /// The longest texts, to half of the longest. False: all are short.
    bool cutTexts()
    {
        std::size_t longest = 0;
        eachText(m_answer, [&](std::string& text) { longest = std::max(longest, text.size()); });
        if (longest <= kShortestText) {
            return false;
        }
        const std::size_t kept = std::max(kShortestText, longest / 2);
        eachText(m_answer, [&](std::string& text) {
            if (text.size() > kept) {
                std::size_t end = kept - 3;
                while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
                    --end; // Between characters.
                }
                text.resize(end);
                text += "…";
                m_cut_texts.insert(&text); // Lists stay by now, so texts do not move.
            }
        });
        return true;
    }
    template <class Do>
    static void eachText(Json& value, const Do& act)
    {
        if (value.is_string()) {
            act(value.get_ref<std::string&>());
        } else if (value.is_structured()) {
            for (Json& item : value) {
                eachText(item, act);
            }
        }
    }

    Json m_answer;
    std::size_t m_whole; ///< Bytes of the answer as it was.
    std::size_t m_most;
    std::map<const Json*, std::size_t> m_lengths; ///< Of lists that were cut: what they were.
    std::map<std::string, std::size_t> m_left_out;
    std::set<const std::string*> m_cut_texts; ///< Some are cut more than once.
};

} // namespace

Result<std::string> boundedJson(std::string_view answer, std::size_t most)
{
    if (answer.size() <= most) {
        return std::string(answer);
    }
    Json json = Json::parse(answer, limitJsonDepth, false);
    if (!json.is_object()) {
        return Error{ErrorCode::badArgument,
                     say("The answer takes at least {} bytes; raise --max-bytes.", answer.size()),
                     {}};
    }
    return Bounder(std::move(json), answer.size(), most).fit();
}

} // namespace tidemark::report
