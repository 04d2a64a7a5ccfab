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
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <string>

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
        fontMetrics().horizontalAdvance(tr("capacity %1").arg(QStringLiteral("99.99–99.99 GiB")))
        + 26);
    auto* completer = new QCompleter(cardNames(), this);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    setCompleter(completer);
    connect(completer, qOverload<const QString&>(&QCompleter::activated), this,
            [this](const QString& name) {
                setText(name);
                accept();
            });
    connect(this, &QLineEdit::returnPressed, this, &CapacityField::accept);
    connect(this, &QLineEdit::textEdited, this, &CapacityField::endRefusal);
    setCapacity({std::nullopt, std::nullopt, {}, tr("No file open.")});
}

CapacityField::~CapacityField()
{
    delete m_answer;
}

QString CapacityField::inUse() const
{
    return !m_capacity.holds ? tr("none")
        : m_capacity.unsure.value == 0
        ? bytesText(*m_capacity.holds)
        : intervalText(*m_capacity.holds, *m_capacity.holds + m_capacity.unsure);
}

void CapacityField::setCapacity(const Capacity& capacity)
{
    if (capacity == m_capacity) {
        return;
    }
    const bool is_other = capacity.said != m_capacity.said;
    m_capacity = capacity;
    if (!capacity.words.isEmpty()) {
        m_said = capacity.words;
    }
    setPlaceholderText(capacity.holds ? tr("capacity %1").arg(inUse()) : tr("capacity?"));
    setToolTip(tr("Memory available to this process. %1\nEnter a GPU (RTX-4090, 24GB) or an "
                  "amount (23.65 GiB); empty: from the file.")
                   .arg(capacity.source));
    if (isRefused()) {
        if (auto* in_use = m_answer->findChild<QLabel*>(QStringLiteral("capacityInUse"))) {
            in_use->setText(tr("In use: %1").arg(inUse())); // Perhaps of another file.
        }
        return; // What is marked stays until it is mended.
    }
    if (is_other || !hasFocus()) {
        showSaid();
    }
}

/// What holds, in the person's own words where they still stand there.
void CapacityField::showSaid()
{
    const auto typed = plan::parseCapacity(utf8(withDecimalPoint(text())));
    const bool is_typed = typed.has_value() && typed.value().bytes == m_capacity.said;
    if (is_typed) {
        m_said = text().trimmed();
    } else {
        restore();
    }
    setCursorPosition(0);
}

void CapacityField::restore()
{
    endRefusal();
    const auto said = plan::parseCapacity(utf8(withDecimalPoint(m_said)));
    const bool is_still = said.has_value() && said.value().bytes == m_capacity.said;
    setText(!m_capacity.said ? QString() : is_still ? m_said : bytesText(*m_capacity.said));
}

void CapacityField::accept()
{
    const QString words = text().trimmed();
    endRefusal();
    if (words.isEmpty()) {
        if (m_capacity.said) {
            Q_EMIT cleared();
        }
        return;
    }
    // The figure that is shown is rounded: it is not another one.
    if (m_capacity.said && words == bytesText(*m_capacity.said)) {
        return;
    }
    const std::string plain = utf8(withDecimalPoint(words));
    const auto capacity = plan::parseCapacity(plain);
    if (!capacity.has_value()) {
        QStringList readings;
        for (const std::string& reading : plan::capacityReadings(plain)) {
            readings << ui::text(reading);
        }
        refuse(ui::text(capacity.error().message), readings);
    } else if (capacity.value().bytes != m_capacity.said) {
        m_said = words;
        Q_EMIT chosen(capacity.value());
    }
}

void CapacityField::refuse(const QString& sentence, const QStringList& readings)
{
    setStyleProperty(*this, "refused", true);
    m_answer = makeCard(window(), QStringLiteral("capacityAnswer"));
    auto* column = new QVBoxLayout(m_answer);
    column->setContentsMargins(12, 9, 12, 10);
    column->setSpacing(7);
    auto* words = makeText(m_answer, QStringLiteral("capacityRefused"));
    words->setText(readings.size() > 1 ? tr("%1 – a GPU or an amount?").arg(text().trimmed())
                                       : sentence);
    column->addWidget(words);
    for (const QString& reading : readings) {
        const auto given = plan::parseCapacity(utf8(reading));
        if (!given.has_value()) {
            continue;
        }
        const Bytes least = given.value().bytes;
        QToolButton* choice = makeChip(
            m_answer, tr("%1: %2").arg(reading, intervalText(least, least + given.value().unsure)));
        choice->setObjectName(QStringLiteral("capacityReading"));
        choice->setToolTip(ui::text(given.value().source));
        // Queued: answering deletes the button that asks.
        connect(
            choice, &QToolButton::clicked, this,
            [this, reading] {
                setText(reading);
                accept();
            },
            Qt::QueuedConnection);
        column->addWidget(choice, 0, Qt::AlignLeft);
    }
    QLabel* in_use = makeSecondaryText(m_answer, QStringLiteral("capacityInUse"));
    in_use->setText(tr("In use: %1").arg(inUse()));
    column->addWidget(in_use);
    constexpr int kWidth = 340;
    m_answer->setFixedWidth(kWidth);
    m_answer->resize(kWidth, column->heightForWidth(kWidth));
    placeAnswer();
    m_answer->show();
    m_answer->raise();
}

void CapacityField::placeAnswer()
{
    if (isRefused()) {
        const QPoint below = mapTo(window(), QPoint(width() - m_answer->width(), height() + 6));
        m_answer->move(std::max(0, below.x()), below.y());
    }
}

void CapacityField::moveEvent(QMoveEvent* event)
{
    QLineEdit::moveEvent(event);
    placeAnswer();
}

void CapacityField::endRefusal()
{
    if (isRefused()) {
        m_answer->hide();
        m_answer->deleteLater();
        m_answer.clear();
        setStyleProperty(*this, "refused", false);
    }
}

void CapacityField::focusOutEvent(QFocusEvent* event)
{
    QLineEdit::focusOutEvent(event);
    if (!isRefused() && event->reason() != Qt::PopupFocusReason
        && event->reason() != Qt::ActiveWindowFocusReason) {
        accept();
    }
}

void CapacityField::hideEvent(QHideEvent* event)
{
    QLineEdit::hideEvent(event);
    if (isRefused()) {
        restore();
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
