// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/events_model.h"
#include "ui/models/view_state.h"
#include "ui/views/panels/events_panel.h"

#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

namespace tidemark::tst_events_panel {

using namespace tidemark::ui;
using tidemark::test::analysisOf;

namespace {

const char* const kScript = "stack a = linear /x/site-packages/torch/nn/functional.py:5; forward "
                            "/me/model.py:10; main /me/train.py:4\n"
                            "live w 1M\n"
                            "a +6M @a\nb +2M\nb -\noom 64M free=3M @a\n";

struct Shown {
    ViewState state;
    EventsPanel panel{state};

    explicit Shown(const char* script = kScript)
    {
        panel.resize(900, 300);
        panel.show();
        state.show(analysisOf(script), 0);
    }
    [[nodiscard]] QTableView& table() const
    {
        return *panel.findChild<QTableView*>(QStringLiteral("events"));
    }
    [[nodiscard]] QString at(int row, EventsModel::Column column) const
    {
        return table().model()->index(row, column).data().toString();
    }
    void search(const char* words, const char* button = "eventsNext")
    {
        panel.findChild<QLineEdit*>(QStringLiteral("eventsSearch"))
            ->setText(QString::fromLatin1(words));
        panel.findChild<QToolButton*>(QString::fromLatin1(button))->click();
    }
    [[nodiscard]] int row() const
    {
        return table().currentIndex().row();
    }
};

} // namespace

class TstEventsPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEventIsARow()
    {
        const Shown shown;
        const QAbstractItemModelTester tester(shown.table().model());
        QCOMPARE(shown.table().model()->rowCount(), 5);
        QCOMPARE(shown.at(0, EventsModel::Action), QStringLiteral("alloc"));
        QCOMPARE(shown.at(0, EventsModel::Size), QStringLiteral("6.00 MiB"));
        for (int row = 0; row < 5; ++row) { // One unit per column.
            QVERIFY(shown.at(row, EventsModel::Size).endsWith(QStringLiteral(" MiB")));
        }
        QCOMPARE(shown.at(0, EventsModel::Line), QStringLiteral("model.py:10 forward"));
        QCOMPARE(shown.at(2, EventsModel::Action), QStringLiteral("free_requested"));
        QCOMPARE(shown.at(4, EventsModel::Action), QStringLiteral("oom"));
        QCOMPARE(shown.at(4, EventsModel::Address), QStringLiteral("free 3.00 MiB"));
        QVERIFY(shown.at(0, EventsModel::Address).startsWith(QStringLiteral("0x")));
        QVERIFY(shown.table().isColumnHidden(EventsModel::Stream)); // all in the default one
    }

    void aLineOfCppIsNobodysOwn()
    {
        const Shown shown("stack n = c10::intrusive_ptr<c10::StorageImpl>::make ??:0; "
                          "at::detail::empty_generic ??:0\n"
                          "stack l = at::native::linear ??:0; "
                          "linear /x/site-packages/torch/nn/functional.py:5\n"
                          "a +6M @n\nb +2M @l\nc +1M\n");
        QCOMPARE(shown.at(0, EventsModel::Line), QStringLiteral("no Python stack"));
        QVERIFY(shown.table()
                    .model()
                    ->index(0, EventsModel::Line)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .startsWith(QStringLiteral("c10::")));
        QCOMPARE(shown.at(1, EventsModel::Line), QStringLiteral("functional.py:5 linear"));
        QVERIFY(shown.at(2, EventsModel::Line).isEmpty());
        const auto& model = static_cast<const EventsModel&>(*shown.table().model());
        QVERIFY(model.shownFrame(0).isNone() && !model.shownFrame(1).isNone()); // No link to C++.
    }

    void rowAndCursorGoTogether()
    {
        Shown shown;
        shown.table().setCurrentIndex(shown.table().model()->index(1, 0));
        QCOMPARE(shown.state.cursor(), StateId(2U));
        QCOMPARE(shown.state.selected(), shown.state.replay().event_allocation[1]);
        shown.state.setCursor(StateId(4U));
        QCOMPARE(shown.row(), 3);
        // Following the cursor is no choice of its own.
        QCOMPARE(shown.state.cursor(), StateId(4U));
        shown.state.setCursor(StateId(0U));
        QCOMPARE(shown.row(), 0);
        QCOMPARE(shown.state.cursor(), StateId(0U));
    }

    void wordsAndAddressesAreFound()
    {
        Shown shown;
        shown.state.setCursor(StateId(1U));
        shown.search("OOM");
        QCOMPARE(shown.row(), 4);
        shown.search("model.py", "eventsPrevious");
        QCOMPARE(shown.row(), 0);
        shown.search(shown.at(1, EventsModel::Address).toLatin1().constData());
        QCOMPARE(shown.row(), 1);
        shown.search("nowhere");
        QCOMPARE(shown.row(), 1);
        QVERIFY(shown.panel.findChild<QLabel*>(QStringLiteral("eventsWords"))
                    ->text()
                    .contains(QStringLiteral("nowhere")));
    }

    void aFileWithoutHistorySaysSo()
    {
        const Shown shown("live w 1M\n");
        QVERIFY(shown.panel.findChild<QLabel*>(QStringLiteral("eventsWords"))
                    ->text()
                    .contains(QStringLiteral("No history")));
    }

    void aHiddenListKeepsNoEventsOfAnOldDevice()
    {
        Shown shown;
        shown.panel.hide();
        shown.state.show(analysisOf("a +1M\nb +1M\n"), 0);
        QCOMPARE(shown.table().model()->rowCount(), 0);
        shown.panel.show();
        QCOMPARE(shown.table().model()->rowCount(), 2);
    }

    void enterAsksForTheStack()
    {
        Shown shown;
        QSignalSpy asked(&shown.panel, &EventsPanel::stackRequested);
        Q_EMIT shown.table().activated(shown.table().model()->index(0, 0));
        QCOMPARE(asked.count(), 1);
        Q_EMIT shown.table().activated(shown.table().model()->index(4, 0));
        QCOMPARE(asked.count(), 1);
    }
};

TIDEMARK_TEST(TstEventsPanel)

} // namespace tidemark::tst_events_panel

#include "tst_events_panel.moc"
