// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/query_edit.h"

#include "core/query/complete.h"
#include "ui/models/language.h"
#include "ui/models/text.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QStandardItemModel>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QCompleter>
#include <QtWidgets/QScrollBar>

namespace tidemark::ui {
namespace {

constexpr int kInsertRole = Qt::UserRole + 1;

} // namespace

QueryEdit::QueryEdit(QWidget* parent)
    : QLineEdit(parent)
    , m_completer(new QCompleter(this))
    , m_candidates(new QStandardItemModel(this))
{
    m_completer->setModel(m_candidates);
    m_completer->setWidget(this);
    m_completer->setCompletionRole(kInsertRole);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->setMaxVisibleItems(12);
    m_completer->popup()->setObjectName(QStringLiteral("queryCandidates"));
    connect(this, &QLineEdit::textEdited, this, [this] { offer(false); });
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &QueryEdit::take);
}

std::vector<KeyHelp> QueryEdit::keyHelp()
{
    return {{Qt::CTRL | Qt::Key_Space, {}, tr("Show what can be asked for")}};
}

void QueryEdit::keyPressEvent(QKeyEvent* event)
{
    const bool is_open = m_completer->popup()->isVisible();
    switch (event->key()) {
    case Qt::Key_Enter:
    case Qt::Key_Return:
    case Qt::Key_Escape:
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
        if (is_open) {
            event->ignore(); // The list of candidates takes them.
            return;
        }
        break;
    case Qt::Key_Down:
        if (!is_open) {
            offer(true);
            return;
        }
        break;
    case Qt::Key_Space:
        if (event->modifiers() == Qt::ControlModifier) {
            offer(true);
            return;
        }
        break;
    default:
        break;
    }
    QLineEdit::keyPressEvent(event);
}

/// Unasked only where a word has begun: an empty line is no question.
void QueryEdit::offer(bool is_asked_for)
{
    const std::string before = utf8(text().left(cursorPosition()));
    const query::Completion completion = query::complete(before, before.size());
    const bool has_begun = !before.empty() && before.back() != ' ';
    m_candidates->clear();
    if (completion.candidates.empty() || (!has_begun && !is_asked_for)) {
        m_completer->popup()->hide();
        return;
    }
    for (const query::Candidate& candidate : completion.candidates) {
        const QString words = ui::text(candidate.text);
        auto* item = new QStandardItem(candidate.what.empty()
                                           ? words
                                           : tr("%1  —  %2, %3")
                                                 .arg(words, inSentence(ui::text(candidate.what)),
                                                      ui::text(candidate.example)));
        item->setData(words, kInsertRole);
        item->setEditable(false);
        m_candidates->appendRow(item);
    }
    m_completer->setCompletionPrefix({});
    QRect place = cursorRect();
    QAbstractItemView* const list = m_completer->popup();
    place.setWidth(list->sizeHintForColumn(0) + list->verticalScrollBar()->sizeHint().width() + 12);
    m_completer->complete(place);
    list->setCurrentIndex(m_completer->completionModel()->index(0, 0));
}

void QueryEdit::take(const QString& candidate)
{
    const std::string before = utf8(text().left(cursorPosition()));
    const query::Completion completion = query::complete(before, before.size());
    const QString kept = ui::text(std::string_view(before).substr(0, completion.begin));
    const QString rest = text().mid(cursorPosition());
    const bool is_value = !candidate.endsWith(u':') && !candidate.endsWith(u'>')
        && !candidate.endsWith(u'<') && !candidate.endsWith(u'@');
    const QString space = is_value && !rest.startsWith(u' ') ? QStringLiteral(" ") : QString();
    setText(kept % candidate % space % rest);
    setCursorPosition(static_cast<int>((kept % candidate % space).size()));
    if (!is_value) {
        offer(false); // Its values, if it has a few.
    }
}

} // namespace tidemark::ui
