// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/merged_rules.h"

#include <algorithm>
#include <iterator>

namespace tidemark::pipeline {
namespace {

bool isSame(const label::Correction& a, const label::Correction& b)
{
    return a.id == b.id && a.match == b.match && a.bucket == b.bucket && a.role == b.role
        && a.note == b.note && a.dimension == b.dimension;
}

bool contains(std::span<const label::Correction> list, const label::Correction& rule)
{
    return std::ranges::any_of(
        list, [&rule](const label::Correction& other) { return isSame(rule, other); });
}

} // namespace

bool isSameList(std::span<const label::Correction> a, std::span<const label::Correction> b)
{
    return std::ranges::equal(a, b, isSame);
}

std::vector<label::Correction> mergedRules(std::span<const label::Correction> base,
                                           std::span<const label::Correction> ours,
                                           std::span<const label::Correction> theirs)
{
    std::vector<label::Correction> merged;
    std::ranges::copy_if(theirs, std::back_inserter(merged), [&](const label::Correction& rule) {
        return !contains(base, rule) && !contains(ours, rule);
    });
    std::ranges::copy_if(ours, std::back_inserter(merged), [&](const label::Correction& rule) {
        return !contains(base, rule) || contains(theirs, rule);
    });
    return merged;
}

} // namespace tidemark::pipeline
