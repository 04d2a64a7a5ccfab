// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Keys, clicks, wheels and files at random on the real window: no warning of Qt, no crash, no frame
// that takes long.
//
// TIDEMARK_MONKEY_STEPS  how many steps (1,000), TIDEMARK_MONKEY_SEED  where chance begins (1),
// TIDEMARK_MONKEY_SECONDS  how long, in place of a number of steps,
// TIDEMARK_MONKEY_OPEN  what is open at first (the example),
// TIDEMARK_MONKEY_FILES  further snapshots to drop, separated by ":"
#include "tests/support/test_main.h"
#include "tests/ui/monkey_costs.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/unrest.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtGui/QWheelEvent>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMenu>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <vector>

namespace tidemark::tst_monkey {

using namespace tidemark::ui;
using tidemark::test::allocatedMiB;
using tidemark::test::dropFiles;
using tidemark::test::examplePath;
using tidemark::test::Frames;
using tidemark::test::heldMiB;
using tidemark::test::Opened;
using tidemark::test::SlowSteps;
using tidemark::test::threadMs;
using tidemark::test::Unrest;

namespace {

constexpr int kSteps = 1000;
/// Milliseconds of processor time that one step may take, its repainting included; twelve times as
/// many on the clock, which others' load makes slower.
constexpr qint64 kLongestStep = 5000;
/// A dialog that waits for an answer gets it after this.
constexpr int kPatience = 30;

/// What may be held at the end beside what was held at first, for caches and fragments.
constexpr double kMostHeld = 256;

int numberFrom(const char* name, int otherwise)
{
    bool is_number = false;
    const int number = qEnvironmentVariableIntValue(name, &is_number);
    return is_number ? number : otherwise;
}

/// Does things at random. The same seed does the same.
class Monkey {
public:
    Monkey(Opened& opened, QStringList files, unsigned seed)
        : m_opened(opened)
        , m_files(std::move(files))
        , m_chance(seed)
    {
        // Menus and dialogs that wait run their own loops: a timer answers them.
        m_answer.setInterval(kPatience);
        QObject::connect(&m_answer, &QTimer::timeout, &m_answer, [this] { answerDialogs(); });
        m_answer.start();
    }

    /// In words, for a failure.
    QString step()
    {
        switch (below(12)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return pressKey();
        case 4:
        case 5:
        case 6:
            return click();
        case 7:
        case 8:
            return drag();
        case 9:
        case 10:
            return turnWheel();
        default:
            return rare();
        }
    }

private:
    int below(int end)
    {
        return static_cast<int>(m_chance() % static_cast<unsigned>(end));
    }
    Qt::KeyboardModifiers someModifiers()
    {
        constexpr std::array<Qt::KeyboardModifiers, 6> kAll{Qt::NoModifier,  Qt::NoModifier,
                                                            Qt::NoModifier,  Qt::ShiftModifier,
                                                            Qt::AltModifier, Qt::ControlModifier};
        return kAll[static_cast<std::size_t>(below(6))];
    }
    QWidget& window()
    {
        QWidget* const modal = QApplication::activeModalWidget();
        return modal != nullptr ? *modal : m_opened.window;
    }
    /// The visible widget under a place at random, and the place in it.
    QWidget* somewhere(QPoint& at)
    {
        QWidget& top = window();
        const QPoint place(below(std::max(1, top.width())), below(std::max(1, top.height())));
        QWidget* const child = top.childAt(place);
        QWidget* const widget = child != nullptr ? child : &top;
        at = widget->mapFrom(&top, place);
        return widget;
    }
    /// What would leave the program, or start another one, is no business of a monkey.
    static bool isTaboo(const QWidget& widget)
    {
        static const QStringList names{QStringLiteral("openInEditor"),
                                       QStringLiteral("openReport")};
        return names.contains(widget.objectName());
    }

    QString pressKey()
    {
        constexpr std::array<Qt::Key, 62> kKeys{Qt::Key_Left,
                                                Qt::Key_Right,
                                                Qt::Key_Up,
                                                Qt::Key_Down,
                                                Qt::Key_Home,
                                                Qt::Key_End,
                                                Qt::Key_PageUp,
                                                Qt::Key_PageDown,
                                                Qt::Key_Tab,
                                                Qt::Key_Backtab,
                                                Qt::Key_Space,
                                                Qt::Key_Return,
                                                Qt::Key_Escape,
                                                Qt::Key_Escape,
                                                Qt::Key_Backspace,
                                                Qt::Key_Delete,
                                                Qt::Key_A,
                                                Qt::Key_B,
                                                Qt::Key_C,
                                                Qt::Key_D,
                                                Qt::Key_E,
                                                Qt::Key_F,
                                                Qt::Key_G,
                                                Qt::Key_H,
                                                Qt::Key_I,
                                                Qt::Key_J,
                                                Qt::Key_K,
                                                Qt::Key_L,
                                                Qt::Key_M,
                                                Qt::Key_N,
                                                Qt::Key_O,
                                                Qt::Key_P,
                                                Qt::Key_R,
                                                Qt::Key_S,
                                                Qt::Key_T,
                                                Qt::Key_U,
                                                Qt::Key_V,
                                                Qt::Key_W,
                                                Qt::Key_X,
                                                Qt::Key_Y,
                                                Qt::Key_Z,
                                                Qt::Key_0,
                                                Qt::Key_1,
                                                Qt::Key_2,
                                                Qt::Key_3,
                                                Qt::Key_4,
                                                Qt::Key_5,
                                                Qt::Key_6,
                                                Qt::Key_7,
                                                Qt::Key_8,
                                                Qt::Key_9,
                                                Qt::Key_Plus,
                                                Qt::Key_Minus,
                                                Qt::Key_BracketLeft,
                                                Qt::Key_BracketRight,
                                                Qt::Key_Period,
                                                Qt::Key_Comma,
                                                Qt::Key_Question,
                                                Qt::Key_F1,
                                                Qt::Key_F6,
                                                Qt::Key_Insert,
                                                Qt::Key_Slash};
        const Qt::Key key = kKeys[static_cast<std::size_t>(below(62))];
        const Qt::KeyboardModifiers modifiers = someModifiers();
        // Ctrl+Q and Ctrl+W close what is tested.
        if (modifiers == Qt::ControlModifier && (key == Qt::Key_W || key == Qt::Key_P)) {
            return QStringLiteral("nothing");
        }
        QWidget* const focus = QApplication::focusWidget();
        QWidget& target = focus != nullptr ? *focus : window();
        if (isTaboo(target)) {
            return QStringLiteral("nothing");
        }
        const QString words = QStringLiteral("key %1 (%2) on %3")
                                  .arg(int(key))
                                  .arg(int(modifiers))
                                  .arg(target.objectName());
        QTest::keyClick(&target, key, modifiers);
        return words;
    }

    QString click()
    {
        QPoint at;
        QWidget* const widget = somewhere(at);
        if (isTaboo(*widget)) {
            return QStringLiteral("nothing");
        }
        const QString words =
            QStringLiteral("click on %1 %2")
                .arg(QString::fromLatin1(widget->metaObject()->className()), widget->objectName());
        const int kind = below(8);
        const Qt::MouseButton button = kind == 0 ? Qt::RightButton : Qt::LeftButton;
        if (kind == 1) {
            QTest::mouseDClick(widget, Qt::LeftButton, someModifiers(), at);
        } else {
            QTest::mouseClick(widget, button, someModifiers(), at);
        }
        return words;
    }

    QString drag()
    {
        QPoint at;
        QWidget* const widget = somewhere(at);
        if (isTaboo(*widget) || qobject_cast<QAbstractButton*>(widget) != nullptr) {
            return QStringLiteral("nothing");
        }
        const QString words =
            QStringLiteral("drag on %1 %2")
                .arg(QString::fromLatin1(widget->metaObject()->className()), widget->objectName());
        const Qt::KeyboardModifiers modifiers = someModifiers();
        const QPoint to = at + QPoint(below(300) - 150, below(120) - 60);
        test::drag(*widget, at, to, modifiers);
        return words;
    }

    QString turnWheel()
    {
        QPoint at;
        QWidget* const widget = somewhere(at);
        const QString words = QStringLiteral("wheel on %1").arg(widget->objectName());
        QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, below(2) == 0 ? 120 : -120},
                          Qt::NoButton, someModifiers(), Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(widget, &event);
        return words;
    }

    /// Files dropped and closed, other sizes, other views.
    QString rare()
    {
        if (QApplication::activeModalWidget() != nullptr) {
            return QStringLiteral("nothing");
        }
        switch (below(10)) {
        case 0:
        case 1: {
            const QString file = m_files[below(static_cast<int>(m_files.size()))];
            if (m_opened.session.files().size() < 4) {
                dropFiles(m_opened.window, {file});
            }
            return QStringLiteral("drop %1").arg(file);
        }
        case 2:
            if (m_opened.session.files().size() > 2) {
                m_opened.session.remove(m_opened.session.files().front().id);
            }
            return QStringLiteral("close a file");
        case 3:
            m_opened.window.resize(700 + below(1200), 500 + below(700));
            return QStringLiteral("resize");
        case 4:
            m_opened.preferences.setTheme(below(2) == 0 ? ThemeChoice::dark : ThemeChoice::light);
            return QStringLiteral("theme");
        default: {
            const QStringList views = MainWindow::viewNames();
            const QString view = views[below(static_cast<int>(views.size()))];
            m_opened.window.showView(view, false);
            return QStringLiteral("view %1").arg(view);
        }
        }
    }

    /// Whatever waits for a person: a menu is closed, a dialog gets a few more steps, then it is.
    /// And nothing is asked of other machines.
    void answerDialogs()
    {
        for (QWidget* const top : QApplication::topLevelWidgets()) {
            if (top->isVisible() && top->inherits("tidemark::ui::RemoteDialog")) {
                top->close();
            }
        }
        if (QWidget* const popup = QApplication::activePopupWidget()) {
            popup->close();
        } else if (QWidget* const modal = QApplication::activeModalWidget()) {
            if (qobject_cast<QFileDialog*>(modal) != nullptr || ++m_waited % 8 == 0) {
                modal->close();
            }
        }
    }

    Opened& m_opened;
    QStringList m_files;
    std::mt19937 m_chance;
    QTimer m_answer;
    int m_waited = 0;
};

} // namespace

class TstMonkey : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void nothingThatIsDoneBreaksTheWindow()
    {
        const QTemporaryDir folder;
        // Copies: bookmarks and corrections are written beside the file.
        QStringList files;
        for (const char* name : {"first.pickle", "second.pickle", "third.pickle"}) {
            files << folder.filePath(QString::fromLatin1(name));
            QVERIFY(QFile::copy(examplePath(), files.back()));
        }
        const QString damaged = folder.filePath(QStringLiteral("damaged.pickle"));
        QFile whole(examplePath());
        QFile part(damaged);
        QVERIFY(whole.open(QIODevice::ReadOnly) && part.open(QIODevice::WriteOnly));
        part.write(whole.read(whole.size() / 3));
        part.close();
        files << damaged;
        for (const QString& file :
             qEnvironmentVariable("TIDEMARK_MONKEY_FILES").split(u':', Qt::SkipEmptyParts)) {
            files << folder.filePath(QFileInfo(file).fileName());
            QVERIFY(QFile::copy(file, files.back()));
        }
        QString first = files.front();
        if (const QString file = qEnvironmentVariable("TIDEMARK_MONKEY_OPEN"); !file.isEmpty()) {
            first = folder.filePath(QStringLiteral("open.pickle"));
            QVERIFY(QFile::copy(file, first));
            files << first; // It is closed now and then.
        }

        const auto seed = static_cast<unsigned>(numberFrom("TIDEMARK_MONKEY_SEED", 1));
        const qint64 seconds = numberFrom("TIDEMARK_MONKEY_SECONDS", 0);
        const int steps = seconds > 0 ? std::numeric_limits<int>::max()
                                      : numberFrom("TIDEMARK_MONKEY_STEPS", kSteps);
        Opened opened({1400, 850});
        opened.show();
        opened.open({first});
        const double held = heldMiB();
        const double allocated = allocatedMiB();
        opened.window.activateWindow();
        Monkey monkey(opened, files, seed);
        Frames frames;
        Unrest unrest;
        QElapsedTimer all;
        all.start();
        qint64 longest = 0;
        qint64 minutes = 0;
        SlowSteps slow;
        int i = 0;
        for (; i < steps && (seconds == 0 || all.elapsed() < seconds * 1000); ++i) {
            QElapsedTimer step;
            step.start();
            const double cpu = threadMs();
            const QString words = monkey.step();
            QCoreApplication::processEvents();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); // As in a program.
            longest = std::max(longest, step.elapsed());
            const double spent = threadMs() - cpu;
            slow.add(spent, words);
            frames.endStep(words);
            const QString restless = unrest.endStep();
            QVERIFY2(restless.isEmpty(), qPrintable(restless % QStringLiteral("after ") % words));
            if (spent >= kLongestStep || step.elapsed() >= 12 * kLongestStep) {
                slow.print();
            }
            QVERIFY2(spent < kLongestStep && step.elapsed() < 12 * kLongestStep,
                     qPrintable(QStringLiteral("step %1 of seed %2 took %3 ms: %4")
                                    .arg(i)
                                    .arg(seed)
                                    .arg(step.elapsed())
                                    .arg(words)));
            if (all.elapsed() / 60000 > minutes) {
                minutes = all.elapsed() / 60000;
                qInfo("%lld min: %d steps, %.0f MiB, %.0f allocated, %lld files",
                      static_cast<long long>(minutes), i, heldMiB(), allocatedMiB(),
                      static_cast<long long>(opened.session.files().size()));
            }
            if (!opened.window.isVisible()) {
                opened.window.show(); // Ctrl+Q, a close button.
            }
        }
        qInfo("%d steps of seed %u in %lld ms, the longest %lld ms", i, seed,
              static_cast<long long>(all.elapsed()), static_cast<long long>(longest));
        slow.print();
        frames.print();
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), 60000);
        while (!opened.session.files().empty()) {
            opened.session.remove(opened.session.files().front().id);
        }
        opened.open({first});
        const double held_at_end = heldMiB();
        qInfo("%.0f MiB held at first, %.0f MiB at the end; allocated %.0f and %.0f MiB", held,
              held_at_end, allocated, allocatedMiB());
        // A short run has hardly filled its caches, and sanitizers hold what was freed.
        QVERIFY(seconds == 0 || held_at_end < held + kMostHeld);
    }
};

TIDEMARK_TEST(TstMonkey)

} // namespace tidemark::tst_monkey

#include "tst_monkey.moc"
