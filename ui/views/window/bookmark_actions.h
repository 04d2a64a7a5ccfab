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
    /// Two files that are compared, and the views of them.
    void setCompared(FileId base, ViewState& base_view, FileId against, ViewState& against_view);
    /// Asks for the note of the moment, which is marked with it.
    void ask(StateId state)
    {
        askIn(m_shown.front(), state);
    }
    /// The same at the cursor of a view: of the file that is shown, or of one that is compared.
    void askIn(const ViewState& view);

private:
    struct Shown {
        FileId file;
        ViewState* view;
    };
    /// Hands the marks of the shown devices to the views.
    void show();
    void show(const Shown& shown);
    void askIn(const Shown& shown, StateId state);

    Session& m_session;
    ViewState& m_state;
    QWidget& m_panel;
    BookmarkKeeper m_keeper;
    std::vector<Shown> m_shown; ///< The file that is shown, then those that are compared.
};

} // namespace tidemark::ui
