// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// tidemark_bench_window FILE [PART...]: how long the window's thread is taken by what a person
// does, from the key or the mouse to the painted frame, and by what arrives afterwards.
#include "tests/ui/monkey_costs.h"
#include "ui/models/preferences.h"
#include "ui/models/selection.h"
#include "ui/models/session.h"
#include "ui/models/view_state.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/dialogs/search_palette.h"
#include "ui/views/look/theme.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/icicle_view.h"
#include "ui/views/panels/stacks_panel.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/main_window.h"

#include <fmt/format.h>

#include <QtCore/QCommandLineParser>
#include <QtCore/QElapsedTimer>
#include <QtCore/QStandardPaths>
#include <QtCore/QThread>
#include <QtGui/QWheelEvent>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSlider>
#include <QtWidgets/QTableView>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using namespace tidemark;
using namespace tidemark::ui;
using test::threadMs;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds.
constexpr int kQuiet = 400; ///< So long nothing may come any more: timers of the views are shorter.

/// One thing that is done, some times.
class Action {
public:
    Action(MainWindow& window, std::string name)
        : m_window(window)
        , m_name(std::move(name))
    {
    }
    ~Action()
    {
        std::ranges::sort(m_frames);
        fmt::print("| {:50} | {:4} | {:6.1f} | {:6.1f} | {:6.1f} |\n", m_name, m_frames.size(),
                   m_frames[m_frames.size() / 2], m_frames.back(), m_later);
        std::fflush(stdout);
    }
    /// Does it and paints what it changed.
    void frame(const std::function<void()>& act)
    {
        const double before = threadMs();
        act();
        QCoreApplication::processEvents();
        m_frames.push_back(threadMs() - before);
    }
    /// Until nothing is computed any more.
    void settle()
    {
        QElapsedTimer all;
        QElapsedTimer quiet;
        all.start();
        quiet.start();
        while (quiet.elapsed() < kQuiet && all.elapsed() < kPatience) {
            QThread::msleep(1);
            const double before = threadMs();
            QCoreApplication::processEvents();
            const double spent = threadMs() - before;
            m_later = std::max(m_later, spent);
            constexpr double kSomething = 1;
            if (spent > kSomething || m_window.analysisPage().isBusy()) {
                quiet.restart();
            }
        }
    }
    void frameAndSettle(const std::function<void()>& act)
    {
        frame(act);
        settle();
    }

private:
    MainWindow& m_window;
    std::string m_name;
    std::vector<double> m_frames;
    double m_later = 0;
};

class Bench {
public:
    Bench(MainWindow& window, Session& session)
        : m_window(window)
        , m_session(session)
    {
    }

    void open(const QString& file)
    {
        Action action(m_window, "open a file");
        action.frame([&] { m_window.openFiles({file}); });
        while (m_session.isLoading() || !state().hasDevice() || state().diagnosis() == nullptr) {
            action.settle();
        }
    }

    static QString partNames()
    {
        return QStringLiteral("plot tabs search filter rows calls fixes page compare");
    }
    /// All of them where none is named.
    void run(const QStringList& parts, const QString& second)
    {
        const auto part = [&](const char* name, const std::function<void()>& act) {
            if (parts.isEmpty() || parts.contains(QString::fromLatin1(name))) {
                act();
            }
        };
        part("plot", [this] {
            moveOnPlot("");
            changePlot();
        });
        part("tabs", [this] { changeTabs(); });
        part("search", [this] { search(); });
        part("filter", [this] {
            filter(AllocationsPanel::Scope::cursor, "at the cursor");
            filter(AllocationsPanel::Scope::run, "of the run");
        });
        part("rows", [this] { rows(); });
        part("calls", [this] { calls(); });
        part("fixes", [this] { fixes(); });
        part("page", [this] {
            theme();
            resize();
        });
        if (!second.isEmpty()) {
            part("compare", [&] { compare(second); });
        }
    }

private:
    void moveOnPlot(const std::string& when)
    {
        constexpr int kFrames = 60;
        const QRect bands = plot().bandRect();
        {
            Action action(m_window, "zoom by the wheel" + when);
            state().fit();
            for (int i = 0; i < kFrames; ++i) {
                action.frame([&] { wheel(bands.center(), i < kFrames / 2 ? 120 : -120); });
            }
            action.settle();
        }
        {
            Action action(m_window, "pan by the wheel" + when);
            const double end = state().extent().end;
            state().setRange({end * 0.05, end * 0.55});
            for (int i = 0; i < kFrames; ++i) {
                const int turn = i < kFrames / 2 ? -12 : 12; // A touchpad's.
                action.frame([&] { wheel(bands.center(), turn, Qt::ShiftModifier); });
            }
            action.settle();
        }
        {
            Action action(m_window, "hover" + when);
            for (int i = 0; i < kFrames; ++i) {
                action.frame([&] {
                    hover({bands.left() + bands.width() * i / kFrames, bands.center().y()});
                });
            }
            action.settle();
        }
        {
            Action action(m_window, "step the cursor by keys" + when);
            for (int i = 0; i < kFrames / 2; ++i) {
                action.frame([&] { key(plot(), Qt::Key_Right); });
            }
            action.settle();
        }
        hover({1, 1});
        state().setHover({});
        state().fit();
    }

    void changePlot()
    {
        Action action(m_window, "axis, height, allocations, peaks, fit by keys");
        for (const Qt::Key k : {Qt::Key_T, Qt::Key_T, Qt::Key_H, Qt::Key_H, Qt::Key_A, Qt::Key_A,
                                Qt::Key_P, Qt::Key_P, Qt::Key_0}) {
            action.frameAndSettle([&] { key(plot(), k); });
        }
    }

    void changeTabs()
    {
        for (const QString& name : AnalysisPage::panelNames()) {
            Action action(m_window, "first to " + name.toStdString());
            action.frameAndSettle([&] { m_window.showView(name, false); });
        }
        Action action(m_window, "tabs by Ctrl+Tab, round twice");
        for (int i = 0; i < 12; ++i) {
            action.frameAndSettle([&] { key(m_window, Qt::Key_Tab, Qt::ControlModifier); });
        }
    }

    void search()
    {
        {
            Action action(m_window, "open the search palette");
            action.frameAndSettle([&] { key(m_window, Qt::Key_K, Qt::ControlModifier); });
        }
        for (const char* words : {"forward", "model.py:1", "0x7f0000000000", "step 3", "size>1MiB",
                                  "activation", "1000"}) {
            auto* palette = m_window.findChild<SearchPalette*>();
            auto* line = palette == nullptr ? nullptr : palette->findChild<QLineEdit*>();
            if (line == nullptr) {
                fmt::print("there is no palette\n");
                return;
            }
            Action action(m_window, fmt::format("type {} there", words));
            for (const char letter : std::string(words)) {
                action.frame([&] { QTest::keyClick(line, letter); });
            }
            action.settle();
            line->clear();
            action.settle();
        }
        QTest::keyClick(m_window.findChild<SearchPalette*>(), Qt::Key_Escape);
        QCoreApplication::processEvents();
    }

    void filter(AllocationsPanel::Scope scope, const std::string& where)
    {
        m_window.showView(QStringLiteral("allocations"), false);
        auto& panel = m_window.analysisPage().panel<AllocationsPanel>();
        auto* line = panel.findChild<QLineEdit*>(QStringLiteral("allocationFilter"));
        {
            Action action(m_window, "list " + where);
            action.frameAndSettle([&] { panel.setScope(scope); });
        }
        for (const char* words : {"size>0", "torch", "bucket:activation", "nothing_like_this"}) {
            {
                Action action(m_window, fmt::format("filter {}, {}", words, where));
                for (const char letter : std::string(words)) {
                    action.frame([&] { QTest::keyClick(line, letter); });
                    QTest::qWait(30);
                }
                action.settle();
            }
            if (state().selector().selection()) {
                fmt::print("  ({} selected)\n", state().selector().selection()->ids.size());
                if (scope == AllocationsPanel::Scope::run) {
                    moveOnPlot(fmt::format(", {} selected", words));
                }
            }
            Action action(m_window, "clear it");
            action.frameAndSettle([&] { line->clear(); });
        }
    }

    void rows()
    {
        auto& panel = m_window.analysisPage().panel<AllocationsPanel>();
        auto* table = panel.findChild<QTableView*>(QStringLiteral("allocations"));
        m_window.showView(QStringLiteral("run"), false);
        {
            Action action(m_window, "rows by the Down key");
            action.settle();
            table->setFocus();
            for (int i = 0; i < 30; ++i) {
                action.frame([&] { key(*table, Qt::Key_Down); });
            }
            action.settle();
        }
        {
            Action action(m_window, "rows by Page Down, End, Home");
            for (const Qt::Key k :
                 {Qt::Key_PageDown, Qt::Key_PageDown, Qt::Key_End, Qt::Key_Home}) {
                action.frameAndSettle([&] { key(*table, k); });
            }
        }
        {
            Action action(m_window, "select all rows");
            action.frameAndSettle([&] { key(*table, Qt::Key_A, Qt::ControlModifier); });
        }
        moveOnPlot(", all rows selected");
        {
            Action action(m_window, "the Down key, all rows selected");
            action.frameAndSettle([&] { key(*table, Qt::Key_Down); });
        }
        Action action(m_window, "select nothing");
        action.frameAndSettle([&] { key(*table, Qt::Key_Escape); });
    }

    /// The calls from the outermost one on, each of which selects all that it allocated.
    void calls()
    {
        m_window.showView(QStringLiteral("stacks"), false);
        IcicleView& icicle = m_window.analysisPage().panel<StacksPanel>().icicle();
        {
            Action action(m_window, "calls by the Down key");
            action.settle();
            icicle.setFocus();
            for (int i = 0; i < 6; ++i) {
                action.frameAndSettle([&] { key(icicle, Qt::Key_Down); });
                if (i == 0 && state().selector().selection()) {
                    fmt::print("  ({} selected)\n", state().selector().selection()->ids.size());
                }
            }
        }
        for (int i = 0; i < 6; ++i) {
            key(icicle, Qt::Key_Up);
        }
        key(icicle, Qt::Key_Down);
        Action(m_window, "and up again").frameAndSettle([] {});
        moveOnPlot(", a call selected");
        for (const QString& name : AnalysisPage::panelNames()) {
            Action action(m_window, "to " + name.toStdString() + ", a call selected");
            action.frameAndSettle([&] { m_window.showView(name, false); });
        }
        {
            Action action(m_window, "allocations as bands, a call selected");
            action.frameAndSettle([&] { key(plot(), Qt::Key_A); });
        }
        moveOnPlot(", allocations, a call selected");
        key(plot(), Qt::Key_A);
        Action action(m_window, "select nothing");
        action.frameAndSettle([&] { state().select(AllocationId::none()); });
    }

    void compare(const QString& second)
    {
        {
            Action action(m_window, "open a second file beside it");
            action.frame([&] { m_window.openFiles({second}); });
            while (m_session.isLoading()) {
                action.settle();
            }
            action.settle();
        }
        for (const QString& name : MainWindow::comparisonViewNames()) {
            Action action(m_window, "first to " + name.toStdString());
            action.frameAndSettle([&] { m_window.showView(name, false); });
        }
        auto* lane = m_window.findChild<TimelinePlot*>(QStringLiteral("basePlot"));
        if (lane == nullptr || !lane->isVisible()) {
            return;
        }
        const QPoint middle = lane->bandRect().center();
        {
            Action action(m_window, "zoom two runs by the wheel");
            for (int i = 0; i < 60; ++i) {
                action.frame([&] { wheel(*lane, middle, i < 30 ? 120 : -120, {}); });
            }
            action.settle();
        }
        {
            Action action(m_window, "hover over two runs");
            for (int i = 0; i < 60; ++i) {
                const QPoint at(lane->bandRect().left() + lane->bandRect().width() * i / 60,
                                middle.y());
                action.frame([&] { QTest::mouseMove(lane, at); });
            }
            action.settle();
        }
        Action action(m_window, "keys X and I of two runs");
        for (const Qt::Key k : {Qt::Key_X, Qt::Key_X, Qt::Key_I, Qt::Key_I}) {
            action.frameAndSettle([&] { key(*lane, k); });
        }
        m_window.setComparing(false);
    }

    void fixes()
    {
        m_window.showView(QStringLiteral("fixes"), false);
        if (auto* table = m_window.findChild<QTableView*>(QStringLiteral("fixes"))) {
            Action action(m_window, "fixes by the Down key");
            table->setFocus();
            for (int i = 0; i < 8; ++i) {
                action.frameAndSettle([&] { key(*table, Qt::Key_Down); });
            }
        }
        m_window.showView(QStringLiteral("whatif"), false);
        auto& panel = *m_window.analysisPage().findChild<QWidget*>(QStringLiteral("whatIfPanel"));
        for (QSlider* slider : panel.findChildren<QSlider*>()) {
            if (slider->isVisible()) {
                Action action(m_window, "drag " + slider->objectName().toStdString());
                const int middle = (slider->minimum() + slider->maximum()) / 2;
                for (int i = 0; i < 20; ++i) {
                    action.frame([&] { slider->setValue(middle - i); });
                    QTest::qWait(10);
                }
                action.settle();
            }
        }
        moveOnPlot(", a change tried");
    }

    void theme()
    {
        Action action(m_window, "another theme");
        action.frameAndSettle([] { applyTheme(*qApp, Theme::dark); });
        action.frameAndSettle([] { applyTheme(*qApp, Theme::light); });
    }

    void resize()
    {
        Action action(m_window, "drag the window's edge");
        const QSize size = m_window.size();
        for (int i = 0; i < 30; ++i) {
            action.frame([&] { m_window.resize(size - QSize(8 * i, 5 * i)); });
        }
        action.settle();
        m_window.resize(size);
        action.settle();
    }

    ViewState& state()
    {
        return m_window.viewState();
    }
    TimelinePlot& plot()
    {
        return m_window.analysisPage().timeline().plot();
    }
    void wheel(const QPoint& at, int turn, Qt::KeyboardModifiers modifiers = {})
    {
        wheel(plot(), at, turn, modifiers);
    }
    static void wheel(QWidget& widget, const QPoint& at, int turn, Qt::KeyboardModifiers modifiers)
    {
        QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, turn}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&widget, &event);
    }
    void hover(const QPoint& at)
    {
        QTest::mouseMove(&plot(), at);
    }
    static void key(QWidget& widget, Qt::Key k, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(&widget, k, modifiers);
    }

    MainWindow& m_window;
    Session& m_session;
};

} // namespace

int main(int argc, char** argv)
{
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("tidemark-bench"));
    QCommandLineParser line;
    const QCommandLineOption against(QStringLiteral("against"), {}, QStringLiteral("file"));
    const QCommandLineOption size(QStringLiteral("size"), {}, QStringLiteral("size"),
                                  QStringLiteral("1440x900"));
    line.addOptions({against, size});
    line.addPositionalArgument(QStringLiteral("file"), {});
    line.addPositionalArgument(QStringLiteral("part"), Bench::partNames(),
                               QStringLiteral("[part…]"));
    line.addHelpOption();
    line.process(application);
    QStringList parts = line.positionalArguments();
    if (parts.isEmpty()) {
        line.showHelp(2);
    }
    const QString file = parts.takeFirst();
    applyTheme(application, Theme::light);
    Preferences preferences;
    Session session;
    MainWindow window(session, preferences, {});
    const QStringList sides = line.value(size).split(u'x');
    window.resize(sides.value(0).toInt(), sides.value(1).toInt());
    window.show();
    (void)QTest::qWaitForWindowExposed(&window);
    fmt::print("| what is done | times | median ms | longest | longest afterwards |\n");
    fmt::print("|---|---|---|---|---|\n");
    Bench bench(window, session);
    bench.open(file);
    bench.run(parts, line.value(against));
    return 0;
}
