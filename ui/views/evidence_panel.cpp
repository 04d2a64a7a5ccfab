// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/evidence_panel.h"

#include "ui/models/text.h"
#include "ui/views/pieces.h"
#include "ui/views/verdict_card.h"

#include <QtCore/QLocale>
#include <QtCore/QRegularExpression>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>

#include <cmath>

namespace tidemark::ui {
namespace {

constexpr int kStateData = Qt::UserRole;
constexpr int kStackData = Qt::UserRole + 1;

QString causeName(diagnose::Cause cause)
{
    QString name = text(diagnose::causeId(cause)).replace(u'-', u' ');
    name.replace(0, 1, name.left(1).toUpper());
    return name;
}

} // namespace

std::optional<Bytes> capacityFromText(const QString& words)
{
    static const QRegularExpression pattern(
        QStringLiteral("^\\s*([0-9]+(?:[.,][0-9]+)?)\\s*(?:([KMGT])(i?B)?|B)?\\s*$"),
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = pattern.match(words);
    if (!match.hasMatch()) {
        return std::nullopt;
    }
    const double number = QLocale::c().toDouble(match.captured(1).replace(u',', u'.'));
    const QString unit = match.captured(2).toUpper();
    const double base = match.captured(3).toUpper() == QStringLiteral("B") ? 1000.0 : 1024.0;
    const auto power = static_cast<double>(QStringLiteral("KMGT").indexOf(unit) + 1);
    const double scale = unit.isEmpty() ? 1.0 : std::pow(base, power);
    const double bytes = number * scale;
    if (bytes < 1048576.0 || bytes > 1e15) {
        return std::nullopt;
    }
    return Bytes{std::llround(bytes)};
}

EvidencePanel::EvidencePanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_tree(new QTreeWidget(this))
    , m_message(new QPlainTextEdit(this))
    , m_capacity(new QLineEdit(this))
    , m_hint(makeSecondaryText(this, QStringLiteral("inputHint")))
{
    setObjectName(QStringLiteral("evidencePanel"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(18);
    row->addWidget(makeTree(), 3);
    row->addWidget(makeForm(), 2);
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        refresh();
        refreshForm();
    });
    connect(&m_state, &ViewState::analysisChanged, this, &EvidencePanel::refresh);
    refresh();
    refreshForm();
}

QWidget* EvidencePanel::makeTree()
{
    m_tree->setObjectName(QStringLiteral("evidence"));
    m_tree->setColumnCount(2);
    m_tree->setHeaderLabels({tr("cause, and what speaks for it"), tr("score")});
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_tree->header()->setFont(smallFont(*this));
    m_tree->setWordWrap(true);
    m_tree->setRootIsDecorated(false);
    m_tree->setIndentation(14);
    const auto open = [this](QTreeWidgetItem* item) { openItem(item); };
    connect(m_tree, &QTreeWidget::itemActivated, this, open);
    connect(m_tree, &QTreeWidget::itemClicked, this, open);
    return m_tree;
}

QWidget* EvidencePanel::makeForm()
{
    auto* form = new QWidget(this);
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* message_label = new QLabel(tr("The &message of the error, if you have it"), form);
    message_label->setBuddy(m_message);
    m_message->setObjectName(QStringLiteral("oomMessage"));
    m_message->setPlaceholderText(tr("CUDA out of memory. Tried to allocate …"));
    m_message->setAcceptDrops(false); // A dropped file belongs to the window.
    m_message->setTabChangesFocus(true);
    m_message->setMinimumHeight(40);
    auto* capacity_label = new QLabel(tr("Memory this process could &get"), form);
    capacity_label->setBuddy(m_capacity);
    m_capacity->setObjectName(QStringLiteral("capacity"));
    m_capacity->setPlaceholderText(tr("23.65 GiB"));
    m_capacity->setAcceptDrops(false);
    auto* apply_button = new QPushButton(tr("Diagnose again"), form);
    apply_button->setObjectName(QStringLiteral("diagnoseAgain"));
    column->addWidget(message_label);
    column->addWidget(m_message, 1);
    auto* row = new QHBoxLayout;
    row->addWidget(capacity_label);
    row->addWidget(m_capacity, 1);
    row->addWidget(apply_button);
    column->addLayout(row);
    column->addWidget(m_hint);
    connect(apply_button, &QPushButton::clicked, this, &EvidencePanel::apply);
    connect(m_capacity, &QLineEdit::returnPressed, this, &EvidencePanel::apply);
    return form;
}

void EvidencePanel::refresh()
{
    m_tree->clear();
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    m_hint->setText(diagnosis != nullptr ? text(diagnosis->capacity_source) : QString());
    m_hint->setVisible(!m_hint->text().isEmpty());
    if (diagnosis == nullptr) {
        return;
    }
    for (const diagnose::CauseFinding& finding : diagnosis->causes) {
        auto* cause =
            new QTreeWidgetItem(m_tree, {causeName(finding.cause), percentText(finding.score)});
        QFont bold = m_tree->font();
        bold.setBold(true);
        cause->setFont(0, bold);
        cause->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        cause->setToolTip(1, tr("confidence %1").arg(confidenceText(finding.score)));
        for (const diagnose::Evidence& evidence : finding.evidence) {
            auto* item = new QTreeWidgetItem(cause, {text(evidence.text), QString()});
            if (evidence.at) {
                item->setData(0, kStateData, evidence.at->value);
            }
            if (!evidence.stack.isNone()) {
                item->setData(0, kStackData, evidence.stack.value);
            }
            const bool leads_somewhere = evidence.at || !evidence.stack.isNone();
            item->setToolTip(0, leads_somewhere ? tr("Go to where it shows") : QString());
        }
    }
    m_tree->expandAll();
}

void EvidencePanel::refreshForm()
{
    if (!m_state.hasDevice()) {
        return;
    }
    const diagnose::UserInput& input = m_state.analysis().input;
    m_message->setPlainText(text(input.message));
    m_capacity->setText(input.capacity ? bytesText(*input.capacity) : QString());
}

void EvidencePanel::openItem(const QTreeWidgetItem* item)
{
    const QVariant state = item->data(0, kStateData);
    if (state.isValid()) {
        m_state.setCursor(StateId{state.toUInt()});
        m_state.reveal(m_state.cursor());
    }
    const QVariant stack = item->data(0, kStackData);
    if (stack.isValid()) {
        Q_EMIT stackRequested(item->text(0), stack.toUInt());
    }
}

void EvidencePanel::apply()
{
    if (!m_state.hasDevice()) {
        return;
    }
    diagnose::UserInput input = m_state.analysis().input;
    input.message = utf8(m_message->toPlainText());
    const QString words = m_capacity->text().trimmed();
    const bool is_unchanged = input.capacity && words == bytesText(*input.capacity);
    if (!is_unchanged) {
        input.capacity = capacityFromText(words);
    }
    if (!words.isEmpty() && !input.capacity) {
        m_hint->setText(tr("“%1” is no amount of memory; write it like 23.65 GiB.").arg(words));
        m_hint->show();
        return;
    }
    Q_EMIT inputChanged(input);
}

} // namespace tidemark::ui
