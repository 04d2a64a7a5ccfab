// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/languages.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/dialogs/explain_dialog.h"
#include "ui/views/job/job_page.h"
#include "ui/views/look/strips.h"
#include "ui/views/panels/config_strip.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/bookmark_actions.h"
#include "ui/views/window/help_actions.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/menu_row.h"
#include "ui/views/window/panel_table.h"
#include "ui/views/window/relabel_actions.h"
#include "ui/views/window/search_actions.h"
#include "ui/views/window/watch_actions.h"

#include <utility>

namespace tidemark::ui {

using Key = QKeySequence;

std::vector<MenuRow> MainWindow::menuRows()
{
    const auto shift = [](Qt::Key key) { return Key(Qt::CTRL | Qt::SHIFT | key); };
    const auto run = [this] { return canShowRun(); };
    const auto trace = [this] { return canShowTrace(); };
    const auto report = [this] { return canReport(); };
    const auto has_example = [this] { return !m_services.example_path.isEmpty(); };
    const auto help = [this](const char* page) {
        return [this, page] { m_help->open(QString::fromLatin1(page)); };
    };
    const auto restores = [this] { return m_preferences.restoresSession(); };
    const auto redacts = [this] { return m_preferences.redacts(); };
    const auto is_watching = [this] { return m_watch->watcher().isWatching(); };
    const auto undo = m_relabel->undoGroup().createUndoAction(this, tr("&Undo"));
    const auto redo = m_relabel->undoGroup().createRedoAction(this, tr("&Redo"));
    // clang-format off
    std::vector<MenuRow> rows{
        {"", "file", tr("&File")},
        {"file", "open", tr("&Open…"), {Key::Open}, [this] { chooseFiles(Opened::alone); }},
        {"file", "openFolder", tr("Open &Folder of Ranks…"), {}, [this] { m_job->chooseFolder(); }},
        {"file", "recent", tr("Open &Recent")},
        {"file", "openRemote", tr("Open Re&mote…"), {shift(Qt::Key_R)}, [this] { openRemote(); }},
        {"file", "openCopied", tr("Open from Clipboar&d"), {Key::Paste}, [this] { openCopied(); }},
        {"file", "watchFolder", tr("&Watch Folder…"), {}, [this] { m_watch->toggle(); }, {}, is_watching},
        {"file", "example", tr("Open E&xample"), {}, [this] { openExample(); }, has_example},
        {"file", "configuration", tr("Load Confi&guration…"), {shift(Qt::Key_O)}, [this] { m_config->choose(); }},
        {"file", "explain", tr("Explain &Message…"), {Qt::CTRL | Qt::Key_M}, [this] { openExplanation().explainClipboard(); }},
        {"file", "states", tr("Model &States…"), {shift(Qt::Key_M)}, [this] { openStates(); }},
        {"file", "plan", tr("P&lan Run…"), {shift(Qt::Key_P)}, [this] { openPlan(); }},
        {"file", "close", tr("&Close File"), {Qt::CTRL | Qt::Key_W}, [this] { isJobShown() ? m_job->close() : m_session.remove(isComparing() ? againstFile() : m_current); }},
        {"file"},
        {"file", "report", tr("Export Re&port…"), {Qt::CTRL | Qt::Key_E}, [this] { chooseReportPath(); }, report},
        {"file", "picture", tr("Export P&icture…"), {shift(Qt::Key_E)}, [this] { choosePicturePath(); }, trace},
        {"file", "redacts", tr("Replace &Names in Reports"), {}, [this, redacts] { m_preferences.setRedacts(!redacts()); }, {}, redacts},
        {"file"},
        {"file", "restoreSession", tr("Reopen Files at Star&t"), {}, [this, restores] { m_preferences.setRestoresSession(!restores()); }, {}, restores},
        {"file", "quit", tr("&Quit"), {quitKey()}, [this] { quit(); }},

        {"", "edit", tr("&Edit")},
        {.menu = "edit", .id = "undo", .keys = {Key::Undo}, .action = undo},
        {.menu = "edit", .id = "redo", .keys = {shift(Qt::Key_Z)}, .action = redo},
        {"edit"},
        {"edit", "relabel", tr("Re&label Allocation…"), {Qt::Key_L}, [this] { m_relabel->relabelSelected(); }, run},
        {"edit"},
        {"edit", "loadRules", tr("L&oad Rules…"), {}, [this] { m_relabel->chooseRules(); }, run},
        {"edit", "saveRules", tr("&Save Rules As…"), {}, [this] { m_relabel->choosePath(); }, run},
        {"edit"},
        {"edit", "search", tr("&Search or Jump…"), {Qt::CTRL | Qt::Key_K, Key::Find}, [this] { m_search->open(); }},
        {"edit"},
        {"edit", "copyFinding", tr("Copy Finding as Mar&kdown"), {shift(Qt::Key_C)}, [this] { copyFinding(); }, trace},
        {"edit", "copyLink", tr("Copy &Link to This View"), {shift(Qt::Key_L)}, [this] { copyLink(); }, trace},

        {"", "view", tr("&View")},
        {"view", "fit", tr("&Whole Trace"), {Qt::CTRL | Qt::Key_0}, [this] { activeState().fit(); }, trace},
        {"view", "zoomIn", tr("Zoom &In"), {Key::ZoomIn}, [this] { zoom(0.5); }, trace},
        {"view", "zoomOut", tr("Zoom &Out"), {Key::ZoomOut}, [this] { zoom(2.0); }, trace},
        {"view", "zoomToSelection", tr("Zoom to &Selected Range"), {Qt::Key_Z}, [this] { activeState().zoomToSelection(); }, trace},
        {"view", "back", tr("&Back"), {Key::Back}, [this] { activePlot().history().goBack(); }, trace},
        {"view", "forward", tr("&Forward"), {Key::Forward}, [this] { activePlot().history().goForward(); }, trace},
        {"view"},
        {"view", "peak", tr("Next &Peak"), {Qt::Key_P}, [this] { goToPeak(); }, trace},
        {"view", "goTo", tr("Go to E&vent or Time…"), {Qt::CTRL | Qt::Key_G}, [this] { askWhereToGo(); }, trace},
        {"view", "oom", tr("Next OO&M"), {Qt::Key_O}, [this] { goToNextOom(); }, trace},
        {"view", "bookmark", tr("Add Book&mark…"), {Qt::Key_B}, [this] { m_bookmarks->askIn(isComparing() ? m_compare_page->lanes().focusedState() : m_state); }, trace},
        {"view"},
        {"view", "axis", tr("&Event or Time Axis"), {Qt::Key_T}, [this] { setAxis(activeState().axis() == projection::Axis::time ? projection::Axis::event : projection::Axis::time); }, trace},
        {"view", "mode", tr("Bands or &Allocations"), {Qt::Key_A}, [this] { activeState().setTimelineMode(activeState().timelineMode() == TimelineMode::bands ? TimelineMode::allocations : TimelineMode::bands); }, trace},
        {"view", "fitHeight", tr("Fit &Vertically"), {Qt::Key_H}, [this] { activeState().setFitsHeight(!activeState().fitsHeight()); }, trace},
        {"view", "allBands", tr("Show All &Bands"), {Qt::SHIFT | Qt::Key_B}, [this] { activeState().showAllBuckets(); }, trace},
        {"view", "compare", tr("&Compare"), {Qt::Key_C}, [this] { setComparing(!isComparing()); }, trace},
        {"view", "comparison", tr("Compa&rison")},
        {"view"},
        {"view", "panels", tr("Pa&nels")},
        {"view", "theme", tr("&Theme")},
        {"view", "language", tr("Lan&guage")},

        {"", "help", tr("&Help")},
        {"help", "glossary", tr("&Glossary"), {Key::HelpContents}, help("words")},
        {"help", "keys", tr("&Keyboard and Mouse"), {Qt::Key_Question}, help("keys")},
        {"help", "recording", tr("&Record a Snapshot"), {}, help("recording")},
        {"help", "documentation", tr("&Documentation"), {}, [this] { m_help->openDocumentation(); }},
        {"help"},
        {"help", "about", tr("&About Tidemark"), {}, [this] { m_help->showAbout(); }},
    };
    // clang-format on
    for (QAction* action : m_compare_page->pageActions()) {
        rows.push_back({.menu = "comparison", .id = "comparisonAction", .action = action});
    }
    addPanelRows(rows);
    addChoices(rows);
    return rows;
}

// clang-format off
void MainWindow::addPanelRows(std::vector<MenuRow>& rows)
{
    using Part = AnalysisPage::Part;
    const auto run = [this] { return canShowRun(); };
    const auto trace = [this] { return canShowTrace(); };
    AnalysisPage* const page = m_analysis_page;
    const auto add = [&](std::string id, const char* words, const QList<Key>& keys, std::function<void()> call) {
        rows.push_back({"panels", std::move(id), AnalysisPage::tr(words), keys, [this, call] { leaveComparison(); call(); }, trace});
    };
    for (int i = 0; const TabKind& tab : tabKinds()) {
        add(std::string("tab.") + tab.id, tab.title, {tabKey(i)}, [page, i] { page->showTab(i); });
        ++i;
    }
    const auto step_tab = [this, page](int by) { return [this, page, by] { isComparing() ? m_compare_page->tables().stepTab(by) : page->stepTab(by); }; };
    const auto step_part = [this, page](int by) { return [this, page, by] { isJobShown() ? m_job_page->stepPart(by) : isComparing() ? m_compare_page->stepPart(by) : page->stepPart(by); }; };
    const auto any = [this] { return isJobShown() || canShowTrace(); };
    rows.push_back({"panels", "nextTab", AnalysisPage::tr("Next Tab"), {Qt::CTRL | Qt::Key_Tab}, step_tab(1), trace});
    rows.push_back({"panels", "previousTab", AnalysisPage::tr("Previous Tab"), {Qt::CTRL | Qt::SHIFT | Qt::Key_Tab}, step_tab(-1), trace});
    rows.push_back({"panels", "nextPart", AnalysisPage::tr("Next Part"), {Qt::Key_F6}, step_part(1), any});
    rows.push_back({"panels", "previousPart", AnalysisPage::tr("Previous Part"), {Qt::SHIFT | Qt::Key_F6}, step_part(-1), any});
    rows.push_back({"panels"});
    for (const PanelKind& kind : panelKinds()) {
        // The others are there already: as their tab, or as the switch of what is at the cursor.
        if (kind.place != PanelPlace::beside && !isOnlyOfItsTab(kind)) {
            add(kind.id, kind.title, kind.key.key() == Qt::Key_unknown ? QList<Key>() : QList<Key>{kind.key},
                [page, id = QString::fromLatin1(kind.id)] { page->showPanel(id); });
        }
    }
    rows.push_back({"panels"});
    const auto part = [&](const char* id, const QString& words, const QList<Key>& keys, Part which) {
        rows.push_back({"panels", id, words, keys, [page, which] { page->setPart(which, !page->has(which)); }, run, [page, which] { return page->has(which); }});
    };
    part("details", AnalysisPage::tr("&Details"), {Qt::CTRL | Qt::Key_J}, Part::drawer);
    part("atCursor", AnalysisPage::tr("At the &Cursor"), {}, Part::cursor);
    part("plotOnly", AnalysisPage::tr("Plot &Only"), {Qt::Key_F}, Part::plot_alone);
}

void MainWindow::addChoices(std::vector<MenuRow>& rows)
{
    const auto theme = [&](const char* id, const QString& words, ThemeChoice choice) {
        rows.push_back({"theme", id, words, {}, [this, choice] { m_preferences.setTheme(choice); }, {}, [this, choice] { return m_preferences.theme() == choice; }, true});
    };
    theme("themeSystem", tr("&System"), ThemeChoice::system);
    theme("themeLight", tr("&Light"), ThemeChoice::light);
    theme("themeDark", tr("&Dark"), ThemeChoice::dark);
    const auto language = [&](const std::string& id, const QString& words, const QString& code) {
        rows.push_back({"language", id, words, {}, [this, code] { chooseLanguage(code); }, {}, [this, code] { return m_preferences.language() == code; }, true});
    };
    language("languageSystem", tr("&System"), {});
    for (const BuiltInLanguage& each : builtInLanguages()) {
        language("language." + std::string(each.id), text(each.name), text(each.id));
    }
}
// clang-format on

} // namespace tidemark::ui
