// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// All of the window's dialogs by name, for pictures and tests of them, and the runs that are
// planned in one.
#include "core/plan/budget.h"
#include "core/plan/capacity_text.h"
#include "core/plan/plan.h"
#include "core/plan/remedies.h"
#include "core/walk/planned_trace.h"
#include "core/walk/training.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/dimension_dialog.h"
#include "ui/views/dialogs/explain_dialog.h"
#include "ui/views/dialogs/help_dialog.h"
#include "ui/views/dialogs/plan_dialog.h"
#include "ui/views/dialogs/relabel_dialog.h"
#include "ui/views/dialogs/remote_dialog.h"
#include "ui/views/dialogs/search_palette.h"
#include "ui/views/dialogs/states_dialog.h"
#include "ui/views/look/strips.h"
#include "ui/views/panels/dimension_line.h"
#include "ui/views/panels/model_panel.h"
#include "ui/views/panels/source_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/bookmark_actions.h"
#include "ui/views/window/help_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/relabel_actions.h"
#include "ui/views/window/search_actions.h"

#include <QtWidgets/QInputDialog>
#include <QtWidgets/QMessageBox>

#include <array>
#include <memory>
#include <utility>

namespace tidemark::ui {
namespace {

template <class Dialog>
QWidget* dialogOf(MainWindow& window, const char* name = nullptr)
{
    return window.findChild<Dialog*>(QString::fromLatin1(name)); // Null: whatever its name.
}

void askForDimension(MainWindow& window)
{
    Q_EMIT window.analysisPage().panel<ModelPanel>().dimensions().valueRequested(
        program::DimensionName::batch);
}

} // namespace

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

struct MainWindow::NamedDialog {
    const char* name;
    bool needs_run;
    QWidget* (*open)(MainWindow& window);
};

std::span<const MainWindow::NamedDialog> MainWindow::dialogs()
{
    using W = MainWindow;
    // clang-format off
    static constexpr auto kDialogs = std::to_array<NamedDialog>({
        {"keys", false, [](W& w) -> QWidget* { return &w.m_help->open(QStringLiteral("keys")); }},
        {"words", false, [](W& w) -> QWidget* { return &w.m_help->open(QStringLiteral("words")); }},
        {"recording", false, [](W& w) -> QWidget* { return &w.m_help->open(QStringLiteral("recording")); }},
        {"explain", false, [](W& w) { w.openExplanation().explainClipboard(); return dialogOf<ExplainDialog>(w); }},
        {"states", false, [](W& w) { w.openStates(); return dialogOf<StatesDialog>(w); }},
        {"plan", false, [](W& w) { w.openPlan(); return dialogOf<PlanDialog>(w); }},
        {"remote", false, [](W& w) { w.openRemote(); return dialogOf<RemoteDialog>(w); }},
        {"search", false, [](W& w) { w.m_search->open(); return dialogOf<SearchPalette>(w); }},
        {"relabel", true, [](W& w) { w.selectAny(); w.m_relabel->relabelSelected(); return dialogOf<RelabelDialog>(w); }},
        {"note", true, [](W& w) { w.m_bookmarks->ask(w.m_state.cursor()); return dialogOf<QInputDialog>(w, "bookmarkNote"); }},
        {"goto", true, [](W& w) { w.askWhereToGo(); return dialogOf<QInputDialog>(w, "goTo"); }},
        {"dimension", true, [](W& w) { askForDimension(w); return dialogOf<DimensionDialog>(w); }},
        {"command", true, [](W& w) { w.findChild<SourceView*>()->askForCommand(); return dialogOf<QInputDialog>(w, "editorCommand"); }},
        {"about", false, [](W& w) { w.m_help->showAbout(); return dialogOf<QMessageBox>(w); }},
    });
    // clang-format on
    return kDialogs;
}

QStringList MainWindow::dialogNames()
{
    QStringList names;
    for (const NamedDialog& dialog : dialogs()) {
        names << QString::fromLatin1(dialog.name);
    }
    return names;
}

QWidget* MainWindow::openDialog(const QString& name)
{
    for (const NamedDialog& dialog : dialogs()) {
        if (name == QLatin1String(dialog.name) && (!dialog.needs_run || m_state.hasDevice())) {
            return dialog.open(*this);
        }
    }
    return nullptr;
}

} // namespace tidemark::ui
