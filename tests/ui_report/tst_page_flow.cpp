// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui_report/pdf_probe.h"
#include "ui/report/page_flow.h"
#include "ui/report/table.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <cmath>

namespace tidemark::tst_page_flow {

using namespace tidemark::ui::report;

namespace {

const QSizeF kA4(595, 842);

Table numberedTable(int rows)
{
    Table table;
    table.columns = {{QStringLiteral("Headword")},
                     {QStringLiteral("Figure"), 80, TextBlock::Align::right}};
    for (int i = 0; i < rows; ++i) {
        table.rows.push_back(
            {{cell(QStringLiteral("row%1").arg(i)), cell(QString::number(i * 7))}});
    }
    return table;
}

} // namespace

class TstPageFlow : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    [[nodiscard]] QString pdf() const
    {
        return m_folder.filePath(QStringLiteral("flow.pdf"));
    }

private Q_SLOTS:
    void aTableRepeatsItsHeaderAndLosesNoRow()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        PageFlow flow(kA4);
        addTable(flow, numberedTable(150));
        QVERIFY(flow.pageCount() >= 3);
        QVERIFY(test::writePages(flow, pdf()));
        const auto words = test::wordsOf(pdf());
        QStringList rows;
        std::vector<int> headers(flow.pageCount() + 1, 0);
        for (const test::Word& word : words) {
            if (word.text == QStringLiteral("Headword")) {
                ++headers[static_cast<std::size_t>(word.page)];
            } else if (word.text.startsWith(QStringLiteral("row"))) {
                rows << word.text;
            }
        }
        QCOMPARE(rows.size(), 150);
        QCOMPARE(rows.first(), QStringLiteral("row0"));
        QCOMPARE(rows.last(), QStringLiteral("row149"));
        for (std::size_t page = 1; page <= flow.pageCount(); ++page) {
            QCOMPARE(headers[page], 1);
        }
        QCOMPARE(test::wordsOutside(pdf(), kPageMargin - 0.5), QStringList());
        QCOMPARE(test::overlappingWords(pdf()), QStringList());
    }

    void aRowTallerThanAPageContinuesOnTheNextOne()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        PageFlow flow(kA4);
        addParagraph(flow, QStringLiteral("before"));
        Table table = numberedTable(1);
        QString story;
        for (int i = 0; i < 900; ++i) {
            story += QStringLiteral("word%1 ").arg(i);
        }
        table.rows.push_back({{cell(story), cell(QString(3000, u'8'))}});
        table.rows.push_back({{cell(QStringLiteral("afterwards")), cell({})}});
        addTable(flow, table);
        QVERIFY(flow.pageCount() >= 2);
        QVERIFY(test::writePages(flow, pdf()));
        int found = 0;
        qsizetype eights = 0;
        for (const test::Word& word : test::wordsOf(pdf())) {
            found += word.text.startsWith(QStringLiteral("word")) ? 1 : 0;
            eights += word.text.startsWith(u'8') ? word.text.size() : 0;
        }
        QCOMPARE(found, 900);
        QCOMPARE(eights, 3000);
        QCOMPARE(test::wordsOutside(pdf(), kPageMargin - 0.5), QStringList());
        QCOMPARE(test::overlappingWords(pdf()), QStringList());
    }

    void aTotalStaysWithTheRowBeforeIt()
    {
        // At every length of the table: the total is never the first row of a page.
        for (int rows = 1; rows < 60; ++rows) {
            PageFlow flow(kA4);
            Table table = numberedTable(rows);
            addTable(flow, table);
            const std::size_t pages_without = flow.pageCount();
            const double y_without = flow.y();
            table.rows.push_back({{cell(QStringLiteral("total")), cell({})}, true});
            PageFlow with(kA4);
            addTable(with, table);
            if (with.pageCount() > pages_without) {
                QVERIFY2(with.y() > with.content().top() + 50, qPrintable(QString::number(rows)));
            } else {
                QVERIFY(with.y() >= y_without); // The same where a row came along with it.
            }
        }
    }

    void noRowStandsAloneOnItsPage()
    {
        // At every place on the page where a table may begin: the page it ends on has its header
        // and two rows at least, whatever its length.
        const double row = [] {
            PageFlow flow(kA4);
            const double one = tableHeight(flow, numberedTable(1));
            return tableHeight(flow, numberedTable(2)) - one;
        }();
        const PageFlow empty(kA4);
        for (int rows = 2; rows < 9; ++rows) {
            for (double used = 400; used < empty.content().height(); used += 3) {
                PageFlow flow(kA4);
                flow.take(used);
                addTable(flow, numberedTable(rows));
                const double whole = tableHeight(flow, numberedTable(rows));
                const double last_page = flow.y() - flow.content().top() - 4; // Space behind it.
                if (flow.pageCount() == 1) {
                    continue;
                }
                QVERIFY2(last_page > whole - rows * row + 1.9 * row,
                         qPrintable(QStringLiteral("%1 rows at %2").arg(rows).arg(used)));
                QVERIFY2(last_page < whole - 1.9 * row || last_page > whole - 0.1 * row,
                         qPrintable(QStringLiteral("%1 rows at %2").arg(rows).arg(used)));
            }
        }
    }

    void aHeadingIsNeverLeftAloneAtTheFootOfAPage()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        for (double used = 560; used < 720; used += 11) {
            PageFlow flow(kA4);
            flow.take(used);
            addHeading(flow, QStringLiteral("Heading"), 0, tableHeight(flow, numberedTable(3)));
            addTable(flow, numberedTable(3));
            QVERIFY(test::writePages(flow, pdf()));
            int heading = 0;
            int first_row = 0;
            for (const test::Word& word : test::wordsOf(pdf())) {
                heading = word.text == QStringLiteral("Heading") ? word.page : heading;
                first_row = word.text == QStringLiteral("row0") ? word.page : first_row;
            }
            QVERIFY(heading > 0);
            QCOMPARE(first_row, heading);
        }
    }

    void longParagraphsAndSnippetsContinue()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        PageFlow flow(kA4);
        QString code;
        for (int i = 0; i < 200; ++i) {
            code += QStringLiteral("line%1()").arg(i) + newLine();
        }
        addCode(flow, QStringLiteral("PyTorch"), code);
        addBullet(flow, {{QString(8000, u'q'), kBody}});
        addCard(flow, Qt::red, {{{QString(9000, u'w'), kBody}}});
        QVERIFY(flow.pageCount() >= 4);
        QVERIFY(test::writePages(flow, pdf()));
        int lines = 0;
        qsizetype letters = 0;
        for (const test::Word& word : test::wordsOf(pdf())) {
            lines += word.text.startsWith(QStringLiteral("line")) ? 1 : 0;
            letters +=
                word.text.startsWith(u'q') || word.text.startsWith(u'w') ? word.text.size() : 0;
        }
        QCOMPARE(lines, 200);
        QCOMPARE(letters, 17000);
        QCOMPARE(test::wordsOutside(pdf(), kPageMargin - 0.5), QStringList());
    }

    void bookmarksKnowTheirPage()
    {
        PageFlow flow(kA4);
        addHeading(flow, QStringLiteral("first"), 0);
        flow.breakPage();
        addHeading(flow, QStringLiteral("second"), 1);
        QCOMPARE(flow.bookmarks().size(), 2U);
        QCOMPARE(flow.bookmarks()[0].page, 0U);
        QCOMPARE(flow.bookmarks()[1].page, 1U);
        QCOMPARE(flow.bookmarks()[1].level, 1);
    }
};

TIDEMARK_TEST(TstPageFlow)

} // namespace tidemark::tst_page_flow

#include "tst_page_flow.moc"
