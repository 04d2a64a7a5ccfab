// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What stands in a table (panels, languages, rows of menus) is found everywhere in the window.
#include "core/base/language.h"
#include "core/base/languages.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/language.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/search_palette.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/drawer.h"
#include "ui/views/window/help_actions.h"
#include "ui/views/window/panel_table.h"

#include <QtCore/QFile>
#include <QtCore/QLocale>
#include <QtGui/QAction>
#include <QtWidgets/QDialog>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeWidget>

#include <algorithm>
#include <map>
#include <memory>

namespace tidemark::tst_menus {

using namespace tidemark::ui;
using tidemark::test::Opened;

namespace {

const PanelKind& panelOf(const QString& id)
{
    return *std::ranges::find_if(
        panelKinds(), [&](const PanelKind& kind) { return id == QLatin1String(kind.id); });
}

/// The keys of what can be pressed now, each with what it does.
std::multimap<QString, QString> pressable(const QWidget& window)
{
    std::multimap<QString, QString> keys;
    for (const QAction* action : window.findChildren<QAction*>()) {
        for (const QKeySequence& key : action->shortcuts()) {
            if (action->isEnabled() && action->shortcutContext() != Qt::WidgetShortcut) {
                keys.emplace(key.toString(), plainTitle(action->text()));
            }
        }
    }
    return keys;
}

QString twice(const std::multimap<QString, QString>& keys)
{
    const auto second =
        std::ranges::adjacent_find(keys, {}, [](const auto& key) { return key.first; });
    return second == keys.end()
        ? QString()
        : second->first % u' ' % second->second % u' ' % std::next(second)->second;
}

/// As docs/window.md has them: a row of each group.
QString keyTable(const QWidget& window)
{
    QString table = QStringLiteral("| where | keys |\n|---|---|\n");
    for (const KeyGroup& group : keysOf(window)) {
        QStringList keys;
        for (const KeyHelp& help : group.keys) {
            const QString key = help.hasKey() ? QKeySequence(help.key).toString() : help.gesture;
            keys << u'`' % key % QStringLiteral("` ") % help.words;
        }
        table += QStringLiteral("| %1 | %2 |\n").arg(group.title, keys.join(QStringLiteral(" · ")));
    }
    return table;
}

} // namespace

class TstMenus : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<Opened> m_opened;

    /// With the bundled run.
    void openExample()
    {
        m_opened = std::make_unique<Opened>(QSize(1400, 900));
        m_opened->show();
        m_opened->open({test::examplePath()});
    }
    /// What the search offers for words.
    [[nodiscard]] QStringList found(const QString& words) const
    {
        QTest::keyClick(&m_opened->window, Qt::Key_K, Qt::ControlModifier);
        auto* palette = m_opened->window.findChild<SearchPalette*>();
        QTest::keyClicks(palette->findChild<QLineEdit*>(), words);
        QStringList titles;
        const auto* list = palette->findChild<QTreeWidget*>();
        for (int row = 0; row < list->topLevelItemCount(); ++row) {
            titles << list->topLevelItem(row)->text(0);
        }
        palette->reject();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return titles;
    }

private Q_SLOTS:
    void cleanup()
    {
        m_opened.reset();
        UiTest::cleanup();
    }

    void everyPanelIsFound_data()
    {
        QTest::addColumn<QString>("id");
        for (const PanelKind& kind : panelKinds()) {
            QTest::newRow(kind.id) << QString::fromLatin1(kind.id);
        }
    }
    void everyPanelIsFound()
    {
        QFETCH(QString, id);
        const PanelKind& kind = panelOf(id);
        const QString title = AnalysisPage::tr(kind.title);
        QVERIFY(MainWindow::viewNames().contains(id)); // Of `tidemark --view`, too.
        openExample();
        QVERIFY(m_opened->window.showView(id, false));
        if (kind.place == PanelPlace::beside) {
            QVERIFY(m_opened->window.findChild<QWidget*>(id + QStringLiteral("Card"))->isVisible());
            return;
        }
        const auto* drawer = m_opened->child<Drawer>("drawer");
        QVERIFY(drawer->panel(id)->isVisible());
        if (const auto* button =
                m_opened->window.findChild<QToolButton*>(id + QStringLiteral("Switch"))) {
            QVERIFY(button->text().startsWith(title) && button->isChecked());
        }
        // Its way in the menu, in the search and in the sheet of keys: itself, or its tab.
        const auto tabs = tabKinds();
        const auto tab = std::ranges::find_if(tabs, [&](const TabKind& each) {
            return QLatin1String(each.id) == QLatin1String(kind.tab);
        });
        const QString way = isOnlyOfItsTab(kind) ? AnalysisPage::tr(tab->title) : title;
        const QStringList titles = found(way);
        QVERIFY2(titles.contains(QStringLiteral("View › Panels › ") % way),
                 qPrintable(titles.join(u'|')));
        QStringList keys;
        for (const KeyGroup& group : keysOf(m_opened->window)) {
            for (const KeyHelp& help : group.keys) {
                keys << QKeySequence(help.key).toString() % u' ' % help.words;
            }
        }
        if (kind.place == PanelPlace::tab) {
            const auto number = static_cast<int>(tab - tabs.begin());
            QVERIFY2(
                keys.contains(
                    QStringLiteral("Ctrl+%1 %2").arg(number + 1).arg(AnalysisPage::tr(tab->title))),
                qPrintable(keys.join(u'|')));
            QCOMPARE(m_opened->child<QTabBar>("drawerTabs")->tabText(number),
                     AnalysisPage::tr(tab->title));
        }
        if (kind.key.key() != Qt::Key_unknown) {
            QVERIFY(keys.contains(QKeySequence(kind.key).toString() % u' ' % title));
        }
    }

    void everyLanguageIsOffered_data()
    {
        QTest::addColumn<QString>("code");
        for (const BuiltInLanguage& language : builtInLanguages()) {
            QTest::newRow(std::string(language.id).c_str()) << text(language.id);
        }
    }
    void everyLanguageIsOffered()
    {
        QFETCH(QString, code);
        QVERIFY(isLanguage(code));
        QCOMPARE(languageFor({}, {code % QStringLiteral("-XX")}), code);
        Opened opened({1000, 700});
        auto* action = opened.window.findChild<QAction*>(QStringLiteral("language.") % code);
        QVERIFY(action != nullptr);
        const auto languages = builtInLanguages();
        QCOMPARE(action->text(),
                 text(std::ranges::find(languages, utf8(code), &BuiltInLanguage::id)->name));
        action->trigger();
        QCOMPARE(opened.preferences.language(), code);
        QVERIFY(action->isChecked());
        speakLanguage(code);
        QVERIFY(QLocale().name().startsWith(code));
        QCOMPARE(AnalysisPage::tr("Buckets"), text(translated("Buckets")));
        speakLanguage(QStringLiteral("en"));
    }

    void theStartPageDoesWhatTheMenusDo()
    {
        Opened opened({1200, 800});
        opened.show();
        for (const char* id : {"states", "plan", "explain"}) {
            opened.window.findChild<QAbstractButton*>(QLatin1String(id) % QStringLiteral("Button"))
                ->click();
            QTRY_VERIFY2(opened.window.findChild<QDialog*>() != nullptr, id);
            delete opened.window.findChild<QDialog*>();
        }
        opened.child<QAbstractButton>("exampleButton")->click();
        QTRY_COMPARE(opened.session.files().size(), std::size_t{1});
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), 60000);
    }

    void aPanelOfTheMenuLeavesTheComparison()
    {
        openExample();
        m_opened->open({QStringLiteral(TIDEMARK_SOURCE_DIR "/resources/example/gpt_oom.pickle")});
        m_opened->window.setComparing(true);
        QVERIFY(m_opened->window.isComparing());
        m_opened->child<QAction>("whatif")->trigger();
        QVERIFY(!m_opened->window.isComparing());
        QCOMPARE(m_opened->child<Drawer>("drawer")->shownPanel(), QStringLiteral("whatif"));
    }

    void noKeyDoesTwoThings()
    {
        m_opened = std::make_unique<Opened>(QSize(1400, 900));
        m_opened->show();
        QCOMPARE(twice(pressable(m_opened->window)), QString());
        QVERIFY(!m_opened->child<QAction>("fit")->isEnabled());
        m_opened->open({test::examplePath()});
        QCOMPARE(twice(pressable(m_opened->window)), QString());
        QVERIFY(m_opened->child<QAction>("fit")->isEnabled());
        QVERIFY(m_opened->child<QAction>("relabel")->isEnabled());
        m_opened->open({QStringLiteral(TIDEMARK_SOURCE_DIR "/resources/example/gpt_oom.pickle")});
        m_opened->window.setComparing(true);
        Opened::settle();
        QVERIFY(m_opened->window.isComparing());
        QCOMPARE(twice(pressable(m_opened->window)), QString());
        // L is Same Scale there, and nobody sees what would be relabelled.
        QVERIFY(!m_opened->child<QAction>("relabel")->isEnabled());
    }

    void hintsNameTheKeyOfTheirAction()
    {
        Opened opened({1000, 700});
        QVERIFY(opened.child<QToolButton>("searchPill")
                    ->toolTip()
                    .endsWith(QStringLiteral("(Ctrl+K)")));
        QVERIFY(opened.child<QToolButton>("hideDrawer")
                    ->toolTip()
                    .endsWith(QStringLiteral("(Ctrl+J)")));
        QVERIFY(opened.child<QToolButton>("searchPill")->text().endsWith(QStringLiteral("Ctrl+K")));
    }

    /// With TIDEMARK_WRITE set it is written.
    void theDocumentHasTheKeys()
    {
        Opened opened({1000, 700});
        const QString wanted = keyTable(opened.window);
        QFile file(QStringLiteral(TIDEMARK_SOURCE_DIR "/docs/window.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QString page = QString::fromUtf8(file.readAll());
        file.close();
        const qsizetype begin = page.indexOf(QStringLiteral("| where | keys |"));
        QVERIFY(begin >= 0);
        const qsizetype end = page.indexOf(QStringLiteral("\n\n"), begin) + 1;
        if (qEnvironmentVariableIsSet("TIDEMARK_WRITE")) {
            page.replace(begin, end - begin, wanted);
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
            file.write(page.toUtf8());
            return;
        }
        QCOMPARE(page.mid(begin, end - begin), wanted);
    }
};

TIDEMARK_TEST(TstMenus)

} // namespace tidemark::tst_menus

#include "tst_menus.moc"
