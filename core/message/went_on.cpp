// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/went_on.h"

#include "core/base/ascii.h"
#include "core/message/line_prefix.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLookAround = std::size_t{1} << 20; ///< Bytes on either side of the error.
constexpr std::size_t kLongestCounted = 400; ///< Bytes of a line.
constexpr int kProven = 2; ///< Rises: one more line may be another process's.

/// A number of a line that counts how far a run is.
struct LineCounter {
    std::string key; ///< The letters before it: what the same statement prints each time.
    std::int64_t value = 0;
    std::string text; ///< "step 40", "200/5000"
};

std::string lettersOf(std::string_view text)
{
    std::string letters;
    for (const char c : text) {
        if (isLetter(c)) {
            letters += lowered(c);
        }
    }
    return letters;
}

/// The word that a number belongs to, "step" of "global_step=40"; empty: none that counts.
std::string_view countedWord(std::string_view before)
{
    static constexpr std::array<std::string_view, 9> kWords{
        "step", "steps", "iter", "iters", "iteration", "iterations", "batch", "update", "epoch"};
    before = before.substr(0, before.find_last_not_of(" :=#[('\"") + 1);
    std::size_t from = before.size();
    while (from > 0 && isLetter(before[from - 1])) {
        --from;
    }
    const std::string_view word = before.substr(from);
    return std::ranges::find(kWords, lowered(word)) == kWords.end() ? std::string_view() : word;
}

/// The digits at a place; empty where they are part of a word, a fraction, a time or a date.
std::string_view wholeNumberAt(std::string_view line, std::size_t at)
{
    static constexpr std::size_t kMostDigits = 15;
    std::size_t end = at;
    while (end < line.size() && isDigit(line[end])) {
        ++end;
    }
    const auto joins = [](char c) { return isLetter(c) || c == '.' || c == '-'; };
    const bool begins = at == 0 || (!joins(line[at - 1]) && line[at - 1] != '/');
    const bool ends = end == line.size() || !joins(line[end])
        || (line[end] == '.' && (end + 1 == line.size() || !isDigit(line[end + 1])));
    const bool is_time = end + 1 < line.size() && line[end] == ':' && isDigit(line[end + 1]);
    return begins && ends && !is_time && end - at <= kMostDigits ? line.substr(at, end - at)
                                                                 : std::string_view();
}

std::vector<LineCounter> countersOf(std::string_view line)
{
    line = line.substr(0, kLongestCounted);
    std::vector<LineCounter> counters;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (!isDigit(line[at])) {
            continue;
        }
        const std::string_view number = wholeNumberAt(line, at);
        const std::string_view before = line.substr(0, at);
        while (at + 1 < line.size() && isDigit(line[at + 1])) {
            ++at;
        }
        if (number.empty()) {
            continue;
        }
        const std::int64_t value = std::stoll(std::string(number));
        const std::string_view word = countedWord(before);
        if (!word.empty()) {
            counters.push_back(
                {lettersOf(before), value, std::string(word) + ' ' + std::string(number)});
            continue;
        }
        const std::string_view behind = trimmed(line.substr(at + 1));
        const std::string_view most =
            behind.starts_with('/') ? trimmed(behind.substr(1)) : std::string_view();
        const std::string_view all =
            !most.empty() && isDigit(most.front()) ? wholeNumberAt(most, 0) : std::string_view();
        if (!all.empty() && value <= std::stoll(std::string(all))) {
            const std::string of = '/' + std::string(all);
            counters.push_back({lettersOf(before) + of, value, std::string(number) + of});
        }
    }
    return counters;
}

/// What a process prints that begins or ends, or a launcher of one.
bool isOfAnotherStart(std::string_view small)
{
    static constexpr std::array<std::string_view, 14> kWords{
        "exitcode", "exit code",   "childfailed",     "restart", "resum",
        "loading",  "loaded",      "from checkpoint", "sigkill", "sigterm",
        "elastic",  "core dumped", "aborted",         "srun:"};
    return std::ranges::any_of(
        kWords, [&](std::string_view word) { return small.find(word) != std::string_view::npos; });
}

/// What a trainer prints behind its loop alone: transformers' metrics, fairseq's last line.
bool saysFinished(std::string_view small)
{
    return small.find("'train_runtime':") != std::string_view::npos
        || small.find("done training in ") != std::string_view::npos;
}

/// Calls with each line that the process of a rank wrote; until that is false. A bar that is drawn
/// anew begins behind a carriage return.
template <class Visit>
void eachLine(std::string_view text, std::optional<std::int64_t> rank, const Visit& visit)
{
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\r\n", from), text.size());
        const std::string_view line = text.substr(from, end - from);
        const LinePrefix prefix = prefixOf(line);
        if (!line.empty() && prefix.rank == rank && !visit(bodyOf(line, prefix), from)) {
            return;
        }
        from = end + 1;
    }
}

} // namespace

std::optional<WentOn> wentOn(std::string_view log, const LogFindings& findings)
{
    if (!findings.main) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> rank = findings.messages[*findings.main].rank;
    std::size_t place = 0;
    for (const OomMessage& message : findings.messages) {
        place = message.rank == rank ? std::max(place, message.offset) : place;
    }
    place = std::min(place, log.size());
    std::map<std::string, std::int64_t, std::less<>> last;
    const std::size_t begin = place - std::min(place, kLookAround);
    eachLine(log.substr(begin, place - begin), rank, [&](std::string_view line, std::size_t) {
        for (const LineCounter& counter : countersOf(line)) {
            last.insert_or_assign(counter.key, counter.value);
        }
        return true;
    });
    std::map<std::string, int, std::less<>> rises;
    std::optional<WentOn> found;
    const std::size_t behind = std::min(log.find('\n', place), log.size());
    eachLine(log.substr(behind, kLookAround), rank, [&](std::string_view line, std::size_t at) {
        const std::string small = lowered(line);
        const auto take = [&](std::string step) {
            found = WentOn{std::count(log.begin(),
                                      log.begin() + static_cast<std::ptrdiff_t>(behind + at), '\n')
                               + 1,
                           std::move(step)};
        };
        if (isOfAnotherStart(small)) {
            return false;
        }
        for (const LineCounter& counter : countersOf(line)) {
            const auto known = last.find(counter.key);
            if (known == last.end() || counter.value == known->second) {
                continue;
            }
            if (counter.value < known->second) {
                last.erase(known); // Started anew, or the next epoch.
                continue;
            }
            known->second = counter.value;
            if (++rises[counter.key] >= kProven) {
                take(counter.text);
            }
        }
        if (!found && saysFinished(small)) {
            take({});
        }
        return true;
    });
    return found;
}

} // namespace tidemark::diagnose
