// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/size_growth.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

/// What is smaller and no product is a scalar or a table of pointers, which no batch changes.
constexpr std::int64_t kSmallestRow = 1024; // bytes

double after(const program::Growth& growth, const Ratios& ratios)
{
    return std::pow(ratios.batch, growth.batch) * std::pow(ratios.sequence, growth.sequence);
}

} // namespace

SizeGrowth::SizeGrowth(const Facts& facts)
    : m_program(facts.program)
    , m_is_known(facts.program.find(program::DimensionName::tokens) != nullptr)
{
}

const program::SizeUse* SizeGrowth::useOf(const Subject& subject) const
{
    if (!subject.allocation.isNone()) {
        return &m_program.sizeOf(subject.allocation);
    }
    const auto found = std::ranges::find(m_program.failed, subject.bytes, &program::SizeUse::bytes);
    return found == m_program.failed.end() ? nullptr : &*found;
}

std::optional<Amount> SizeGrowth::factor(const Subject& subject, const Ratios& ratios) const
{
    const program::SizeUse* const use = m_is_known ? useOf(subject) : nullptr;
    if (use == nullptr) {
        return std::nullopt;
    }
    if (use->growths.empty()) {
        if (program::isFixed(use->kind) || use->bytes < kSmallestRow) {
            return Amount::exactly(1);
        }
        const double rows = ratios.batch * ratios.sequence;
        return Amount{std::min(1.0, rows), rows, std::max(1.0, rows)};
    }
    const double mid = after(use->growths.front(), ratios);
    Amount amount = Amount::exactly(mid);
    for (const program::Growth& growth : use->growths) {
        const double other = after(growth, ratios);
        amount.low = std::min(amount.low, other);
        amount.high = std::max(amount.high, other);
    }
    return amount;
}

} // namespace tidemark::diagnose
