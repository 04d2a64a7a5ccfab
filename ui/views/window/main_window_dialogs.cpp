// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The window's dialogs by name, for pictures of them, and the runs that are planned in one.
#include "core/plan/budget.h"
#include "core/plan/capacity_text.h"
#include "core/plan/plan.h"
#include "core/plan/remedies.h"
#include "core/walk/planned_trace.h"
#include "core/walk/training.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/explain_dialog.h"
#include "ui/views/dialogs/help_dialog.h"
#include "ui/views/dialogs/plan_dialog.h"
#include "ui/views/dialogs/relabel_dialog.h"
#include "ui/views/dialogs/remote_dialog.h"
#include "ui/views/dialogs/search_palette.h"
#include "ui/views/dialogs/states_dialog.h"
#include "ui/views/look/strips.h"
#include "ui/views/window/bookmark_actions.h"
#include "ui/views/window/help_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/relabel_actions.h"
#include "ui/views/window/search_actions.h"

#include <QtWidgets/QInputDialog>

#include <memory>
#include <utility>

namespace tidemark::ui {

void MainWindow::showPlanned(const plan::Question& question, const QString& model)
{
    const QString name = tr("Planned %1 · %2 × %3 (%4)")
                             .arg(model.section(QLatin1Char('/'), -1))
                             .arg(question.run.batch)
                             .arg(question.run.sequence)
                             .arg(++m_planned);
    diagnose::UserInput input;
    if (question.capacity) {
        plan::capacityOfGpu({*question.capacity, *question.capacity}).giveTo(input);
    }
    const auto make = [question,
                       path = m_planned_folder.filePath(name)]() -> Result<pipeline::MadeRun> {
        walk::RunShape run = question.run;
        run.division.stage = plan::budgetOf(question.model, run).stage;
        const auto timeline =
            std::make_shared<const walk::Timeline>(walk::planRun(question.model, run).timeline);
        Result<walk::PlannedTrace> trace = walk::traceOf(*timeline);
        if (!trace.has_value()) {
            return trace.error();
        }
        pipeline::MadeRun made;
        made.name = pathFrom(path);
        const auto kept = std::make_shared<walk::PlannedTrace>(std::move(trace).value());
        made.snapshot = std::move(kept->snapshot);
        made.labels = [timeline, kept](const replay::Replay& replay) {
            return walk::labelsOf(*timeline, *kept, replay);
        };
        made.fixes = [question, run](std::optional<Bytes> capacity) {
            plan::Question asked = question;
            asked.capacity = capacity;
            asked.counts_context = false;
            return run.mode == walk::Mode::train
                ? plan::findRemedies(asked, plan::estimate(asked, run)).fixes
                : std::vector<diagnose::Fix>();
        };
        return made;
    };
    m_session.addMade(m_planned_folder.filePath(name), make, input);
    m_notices->showNotice(tr("%1 is a plan, not a recording.").arg(name));
}

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
        m_search->open();
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
