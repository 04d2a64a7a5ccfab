// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/stacks/code_lines.h"
#include "core/trace/snapshot.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QString>

#include <memory>
#include <optional>
#include <unordered_map>

namespace tidemark::ui {

/// What a stack says in two short texts, computed once per distinct stack.
class StackTexts {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::StackTexts)
public:
    struct Texts {
        QString operation; ///< "softmax"
        /// "model.py:41 Attention.forward": `CodeLines::shown`, if that is of Python.
        QString line;
        QString caller; ///< The user's line where it is another one.
        QString native; ///< "at::empty": a frame of C++ where none is of Python.

        /// The line; "no Python stack"; empty where no stack was recorded.
        [[nodiscard]] QString where() const;
    };

    StackTexts() = default;
    /// O(frames).
    explicit StackTexts(std::shared_ptr<const trace::Snapshot> snapshot);
    /// Requires a snapshot. O(frames) the first time, then O(1).
    const Texts& of(StackId stack) const;
    /// Of `Texts::line`; none without one, so none of C++. O(frames).
    [[nodiscard]] FrameId shownFrame(StackId stack) const;

private:
    [[nodiscard]] bool isPython(FrameId frame) const;

    std::shared_ptr<const trace::Snapshot> m_snapshot;
    std::optional<label::LineFinder> m_finder;
    mutable std::unordered_map<StackId, Texts> m_texts;
};

} // namespace tidemark::ui
