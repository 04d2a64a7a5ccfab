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
    , m_session(session)
    , m_state(state)
    , m_panel(panel)
    , m_keeper(session)
    , m_shown{{0, &state}}
{
    connect(&panel, &BookmarksPanel::markRequested, this, [this] { ask(m_state.cursor()); });
    connect(&panel, &BookmarksPanel::editRequested, this, &BookmarkActions::ask);
    connect(&panel, &BookmarksPanel::removeRequested, this,
            [this](StateId at) { m_keeper.remove(m_shown.front().file, m_state.device(), at); });
    connect(&m_keeper, &BookmarkKeeper::changed, this, [this] { show(); });
    connect(&m_keeper, &BookmarkKeeper::failed, &notices, &NoticeStrip::showFailure);
    connect(&m_keeper, &BookmarkKeeper::savedAway, &notices, [&notices](const QString& path) {
        notices.showNotice(
            tr("The snapshot's folder is read-only; bookmarks are saved in %1.").arg(path));
    });
    connect(&m_keeper, &BookmarkKeeper::merged, &notices, [&notices] {
        notices.showNotice(tr("Merged with the bookmarks saved from another window."));
    });
    connect(&m_state, &ViewState::deviceChanged, this, [this] { show(); });
}

void BookmarkActions::setCurrent(FileId id)
{
    if (id != m_shown.front().file) {
        m_shown.front().file = id;
        show();
    }
}

void BookmarkActions::setCompared(FileId base, ViewState& base_view, FileId against,
                                  ViewState& against_view)
{
    m_shown = {m_shown.front(), {base, &base_view}, {against, &against_view}};
    show();
}

void BookmarkActions::show()
{
    for (const Shown& each : m_shown) {
        show(each);
    }
}

void BookmarkActions::show(const Shown& shown)
{
    ViewState& view = *shown.view;
    std::vector<pipeline::Bookmark> there;
    if (view.hasDevice()) {
        for (const pipeline::Bookmark& mark : m_keeper.marks(shown.file)) {
            // What lies behind the end belongs to a longer file of this name.
            if (mark.device == view.device() && mark.state <= view.replay().lastState()) {
                there.push_back(mark);
            }
        }
    }
    view.setBookmarks(std::move(there));
}

void BookmarkActions::askIn(const ViewState& view)
{
    const auto found = std::ranges::find(m_shown, &view, &Shown::view);
    if (found != m_shown.end()) {
        askIn(*found, view.cursor());
    }
}

void BookmarkActions::askIn(const Shown& shown, StateId state)
{
    const ViewState& view = *shown.view;
    if (!view.hasDevice()) {
        return;
    }
    const auto& marks = view.bookmarks();
    const auto present = std::ranges::find(marks, state, &pipeline::Bookmark::state);
    auto* dialog = new QInputDialog(m_panel.window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("bookmarkNote"));
    const OpenFile* const file = m_session.find(shown.file);
    dialog->setWindowTitle(&view == &m_state || file == nullptr
                               ? tr("Bookmark")
                               : tr("Bookmark in %1").arg(file->letter));
    dialog->setLabelText(
        tr("Note for %1 (optional):").arg(text(formatEventNumber(state.eventNumber()))));
    dialog->setInputMode(QInputDialog::TextInput);
    dialog->setTextValue(present == marks.end() ? QString() : text(present->note).simplified());
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, state, file = shown.file, device = view.device()](const QString& note) {
                m_keeper.set(file, {device, state, utf8(note.trimmed())});
            });
    dialog->open();
}

} // namespace tidemark::ui
