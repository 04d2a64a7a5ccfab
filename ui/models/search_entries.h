// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <functional>
#include <memory>
#include <vector>

namespace tidemark::ui {

/// Something that a search can lead to.
struct SearchEntry {
    QString title;
    QString detail; ///< Its kind, or its key.
    std::function<void()> run;
};

/// How well what was typed stands for a text: 0 not at all; more for letters in a row, and for
/// those that begin words. Its letters must come in this order, in any case. O(length of the text).
[[nodiscard]] int matchScore(const QString& typed, const QString& text);

/// The entries that what was typed stands for, the best first, at most so many; with nothing typed
/// the first ones as they are.
[[nodiscard]] std::vector<SearchEntry> bestEntries(const std::vector<SearchEntry>& entries,
                                                   const QString& typed, std::size_t most);

/// The functions and files of a snapshot's stacks, each name once.
class CodeNames {
public:
    CodeNames() = default;
    /// O(frames).
    explicit CodeNames(const trace::Snapshot& snapshot);

    struct Name {
        QString text; ///< "forward", "/srv/model.py"
        bool is_file = false;
    };
    /// Those that hold a text, in any case: shorter ones first, at most so many. O(names).
    [[nodiscard]] std::vector<Name> holding(const QString& typed, std::size_t most) const;

private:
    std::vector<Name> m_names; ///< Shorter ones first.
};

} // namespace tidemark::ui
