// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What a screen reader says about every widget that can be used.
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QAccessible>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QAbstractSlider>
#include <QtWidgets/QAbstractSpinBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialog>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QSizeGrip>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTabWidget>

namespace tidemark::tst_accessible {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

/// A part that its owner speaks for: the line of a combo box, a heading, a scroll bar.
bool isPart(const QWidget& widget)
{
    const QWidget* const parent = widget.parentWidget();
    return widget.objectName().startsWith(QStringLiteral("qt_"))
        || qobject_cast<const QScrollBar*>(&widget) != nullptr
        || qobject_cast<const QHeaderView*>(&widget) != nullptr
        || qobject_cast<const QSizeGrip*>(&widget) != nullptr
        || qobject_cast<const QComboBox*>(parent) != nullptr
        || qobject_cast<const QAbstractSpinBox*>(parent) != nullptr
        || qobject_cast<const QLineEdit*>(parent) != nullptr // The button that clears it.
        || qobject_cast<const QTabBar*>(parent) != nullptr
        || qobject_cast<const QMenuBar*>(parent) != nullptr || widget.inherits("QTableCornerButton")
        || widget.inherits("QComboBoxPrivateContainer") || widget.inherits("QComboBoxListView");
}

/// Something to read or to stand in, whose own text is its name.
bool isFrame(const QWidget& widget)
{
    return qobject_cast<const QLabel*>(&widget) != nullptr
        || qobject_cast<const QScrollArea*>(&widget) != nullptr
        || qobject_cast<const QMenu*>(&widget) != nullptr
        || qobject_cast<const QMenuBar*>(&widget) != nullptr
        || qobject_cast<const QTabBar*>(&widget) != nullptr
        || qobject_cast<const QTabWidget*>(&widget) != nullptr || widget.isWindow();
}

bool isInteractive(const QWidget& widget)
{
    return widget.focusPolicy() != Qt::NoFocus
        || qobject_cast<const QAbstractButton*>(&widget) != nullptr
        || qobject_cast<const QAbstractSlider*>(&widget) != nullptr;
}

QString pathOf(const QWidget& widget, const QWidget& root)
{
    QStringList names;
    for (const QWidget* at = &widget; at != nullptr && at != &root; at = at->parentWidget()) {
        names.prepend(QString::fromLatin1(at->metaObject()->className()) % u':' % at->objectName());
    }
    return names.join(QStringLiteral(" / "));
}

/// The interactive widgets below `root`, shown or not, that have no name.
QStringList unnamed(QWidget& root, int& seen)
{
    QStringList found;
    for (QWidget* widget : root.findChildren<QWidget*>()) {
        if (!isInteractive(*widget) || isPart(*widget) || isFrame(*widget)) {
            continue;
        }
        ++seen;
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
        if (face == nullptr || face->text(QAccessible::Name).trimmed().isEmpty()) {
            found << pathOf(*widget, root);
        }
    }
    return found;
}

/// In the words of a failure; empty: all are named.
QByteArray missingNames(QWidget& root, int& seen)
{
    const QStringList missing = unnamed(root, seen);
    for (const QString& path : missing) {
        qInfo("without a name: %s", qPrintable(path)); // A failure shows but the beginning.
    }
    return missing.join(u'\n').toLocal8Bit();
}

} // namespace

class TstAccessible : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void everyViewNamesWhatCanBeUsed();
    void everyDialogNamesWhatCanBeUsed_data();
    void everyDialogNamesWhatCanBeUsed();
    void aMissingNameIsFound();
};

void TstAccessible::everyViewNamesWhatCanBeUsed()
{
    const QTemporaryDir folder;
    const QString other = folder.filePath(QStringLiteral("second.pickle"));
    QVERIFY(QFile::copy(examplePath(), other));
    Opened opened({1200, 760});
    opened.show();
    int seen = 0;
    QCOMPARE(missingNames(opened.window, seen), QByteArray());
    opened.open({examplePath()});
    for (const QString& view : MainWindow::viewNames()) {
        if (view == QStringLiteral("start") || view == QStringLiteral("compare")
            || view == QStringLiteral("job")) {
            continue;
        }
        QVERIFY2(opened.window.showView(view, false), qPrintable(view));
        Opened::settle();
        seen = 0;
        QCOMPARE(missingNames(opened.window, seen), QByteArray());
    }
    QVERIFY2(seen > 100, qPrintable(QString::number(seen)));
    opened.open({other});
    QVERIFY(opened.window.isComparing());
    QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), 60000);
    Opened::settle();
    QCOMPARE(missingNames(opened.window, seen), QByteArray());
}

void TstAccessible::everyDialogNamesWhatCanBeUsed_data()
{
    QTest::addColumn<QString>("name");
    for (const QString& name : MainWindow::dialogNames()) {
        QTest::newRow(qPrintable(name)) << name;
    }
}

void TstAccessible::everyDialogNamesWhatCanBeUsed()
{
    QFETCH(const QString, name);
    Opened opened({1200, 760});
    opened.show();
    opened.open({examplePath()});
    QWidget* dialog = opened.window.openDialog(name);
    QVERIFY(dialog != nullptr);
    Opened::settle();
    QVERIFY2(!dialog->windowTitle().isEmpty() || !dialog->accessibleName().isEmpty(),
             "A dialog without a title");
    int seen = 0;
    QCOMPARE(missingNames(*dialog, seen), QByteArray());
    QVERIFY(seen > 0);
}

void TstAccessible::aMissingNameIsFound()
{
    QWidget root;
    auto* button = new QToolButton(&root);
    int seen = 0;
    QCOMPARE(unnamed(root, seen).size(), 1);
    button->setText(QStringLiteral("Named"));
    QVERIFY(unnamed(root, seen).isEmpty());
    QCOMPARE(seen, 2);
}

TIDEMARK_TEST(TstAccessible)

} // namespace tidemark::tst_accessible

#include "tst_accessible.moc"
