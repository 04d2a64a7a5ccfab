// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Every view settles, whatever its size and its columns: see unrest.h.
//
// TIDEMARK_EVERY_PIXEL  try each width (tests/deep/run.sh window)
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/unrest.h"
#include "ui/views/look/pieces.h"

#include <QtGui/QStandardItemModel>
#include <QtTest/QTest>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTableView>

namespace tidemark::tst_settles {

using namespace tidemark::ui;
using tidemark::test::Opened;

namespace {

/// Makes a column as narrow as it goes, with the mouse.
void dragNarrow(QHeaderView& header, int column)
{
    const QPoint from(header.sectionViewportPosition(column) + header.sectionSize(column) - 1, 5);
    const QPoint to(header.sectionViewportPosition(column) + 1, 5);
    test::drag(*header.viewport(), from, to);
}

int widthStep(int otherwise)
{
    return qEnvironmentVariableIsSet("TIDEMARK_EVERY_PIXEL") ? 1 : otherwise;
}

} // namespace

class TstSettles : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void aTableWithANarrowColumn()
    {
        QStandardItemModel model(1, 7);
        for (int column = 0; column < model.columnCount(); ++column) {
            model.setHorizontalHeaderItem(column, new QStandardItem(QStringLiteral("Allocations")));
            model.setItem(0, column, new QStandardItem(QStringLiteral("10.00 GiB")));
        }
        QWidget window;
        window.resize(1600, 200);
        QTableView* const table =
            makeTable(&window, QStringLiteral("table"), QStringLiteral("table"), model);
        fitColumns(*table, -1);
        window.show();
        // Wider than its words, so that what is dragged is a part of what it is where there is
        // less.
        table->setGeometry(0, 0, 1500, 60);
        Opened::settle();
        dragNarrow(*table->horizontalHeader(), 2);
        QVERIFY(table->horizontalHeader()->sectionSize(2) < 40);
        test::Unrest unrest;
        // The row has its room, but not above a scroll bar.
        const int row = table->horizontalHeader()->height() + table->rowHeight(0) + 4;
        for (int height = row; height < row + 12; height += 3) {
            for (int width = 900; width > 200; width -= widthStep(11)) {
                table->setGeometry(0, 0, width, height);
                Opened::settle();
                const QString restless = unrest.endStep();
                QVERIFY2(restless.isEmpty(), qPrintable(restless));
            }
        }
    }

    void everyViewAtEverySize()
    {
        Opened opened({1500, 700});
        opened.show();
        opened.open({test::examplePath()});
        test::Unrest unrest;
        for (const QString& view : MainWindow::viewNames()) {
            opened.window.resize(1500, 700);
            opened.window.showView(view, false);
            Opened::settle();
            for (const auto* table : opened.window.findChildren<QTableView*>()) {
                QHeaderView& header = *table->horizontalHeader();
                for (int column = 1; header.isVisible() && column < header.count(); column += 2) {
                    dragNarrow(header, column);
                }
            }
            for (const int height : {560, 660, 760}) {
                for (int width = 1500; width >= 800; width -= widthStep(97)) {
                    opened.window.resize(width, height);
                    QCoreApplication::processEvents();
                    const QString restless = unrest.endStep();
                    QVERIFY2(restless.isEmpty(), qPrintable(view % u' ' % restless));
                }
            }
        }
    }
};

TIDEMARK_TEST(TstSettles)

} // namespace tidemark::tst_settles

#include "tst_settles.moc"
