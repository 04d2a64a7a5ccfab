// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The window's dialogs by name, for pictures of them.
#include "ui/views/dialogs/explain_dialog.h"
#include "ui/views/dialogs/help_dialog.h"
#include "ui/views/dialogs/plan_dialog.h"
#include "ui/views/dialogs/relabel_dialog.h"
#include "ui/views/dialogs/remote_dialog.h"
#include "ui/views/dialogs/search_palette.h"
#include "ui/views/dialogs/states_dialog.h"
#include "ui/views/window/bookmark_actions.h"
#include "ui/views/window/help_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/relabel_actions.h"
#include "ui/views/window/search_actions.h"

#include <QtWidgets/QInputDialog>

namespace tidemark::ui {

QStringList MainWindow::dialogNames()
{
    return {QStringLiteral("keys"),    QStringLiteral("words"),  QStringLiteral("recording"),
            QStringLiteral("explain"), QStringLiteral("states"), QStringLiteral("plan"),
            QStringLiteral("remote"),  QStringLiteral("search"), QStringLiteral("relabel"),
            QStringLiteral("note")};
}

QWidget* MainWindow::openDialog(const QString& name)
{
    if (name == QStringLiteral("keys") || name == QStringLiteral("words")
        || name == QStringLiteral("recording")) {
        return &m_help->open(name);
    }
    if (name == QStringLiteral("explain")) {
        explainMessage();
        return findChild<ExplainDialog*>();
    }
    if (name == QStringLiteral("states")) {
        openStates();
        return findChild<StatesDialog*>();
    }
    if (name == QStringLiteral("plan")) {
        openPlan();
        return findChild<PlanDialog*>();
    }
    if (name == QStringLiteral("remote")) {
        openRemote();
        return findChild<RemoteDialog*>();
    }
    if (name == QStringLiteral("search")) {
        m_search->open(SearchActions::First::commands);
        return findChild<SearchPalette*>();
    }
    if (!m_state.hasDevice()) {
        return nullptr;
    }
    if (name == QStringLiteral("relabel")) {
        const auto live = replay::liveAt(m_state.replay(), m_state.shownState());
        m_state.select(live.empty() ? AllocationId::none() : live.front());
        m_relabel->relabelSelected();
        return findChild<RelabelDialog*>();
    }
    if (name == QStringLiteral("note")) {
        m_bookmarks->ask(m_state.cursor());
        return findChild<QInputDialog*>(QStringLiteral("bookmarkNote"));
    }
    return nullptr;
}

} // namespace tidemark::ui
