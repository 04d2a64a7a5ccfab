// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fixes/fixes.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// What the rules of the fixes share.

/// Shares of the live bytes below which a fix is not worth its cost.
inline constexpr double kWorthIt = 0.03;
inline constexpr double kLargePart = 0.15;

/// What lives at the moment and satisfies `counts(AllocationId)`, requested bytes. O(allocations).
template <class Counts>
std::int64_t liveBytes(const FixInput& f, const Counts& counts)
{
    const Facts& facts = f.in.facts;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.allocations().isLive(a, facts.moment.state) && counts(a)) {
            sum += facts.bytes(a);
        }
    }
    return sum;
}

/// Whether a frame of an allocation's stack has one of some words in its name or file. Looks at
/// each stack once.
class NameFinder {
public:
    NameFinder(const Facts& facts, std::initializer_list<std::string_view> words);
    bool operator()(AllocationId allocation);

private:
    [[nodiscard]] bool isIn(StackId stack) const;

    const Facts& m_facts;
    std::vector<std::string_view> m_words;
    std::vector<std::int8_t> m_found; ///< Per stack: −1 not looked at, 0 no, 1 yes.
};

/// The run with between `least` and `most` bytes less.
std::optional<DirectEffect> freed(const FixInput& f, double least, double likely, double most);
/// The same where too little is known for a promise: it may help, but whether the run then fits is
/// left open for `reason`, one sentence.
std::optional<DirectEffect> perhapsFreed(const FixInput& f, double least, double likely,
                                         double most, std::string reason);
/// The figure "bytes" of a sentence.
Figures withBytes(std::int64_t bytes);
/// The same with "look" for what 16 bits would halve: whether that is fp32 at all.
Figures withWidth(const FixInput& f, std::int64_t bytes);
/// Evidence that lies in an amount of bytes, by their share of what is live.
FixEvidence evidenceOf(const FixInput& f, std::int64_t bytes, double share);
/// The same, but no evidence for a smaller batch where it is one sample.
FixEvidence unlessOneSample(const FixInput& f, FixEvidence evidence);
/// Optimizer state that is live, was asked for and is known to come.
std::int64_t optimizerBytes(const FixInput& f);

/// A fix that frees bytes which changes of sizes may free as well, so that it is only judged
/// alone.
constexpr FixRule aloneRule(std::string_view id, FixEvidence (*look)(const FixInput&),
                            std::optional<DirectEffect> (*effect)(const FixInput&))
{
    return {id, look, nullptr, effect, false};
}
/// A fix whose effect adds to any change of sizes.
constexpr FixRule composingRule(std::string_view id, FixEvidence (*look)(const FixInput&),
                                std::optional<DirectEffect> (*effect)(const FixInput&))
{
    return {id, look, nullptr, effect, true};
}

} // namespace tidemark::diagnose
