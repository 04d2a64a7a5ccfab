// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/code_places.h"
#include "ui/models/source_places.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <vector>

class QHBoxLayout;
class QLabel;

namespace tidemark::ui {

class ElidedLabel;

/// The lines of code that a text names, as links with the source of the first beside them. A click
/// selects what the line allocated and asks for its stack; Ctrl+click opens the editor.
class LineLinks : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t kMostLinks = 3;

    /// Both outlive it.
    LineLinks(ViewState& state, SourcePlaces& places, QWidget* parent = nullptr);
    /// Of the run that is shown; hides itself where the text names none.
    void setWords(const QString& words);
    [[nodiscard]] const std::vector<CodePlace>& places() const
    {
        return m_found;
    }

Q_SIGNALS:
    void stackRequested(); ///< Of the largest allocation that is selected now.
    void failed(const QString& sentence);

private:
    void showSource();
    void follow(const CodePlace& place);

    ViewState& m_state;
    SourcePlaces& m_places;
    std::vector<CodePlace> m_found;
    QHBoxLayout* m_row;
    ElidedLabel* m_source;
};

/// Selects what a line allocated, in all views.
void selectPlace(ViewState& state, const QString& name, std::vector<FrameId> frames);

/// Selects all whose stacks lead through a frame.
void selectThrough(ViewState& state, FrameId frame);

} // namespace tidemark::ui
