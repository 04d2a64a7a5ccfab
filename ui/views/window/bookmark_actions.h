// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/bookmark_keeper.h"
#include "ui/models/view_state.h"

#include <QtCore/QObject>

class QWidget;

namespace tidemark::ui {

class BookmarksPanel;
class NoticeStrip;

/// Marks moments of the file that is shown and asks for their notes.
class BookmarkActions : public QObject {
    Q_OBJECT
public:
    /// All outlive it; the dialog opens over the panel's window.
    BookmarkActions(Session& session, ViewState& state, BookmarksPanel& panel, NoticeStrip& notices,
                    QObject* parent);

    /// The file whose bookmarks are meant from now on.
    void setCurrent(FileId id);
    [[nodiscard]] BookmarkKeeper& keeper()
    {
        return m_keeper;
    }
    /// Asks for the note of the moment, which is marked with it.
    void ask(StateId state);

private:
    /// Hands the marks of the shown device to the views.
    void show();

    ViewState& m_state;
    QWidget& m_panel;
    BookmarkKeeper m_keeper;
    FileId m_current = 0;
};

} // namespace tidemark::ui
