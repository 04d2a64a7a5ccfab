// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>

namespace tidemark::ui {

// `tr()` asks the one catalogue that core's sentences come from (`core/base/language.h`). What is
// counted is `tr("%Ln file|%Ln files", nullptr, plural(count))`: for one, and for any other number.

/// Whether it is the code of a language that is built in (`core/base/languages.h`).
[[nodiscard]] bool isLanguage(const QString& code);

/// The code of the language to speak: `choice`, or where that is none the first of `system` (names
/// of locales, best first) that is one, or English.
[[nodiscard]] QString languageFor(const QString& choice, const QStringList& system);

/// From now on texts, those of core among them, are in `code`, and numbers have its decimal sign.
/// Widgets that were made before keep their texts. Requires the application; English for a code
/// that is unknown.
void speakLanguage(const QString& code);

/// A name such as "Forward" as it stands within a sentence: "forward", but German nouns keep their
/// capitals (`capital_nouns` of the catalogue).
[[nodiscard]] QString inSentence(const QString& name);

} // namespace tidemark::ui
