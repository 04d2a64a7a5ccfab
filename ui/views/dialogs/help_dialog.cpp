// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/help_dialog.h"

#include "ui/views/dialogs/on_screen.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QTextBlock>
#include <QtGui/QTextTable>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tidemark::ui {
namespace {

/// The first columns of all tables are as wide as the widest, so that the second ones stand below
/// each other.
void alignTables(QTextDocument& document)
{
    std::vector<QTextTable*> tables;
    double widest = 0;
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (table == nullptr || table->columns() < 2) {
            continue;
        }
        tables.push_back(table);
        for (int row = 0; row < table->rows(); ++row) {
            const QTextCursor cell = table->cellAt(row, 0).firstCursorPosition();
            const QFontMetricsF metrics(cell.charFormat().font());
            widest = std::max(widest, metrics.horizontalAdvance(cell.block().text()));
        }
    }
    for (QTextTable* table : tables) {
        QTextTableFormat format = table->format();
        QList<QTextLength> widths(table->columns());
        widths[0] = QTextLength(QTextLength::FixedLength, std::ceil(widest));
        format.setColumnWidthConstraints(widths);
        table->setFormat(format);
    }
}

} // namespace

HelpDialog::HelpDialog(QWidget* parent)
    : QDialog(parent)
    , m_tabs(new QTabWidget(this))
{
    setObjectName(QStringLiteral("help"));
    setWindowTitle(tr("Help"));
    resizeOnScreen(*this, {820, 680});
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Help pages"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_tabs, 1);
    column->addWidget(buttons);
}

void HelpDialog::setPages(const std::vector<Page>& pages)
{
    while (m_tabs->count() > 0) {
        QWidget* const former = m_tabs->widget(0);
        m_tabs->removeTab(0);
        removeWidget(*former);
    }
    for (const Page& page : pages) {
        QTextBrowser* const browser = makeTextPage(m_tabs, page.name);
        browser->setAccessibleName(page.title);
        browser->setMarkdown(page.markdown);
        alignTables(*browser->document());
        calmDocument(*browser);
        m_tabs->addTab(browser, page.title);
    }
}

bool HelpDialog::showPage(const QString& name)
{
    for (int i = 0; i < m_tabs->count(); ++i) {
        if (m_tabs->widget(i)->objectName() == name) {
            m_tabs->setCurrentIndex(i);
            return true;
        }
    }
    return false;
}

} // namespace tidemark::ui
