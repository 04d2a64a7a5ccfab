// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/capacity_field.h"

#include "core/plan/capacity_text.h"
#include "core/plan/catalog.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"

#include <QtGui/QFocusEvent>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QCompleter>

namespace tidemark::ui {
namespace {

QStringList cardNames()
{
    QStringList names;
    for (const plan::KnownCard& card : plan::knownCards()) {
        names << text(card.name);
    }
    return names;
}

} // namespace

CapacityField::CapacityField(QWidget* parent)
    : QLineEdit(parent)
{
    setObjectName(QStringLiteral("capacity"));
    setAcceptDrops(false); // A dropped file belongs to the window.
    setAccessibleName(tr("Memory available to this process"));
    setFont(smallFont(*this));
    setFixedWidth(
        fontMetrics().horizontalAdvance(tr("capacity %1").arg(QStringLiteral("1234.56 GiB"))) + 26);
    auto* completer = new QCompleter(cardNames(), this);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    setCompleter(completer);
    connect(this, &QLineEdit::returnPressed, this, &CapacityField::accept);
    setCapacity({std::nullopt, std::nullopt, {}, tr("No file open.")});
}

void CapacityField::setCapacity(const Capacity& capacity)
{
    if (capacity == m_capacity) {
        return;
    }
    const bool is_other = capacity.said != m_capacity.said;
    m_capacity = capacity;
    setPlaceholderText(
        capacity.holds
            ? tr("capacity %1")
                  .arg(capacity.unsure.value == 0
                           ? bytesText(*capacity.holds)
                           : intervalText(*capacity.holds, *capacity.holds + capacity.unsure))
            : tr("capacity?"));
    setToolTip(tr("Memory available to this process. %1\nEnter an amount (24, 80 GB) or a GPU "
                  "(H100 80GB); empty: from the file.")
                   .arg(capacity.source));
    if (is_other || !hasFocus()) {
        showSaid();
    }
}

/// What holds, in the person's own words where they still stand there.
void CapacityField::showSaid()
{
    const auto typed = plan::parseCapacity(utf8(withDecimalPoint(text())));
    const bool is_typed = typed.has_value() && typed.value() == m_capacity.said;
    if (!is_typed) {
        restore();
    }
    setCursorPosition(0);
}

void CapacityField::restore()
{
    setText(m_capacity.said ? bytesText(*m_capacity.said) : QString());
}

void CapacityField::accept()
{
    const QString words = text().trimmed();
    if (words.isEmpty()) {
        if (m_capacity.said) {
            Q_EMIT chosen(std::nullopt);
        }
        return;
    }
    // The figure that is shown is rounded: it is not another one.
    if (m_capacity.said && words == bytesText(*m_capacity.said)) {
        return;
    }
    const auto capacity = plan::parseCapacity(utf8(withDecimalPoint(words)));
    if (!capacity.has_value()) {
        restore(); // The verdict beside it is what that leads to.
        Q_EMIT refused(ui::text(capacity.error().message));
    } else if (capacity.value() != m_capacity.said) {
        Q_EMIT chosen(capacity.value());
    }
}

void CapacityField::focusOutEvent(QFocusEvent* event)
{
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) {
        accept();
    }
}

void CapacityField::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        restore();
        clearFocus();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

} // namespace tidemark::ui
