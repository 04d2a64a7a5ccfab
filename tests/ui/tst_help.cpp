// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/views/dialogs/help_dialog.h"
#include "ui/views/memory_map/memory_map_view.h"
#include "ui/views/panels/fixes_panel.h"
#include "ui/views/panels/icicle_view.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/help_actions.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QPointer>
#include <QtCore/QTemporaryDir>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QDesktopServices>
#include <QtGui/QShortcut>
#include <QtGui/QTextTable>
#include <QtTest/QTest>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QTextBrowser>

#include <algorithm>
#include <set>

namespace tidemark::tst_help {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

/// Whether a widget takes a key instead of handing it on.
bool takes(QWidget& widget, QKeyCombination keys)
{
    QKeyEvent press(QEvent::KeyPress, keys.key(), keys.keyboardModifiers());
    static_cast<QObject&>(widget).event(&press); // Itself alone: parents are not asked.
    return press.isAccepted();
}

} // namespace

/// Takes what the desktop would open.
class DocumentationUrls : public QObject {
    Q_OBJECT
public:
    QUrl opened;
public Q_SLOTS:
    void open(const QUrl& url)
    {
        opened = url;
    }
};

class TstHelp : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void theDocumentationIsFoundOffline()
    {
        const QTemporaryDir prefix;
        QVERIFY(QDir(prefix.path()).mkpath(QStringLiteral("bin")));
        const QString programs = prefix.filePath(QStringLiteral("bin"));
        QCOMPARE(documentationPage(programs), QString());
        const QString site = prefix.filePath(QStringLiteral("share/doc/tidemark/html"));
        QVERIFY(QDir().mkpath(site));
        QFile page(site + QStringLiteral("/index.html"));
        QVERIFY(page.open(QIODevice::WriteOnly));
        QCOMPARE(documentationPage(programs), page.fileName());
        // Not installed: that of the source tree.
        QCOMPARE(documentationPage(QStringLiteral(TIDEMARK_SOURCE_DIR "/build/dev/app/tidemark")),
                 QStringLiteral(TIDEMARK_SOURCE_DIR "/docs/index.md"));
    }

    void theMenuOpensTheDocumentation()
    {
        Opened opened({1000, 700});
        opened.show();
        DocumentationUrls urls;
        QDesktopServices::setUrlHandler(QStringLiteral("file"), &urls, "open");
        QAction* entry = nullptr;
        for (QAction* action : opened.window.findChildren<QAction*>()) {
            entry = plainTitle(action->text()) == QStringLiteral("Documentation") ? action : entry;
        }
        QVERIFY(entry != nullptr);
        entry->trigger();
        QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
        QCOMPARE(urls.opened.toLocalFile(), QStringLiteral(TIDEMARK_SOURCE_DIR "/docs/index.md"));
    }

    void whatKeysDoStandsBelowEachOther()
    {
        Opened opened({1000, 700});
        opened.show();
        auto* dialog = qobject_cast<HelpDialog*>(opened.window.openDialog(QStringLiteral("keys")));
        const auto* page = dialog->findChild<QTextBrowser*>(QStringLiteral("keys"));
        QVERIFY(page != nullptr);
        std::set<double> widths;
        for (QTextFrame* frame : page->document()->rootFrame()->childFrames()) {
            if (const auto* table = qobject_cast<QTextTable*>(frame)) {
                widths.insert(table->format().columnWidthConstraints().value(0).rawValue());
            }
        }
        QCOMPARE(widths.size(), 1UL);
        QVERIFY(*widths.begin() > 50);
        dialog->close();
    }

    void everyShortcutStandsInTheSheet()
    {
        Opened opened({1400, 900});
        opened.show();
        opened.open({examplePath()});
        std::set<std::pair<int, QString>> listed;
        for (const KeyGroup& group : keysOf(opened.window)) {
            for (const KeyHelp& help : group.keys) {
                QVERIFY2(!help.words.isEmpty(), qPrintable(group.title));
                QVERIFY(help.hasKey() || !help.gesture.isEmpty());
                listed.emplace(help.key.toCombined(), help.words);
            }
        }
        int actions = 0;
        for (const QAction* action : opened.window.findChildren<QAction*>()) {
            for (const QKeySequence& key : action->shortcuts()) {
                QString words = action->text();
                words.remove(u'&').remove(QStringLiteral("…"));
                QVERIFY2(listed.contains({key[0].toCombined(), words}), qPrintable(words));
                ++actions;
            }
        }
        QVERIFY(actions > 20);
        for (const QShortcut* shortcut : opened.window.findChildren<QShortcut*>()) {
            QVERIFY(listed.contains({shortcut->key()[0].toCombined(), shortcut->whatsThis()}));
        }
    }

    void theViewsTakeTheKeysTheyList()
    {
        Opened opened({1400, 900});
        opened.show();
        opened.open({examplePath()});
        TimelinePlot& plot = opened.window.analysisPage().timeline().plot();
        opened.window.viewState().selectRange(Interval<StateId>{{10}, {20}});
        for (const KeyHelp& help : TimelinePlot::keyHelp()) {
            if (help.key == QKeyCombination(Qt::Key_Escape)) {
                opened.window.viewState().selectRange(Interval<StateId>{{10}, {20}});
            }
            QVERIFY2(!help.hasKey() || takes(plot, help.key), qPrintable(help.words));
        }
        opened.window.showView(QStringLiteral("fixes"), false);
        for (const KeyHelp& help : FixesPanel::keyHelp()) {
            QVERIFY2(takes(*opened.window.findChild<FixesPanel*>(), help.key),
                     qPrintable(help.words));
        }
        opened.window.showView(QStringLiteral("memory"), false);
        auto* map = opened.window.findChild<MemoryMapView*>();
        for (const KeyHelp& help : MemoryMapView::keyHelp()) {
            QVERIFY2(takes(*map, help.key), qPrintable(help.words));
        }
        opened.window.showView(QStringLiteral("stacks"), false);
        Opened::settle();
        auto* icicle = opened.window.findChild<IcicleView*>(QStringLiteral("icicle"));
        for (const KeyHelp& help : IcicleView::keyHelp()) {
            QVERIFY2(takes(*icicle, help.key), qPrintable(help.words));
        }
    }

    void aQuestionMarkOpensTheSheet()
    {
        Opened opened({1400, 900});
        opened.show();
        opened.open({examplePath()});
        TimelinePlot& plot = opened.window.analysisPage().timeline().plot();
        plot.setFocus();
        QTest::keyClick(&plot, Qt::Key_Question);
        auto* help = opened.window.findChild<HelpDialog*>();
        QVERIFY(help != nullptr && help->isVisible());
        const auto* tabs = help->findChild<QTabWidget*>();
        QCOMPARE(tabs->currentWidget()->objectName(), QStringLiteral("keys"));
        const auto* page = help->findChild<QTextBrowser*>(QStringLiteral("keys"));
        QVERIFY(page->toPlainText().contains(QStringLiteral("Zoom to Selected Range")));
        QVERIFY(page->toPlainText().contains(QStringLiteral("Ctrl+drag")));
        QVERIFY(page->toPlainText().contains(QStringLiteral("Ctrl+click")));
        QVERIFY(page->toPlainText().contains(QStringLiteral("Ctrl+Return")));
        // Help explains the words, too, in the same window.
        QTest::keyClick(help, Qt::Key_Escape);
        QTest::keyClick(&plot, Qt::Key_F1);
        help = opened.window.findChildren<HelpDialog*>().back();
        const auto* words = help->findChild<QTextBrowser*>(QStringLiteral("words"));
        for (const char* word :
             {"reserved", "active", "allocated", "segment", "pool", "cached", "capacity"}) {
            QVERIFY2(words->toPlainText().contains(QString::fromLatin1(word)), word);
        }
        QVERIFY(!help->showPage(QStringLiteral("no such page")));
    }

    void formerPagesGoWhenQtIsDoneWithThem()
    {
        HelpDialog help;
        const HelpDialog::Page page{QStringLiteral("keys"), QStringLiteral("Keys"), {}};
        help.setPages({page});
        help.show();
        const QPointer<QTextBrowser> former = help.findChild<QTextBrowser*>(page.name);
        help.setPages({page, {QStringLiteral("words"), QStringLiteral("Words"), {}}});
        QVERIFY(!former.isNull());
        QVERIFY(help.findChild<QTextBrowser*>(page.name) != former); // Nobody finds it any more.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(former.isNull());
        QVERIFY(help.showPage(QStringLiteral("words")));
    }

    void everyDialogOpensByName()
    {
        Opened opened({1400, 900});
        opened.show();
        QVERIFY(opened.window.openDialog(QStringLiteral("relabel")) == nullptr); // Of no file.
        opened.open({examplePath()});
        QVERIFY(opened.window.openDialog(QStringLiteral("no such dialog")) == nullptr);
        for (const QString& name : MainWindow::dialogNames()) {
            QWidget* const dialog = opened.window.openDialog(name);
            QVERIFY2(dialog != nullptr && dialog->isVisible(), qPrintable(name));
            dialog->close();
        }
    }

    void aQuestionMarkInAFieldIsText()
    {
        Opened opened({1400, 900});
        opened.show();
        opened.open({examplePath()});
        auto* field = opened.child<QLineEdit>("capacity");
        field->setFocus();
        QTest::keyClick(field, Qt::Key_Question);
        QVERIFY(opened.window.findChild<HelpDialog*>() == nullptr);
    }
};

TIDEMARK_TEST(TstHelp)

} // namespace tidemark::tst_help

#include "tst_help.moc"
