// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"
#include "core/message/fix.h"

#include <QtCore/QString>
#include <QtGui/QColor>

namespace tidemark::ui {

// Colours come from resources/colours.json; those of buckets and phases from core/label/bucket.cpp:
// one in every theme (Tol's bright and muted sets: distinct for common colour-blindness); every use
// of one has its name beside it.

enum class Theme : std::uint8_t { light, dark };

/// What a theme paints with. Red (`danger`) is for capacity and out-of-memory and for nothing else.
struct ThemeColours {
    QColor window; ///< Behind the cards.
    QColor card;
    QColor border;
    QColor hover;
    QColor selection;
    QColor text;
    QColor secondary; ///< Text that is not the point.
    QColor faint; ///< Disabled, not applicable.
    QColor grid;
    QColor accent; ///< Filled chips, the current tab.
    QColor accent_text; ///< On `accent` and on `danger`.
    QColor link;
    QColor danger; ///< Lines and filled boxes.
    QColor danger_text; ///< The same as text on a card.
    QColor good;
    QColor help;
    QColor cached; ///< Cached memory and private pools, drawn as a tint and as dots.
    QColor reserved; ///< The dashed line.
    QColor cursor;
    QColor more; ///< Than something that it is held against.
    QColor less;
    bool is_dark = false;
};

[[nodiscard]] const ThemeColours& themeColours(Theme theme);
[[nodiscard]] QColor bucketColour(label::Bucket bucket);
/// Of all bands of a timeline: buckets in their colours.
[[nodiscard]] std::array<QColor, label::kBucketCount> bucketColours();
/// The same for groups of allocations; `other`, if there is one, has that of what is unknown.
[[nodiscard]] std::array<QColor, label::kBucketCount>
groupColours(std::optional<std::size_t> other);
/// Of one group, by its number; −1: of all small ones.
[[nodiscard]] QColor groupColour(int number);
[[nodiscard]] QColor phaseColour(label::Phase phase);
/// Of the run with a letter, "A" first; the colours begin again after some.
[[nodiscard]] QColor runColour(const QString& letter);
/// Text on a phase or a bucket colour, in every theme.
[[nodiscard]] QColor textOn(const QColor& background);
/// Colour of a fix's status word; the word always stands beside it.
[[nodiscard]] QColor statusColour(diagnose::FixStatus status, const ThemeColours& colours);

} // namespace tidemark::ui
