// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/bookmark_actions.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/look/strips.h"
#include "ui/views/panels/bookmarks_panel.h"

#include <QtWidgets/QInputDialog>

#include <algorithm>

namespace tidemark::ui {

BookmarkActions::BookmarkActions(Session& session, ViewState& state, BookmarksPanel& panel,
                                 NoticeStrip& notices, QObject* parent)
    : QObject(parent)
    , m_state(state)
    , m_panel(panel)
    , m_keeper(session)
{
    connect(&panel, &BookmarksPanel::markRequested, this, [this] { ask(m_state.cursor()); });
    connect(&panel, &BookmarksPanel::editRequested, this, &BookmarkActions::ask);
    connect(&panel, &BookmarksPanel::removeRequested, this,
            [this](StateId at) { m_keeper.remove(m_current, m_state.device(), at); });
    connect(&m_keeper, &BookmarkKeeper::changed, this, &BookmarkActions::show);
    connect(&m_keeper, &BookmarkKeeper::failed, &notices, &NoticeStrip::showFailure);
    connect(&m_keeper, &BookmarkKeeper::savedAway, &notices, [&notices](const QString& path) {
        notices.showNotice(
            tr("The snapshot's folder is read-only; bookmarks are saved in %1.").arg(path));
    });
    connect(&m_keeper, &BookmarkKeeper::merged, &notices, [&notices] {
        notices.showNotice(tr("Merged with the bookmarks saved from another window."));
    });
    connect(&m_state, &ViewState::deviceChanged, this, &BookmarkActions::show);
}

void BookmarkActions::setCurrent(FileId id)
{
    if (id != m_current) {
        m_current = id;
        show();
    }
}

void BookmarkActions::show()
{
    std::vector<pipeline::Bookmark> shown;
    if (m_state.hasDevice()) {
        for (const pipeline::Bookmark& mark : m_keeper.marks(m_current)) {
            // What lies behind the end belongs to a longer file of this name.
            if (mark.device == m_state.device() && mark.state <= m_state.replay().lastState()) {
                shown.push_back(mark);
            }
        }
    }
    m_state.setBookmarks(std::move(shown));
}

void BookmarkActions::ask(StateId state)
{
    if (!m_state.hasDevice()) {
        return;
    }
    const auto& marks = m_state.bookmarks();
    const auto present = std::ranges::find(marks, state, &pipeline::Bookmark::state);
    auto* dialog = new QInputDialog(m_panel.window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("bookmarkNote"));
    dialog->setWindowTitle(tr("Bookmark"));
    dialog->setLabelText(
        tr("Note for %1 (optional):").arg(text(formatEventNumber(state.eventNumber()))));
    dialog->setInputMode(QInputDialog::TextInput);
    dialog->setTextValue(present == marks.end() ? QString() : text(present->note).simplified());
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, state, file = m_current, device = m_state.device()](const QString& note) {
                m_keeper.set(file, {device, state, utf8(note.trimmed())});
            });
    dialog->open();
}

} // namespace tidemark::ui
