// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/panel_table.h"

#include "core/base/language.h"
#include "ui/models/source_places.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/memory_map/memory_map_panel.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/bookmarks_panel.h"
#include "ui/views/panels/corrections_panel.h"
#include "ui/views/panels/cursor_panel.h"
#include "ui/views/panels/events_panel.h"
#include "ui/views/panels/evidence_panel.h"
#include "ui/views/panels/fixes_panel.h"
#include "ui/views/panels/model_panel.h"
#include "ui/views/panels/range_panel.h"
#include "ui/views/panels/simulate_panel.h"
#include "ui/views/panels/stack_panel.h"
#include "ui/views/panels/stacks_panel.h"
#include "ui/views/panels/steps_panel.h"
#include "ui/views/panels/what_if_panel.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/table_panels.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

namespace tidemark::ui {
namespace {

/// Shows the stack of the selected allocation, or one that a panel names.
struct ShowStack {
    AnalysisPage* page;

    void operator()() const
    {
        page->showPanel(QStringLiteral("stack"));
    }
    void operator()(const QString& title, quint32 stack) const
    {
        page->panel<StackPanel>().showStack(title, StackId(std::uint32_t{stack}));
        page->showPanel(QStringLiteral("stack"));
    }
};

/// What a panel asks of the page around it.
template <class P>
void wirePanel(AnalysisPage& page, P& panel)
{
    if constexpr (requires { &P::copied; }) {
        QObject::connect(&panel, &P::copied, &page, &AnalysisPage::copied);
    }
    if constexpr (requires { &P::failed; }) {
        QObject::connect(&panel, &P::failed, &page, &AnalysisPage::failed);
    }
    if constexpr (requires { &P::editorRequested; }) {
        QObject::connect(&panel, &P::editorRequested, &page,
                         [&page](const QString& file, int line) {
                             const QString problem = page.sourcePlaces().openInEditor(file, line);
                             if (!problem.isEmpty()) {
                                 Q_EMIT page.failed(problem);
                             }
                         });
    }
    if constexpr (requires { &P::menuRequested; }) {
        QObject::connect(&panel, &P::menuRequested, &page, &AnalysisPage::menuRequested);
    }
    if constexpr (requires { &P::relabelRequested; }) {
        QObject::connect(&panel, &P::relabelRequested, &page, &AnalysisPage::relabelRequested);
    }
    if constexpr (requires { &P::messageGiven; }) {
        QObject::connect(&panel, &P::messageGiven, &page, &AnalysisPage::messageGiven);
    }
    if constexpr (requires { &P::stackRequested; }) {
        const ShowStack show{&page};
        if constexpr (std::is_same_v<decltype(&P::stackRequested), void (P::*)()>) {
            QObject::connect(&panel, &P::stackRequested, &page, [show] { show(); });
        } else {
            QObject::connect(&panel, &P::stackRequested, &page,
                             [show](const QString& title, quint32 id) { show(title, id); });
        }
    }
    if constexpr (requires { &P::panelRequested; }) {
        QObject::connect(&panel, &P::panelRequested, &page, &AnalysisPage::showPanel);
    }
    if constexpr (requires { &P::moduleRequested; }) {
        QObject::connect(&panel, &P::moduleRequested, &page, [&page] {
            page.panel<ModelPanel>().showSelected();
            page.showPanel(QStringLiteral("model"));
        });
    }
    if constexpr (requires { &P::countChanged; }) {
        QObject::connect(&panel, &P::countChanged, &page,
                         [&page, &panel](int count) { page.setBadgeCount(&panel, count); });
    }
    if constexpr (requires { &P::drawBeside; }) {
        panel.drawBeside(page.panel<MemoryMapPanel>());
    }
    if constexpr (requires { &P::filterRequested; }) {
        QObject::connect(&panel, &P::filterRequested, &page, [&page](const QString& words) {
            page.panel<AllocationsPanel>().setFilter(words);
            page.showPanel(QStringLiteral("allocations"));
        });
    }
}

template <class P>
QWidget* make(AnalysisPage& page)
{
    P* panel = nullptr;
    if constexpr (std::is_constructible_v<P, ViewState&, WhatIfTrial&, SourcePlaces&>) {
        panel = new P(page.state(), page.trial(), page.sourcePlaces());
    } else if constexpr (std::is_constructible_v<P, ViewState&, WhatIfTrial&>) {
        panel = new P(page.state(), page.trial());
    } else if constexpr (std::is_constructible_v<P, ViewState&, SourcePlaces&>) {
        panel = new P(page.state(), page.sourcePlaces());
    } else {
        panel = new P(page.state());
    }
    wirePanel(page, *panel);
    return panel;
}

constexpr auto kTabs = std::to_array<TabKind>({
    {"fix", toSay("Fix")},
    {"why", toSay("Why")},
    {"allocations", toSay("Allocations")},
    {"stacks", toSay("Stacks")},
    {"memory", toSay("Memory")},
    {"steps", toSay("Steps")},
});

using enum PanelPlace;
constexpr auto kPanels = std::to_array<PanelKind>({
    {"cursor", toSay("At Cursor"), beside, "", make<CursorPanel>},
    {"fixes", toSay("Fixes"), tab, "fix", make<FixesPanel>},
    {"whatif", toSay("What If"), tab, "fix", make<WhatIfPanel>, Qt::Key_W},
    {"evidence", toSay("Evidence"), tab, "why", make<EvidencePanel>},
    {"model", toSay("Model"), tab, "why", make<ModelPanel>},
    {"allocations", toSay("List"), tab, "allocations", make<AllocationsPanel>},
    {"buckets", toSay("Buckets"), tab, "allocations", make<BucketsPanel>},
    {"events", toSay("Events"), tab, "allocations", make<EventsPanel>},
    {"range", toSay("Range"), tab, "allocations", make<RangePanel>},
    {"stacks", toSay("Stacks"), tab, "stacks", make<StacksPanel>},
    {"memory", toSay("Memory Map"), tab, "memory", make<MemoryMapPanel>},
    {"simulate", toSay("Simulate"), tab, "memory", make<SimulatePanel>},
    {"steps", toSay("Steps"), tab, "steps", make<StepsPanel>},
    {"stack", toSay("Stack"), pane, "", make<StackPanel>},
    {"corrections", toSay("Corrections"), badge, "", make<CorrectionsPanel>},
    {"bookmarks", toSay("Bookmarks"), badge, "", make<BookmarksPanel>},
    {"file", toSay("File"), badge, "", make<FilePanel>},
});

} // namespace

std::span<const TabKind> tabKinds()
{
    return kTabs;
}

std::span<const PanelKind> panelKinds()
{
    return kPanels;
}

bool isOnlyOfItsTab(const PanelKind& kind)
{
    return kind.place == tab
        && std::ranges::count_if(
               kPanels,
               [&](const PanelKind& each) { return std::string_view(each.tab) == kind.tab; })
        == 1;
}

} // namespace tidemark::ui
