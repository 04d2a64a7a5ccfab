// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/search_palette.h"

#include "ui/views/look/theme.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>

#include <utility>

namespace tidemark::ui {

SearchPalette::SearchPalette(Offer offer, const QString& placeholder, QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint)
    , m_offer(std::move(offer))
    , m_line(new QLineEdit(this))
    , m_list(new QTreeWidget(this))
{
    setObjectName(QStringLiteral("searchPalette"));
    setWindowTitle(tr("Search"));
    resize(680, 420);
    m_line->setObjectName(QStringLiteral("searchLine"));
    m_line->setPlaceholderText(placeholder);
    m_line->setAccessibleName(tr("Search"));
    m_line->setClearButtonEnabled(true);
    m_line->installEventFilter(this);
    m_list->setObjectName(QStringLiteral("searchEntries"));
    m_list->setAccessibleName(tr("Preview"));
    m_list->setColumnCount(2);
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFocusPolicy(Qt::NoFocus); // The line keeps it.
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 10, 10, 10);
    column->setSpacing(8);
    column->addWidget(m_line);
    column->addWidget(m_list, 1);
    connect(m_line, &QLineEdit::textChanged, this, &SearchPalette::refresh);
    connect(m_list, &QTreeWidget::itemClicked, this, &SearchPalette::runCurrent);
    refresh();
    m_line->setFocus();
}

bool SearchPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_line || event->type() != QEvent::KeyPress) {
        return QDialog::eventFilter(watched, event);
    }
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        QCoreApplication::sendEvent(m_list, event);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        runCurrent();
        return true;
    default:
        return false;
    }
}

void SearchPalette::changeEvent(QEvent* event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
            m_list->topLevelItem(row)->setForeground(1, currentColours().secondary);
        }
    }
}

void SearchPalette::refresh()
{
    m_entries = m_offer(m_line->text());
    m_list->clear();
    for (const SearchEntry& entry : m_entries) {
        auto* item = new QTreeWidgetItem(m_list, {entry.title, entry.detail});
        item->setForeground(1, currentColours().secondary);
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    }
    if (m_list->topLevelItemCount() > 0) {
        m_list->setCurrentItem(m_list->topLevelItem(0));
    }
}

void SearchPalette::runCurrent()
{
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    if (row < 0) {
        return;
    }
    // Closed first: what is run may open a dialog of its own.
    const std::function<void()> run = m_entries[static_cast<std::size_t>(row)].run;
    accept();
    run();
}

} // namespace tidemark::ui
