// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/amount.h"
#include "core/diagnose/facts/facts.h"
#include "core/diagnose/predict/laws.h"
#include "core/program/program.h"

#include <optional>

namespace tidemark::diagnose {

/// New value of a dimension / the old one.
struct Ratios {
    double batch = 1;
    double sequence = 1;
};

/// How sizes follow the batch and the sequence, from the products of dimensions that they are:
///
///     67,108,864 B = batch · heads · sequence · sequence · 4 B ──▶ sequence × 2: × 4
///      8,388,608 B = batch · sequence · feed-forward · 4 B     ──▶             × 2
///     16,777,216 B = hidden · hidden · 4 B                     ──▶             × 1
///
/// A size that may be several of these has their range. Known only where the program's rows are:
/// what is no transformer has no such products. The facts must outlive it.
class SizeGrowth {
public:
    explicit SizeGrowth(const Facts& facts);

    /// Nullopt where the program says nothing of the subject. O(expressions of its size).
    [[nodiscard]] std::optional<Amount> factor(const Subject& subject, const Ratios& ratios) const;

private:
    [[nodiscard]] const program::SizeUse* useOf(const Subject& subject) const;

    const program::Program& m_program;
    bool m_is_known;
};

} // namespace tidemark::diagnose
