// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/views/look/code_block.h"
#include "ui/views/look/pieces.h"

#include <QtGui/QTextBlock>
#include <QtGui/QTextDocument>
#include <QtTest/QTest>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::tst_code_block {

using namespace tidemark::ui;

namespace {

/// A widget between words, in what scrolls.
class Page {
public:
    Page()
    {
        auto* content = new QWidget;
        auto* column = new QVBoxLayout(content);
        column->addWidget(words(QStringLiteral("Checkpointing recomputes what it does not keep")));
        auto* row = new QHBoxLayout;
        m_code = new CodeBlock(content);
        row->addWidget(m_code, 1);
        auto* copy = new QLabel(QStringLiteral("Copy"), content);
        row->addWidget(copy, 0, Qt::AlignTop);
        column->addLayout(row);
        column->addWidget(
            words(QStringLiteral("Slower by about a third; the same numbers come out")));
        column->addStretch(1);
        area.setWidgetResizable(true);
        area.setFrameShape(QFrame::NoFrame);
        area.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        area.setWidget(content);
    }
    [[nodiscard]] CodeBlock& code()
    {
        return *m_code;
    }

    QScrollArea area;

private:
    static QLabel* words(const QString& text)
    {
        QLabel* label = makeText(nullptr, QStringLiteral("words"));
        label->setText(text);
        return label;
    }

    CodeBlock* m_code = nullptr;
};

/// That shows all of its lines, as a document of the same width breaks them.
int heightOf(const QPlainTextEdit& code)
{
    QTextDocument document(code.toPlainText());
    document.setDefaultFont(code.font());
    document.setDefaultTextOption(code.document()->defaultTextOption());
    document.setDocumentMargin(code.document()->documentMargin());
    document.setTextWidth(code.viewport()->width());
    static_cast<void>(document.size());
    int lines = 0;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        lines += block.layout()->lineCount();
    }
    return lines * QFontMetrics(code.font()).lineSpacing() + 12;
}

} // namespace

class TstCodeBlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatScrollsComesToRestAtEverySize()
    {
        // Where a scroll bar is just needed or just not: the area must come to rest.
        Page page;
        QStringList lines;
        for (int i = 0; i < 8; ++i) {
            lines << QStringLiteral(
                         "model.layer_%1.gradient_checkpointing_enable(use_reentrant=%2)")
                         .arg(i)
                         .arg(QStringLiteral("x").repeated(9 * i));
        }
        page.code().setCode(lines.join(u'\n'));
        page.area.show();
        for (int width = 250; width < 290; ++width) {
            for (int height = 200; height < 560; height += 4) {
                page.area.resize(width, height);
                QCoreApplication::processEvents();
            }
            for (int height = 560; height > 200; height -= 7) {
                page.area.resize(width + height % 9, height);
                QCoreApplication::processEvents();
            }
            QCOMPARE(page.code().height(), heightOf(page.code()));
            QCOMPARE(page.code().verticalScrollBar()->maximum(), 0);
        }
    }

    void ofLongCodeTheFirstLinesAreShownUntilAllAreAskedFor()
    {
        Page page;
        const QString line = QStringLiteral("optimizer.step()\n");
        const QString code = line.repeated(39) % line.chopped(1);
        page.code().setCode(code);
        page.area.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page.area));
        QVERIFY(page.code().isCut());
        QCOMPARE(page.code().toPlainText(), line.repeated(11) % line.chopped(1));
        QCOMPARE(page.code().code(), code); // What is copied.
        QTRY_COMPARE(page.code().height(), heightOf(page.code()));
        page.code().showAll();
        QVERIFY(!page.code().isCut());
        QCOMPARE(page.code().toPlainText(), code);
        QTRY_COMPARE(page.code().height(), heightOf(page.code()));
        page.code().setCode(line.repeated(12)); // A button would need as much room.
        QVERIFY(!page.code().isCut());
    }
};

TIDEMARK_TEST(TstCodeBlock)

} // namespace tidemark::tst_code_block

#include "tst_code_block.moc"
