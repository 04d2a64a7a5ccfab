// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/evidence_panel.h"

#include "core/base/format.h"
#include "core/diagnose/diagnosis.h"
#include "core/message/texts.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"
#include "ui/views/look/when_seen.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <functional>

namespace tidemark::ui {
namespace {

/// Whether a cause or a finding is about where blocks lie.
bool isAboutLayout(diagnose::Cause cause)
{
    return cause == diagnose::Cause::fragmentation || cause == diagnose::Cause::private_pools
        || cause == diagnose::Cause::allocator_setting || cause == diagnose::Cause::virtual_only;
}

bool isAboutLayout(const std::string& finding)
{
    return finding == "pinned" || finding == "other-streams" || finding == "private-pools";
}

/// Why a cause or finding bears the mark of an inference; empty where it bears none.
template <typename T>
QString inferredTip(const T& found)
{
    return !isInferred(found.score) ? QString()
        : found.to_be_sure.empty()
        ? EvidencePanel::tr("Inferred from the evidence below.")
        : EvidencePanel::tr("Inferred. To confirm: %1").arg(text(found.to_be_sure));
}

} // namespace

EvidencePanel::EvidencePanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_causes(new QWidget)
    , m_list(new QVBoxLayout(m_causes))
    , m_message(new QPlainTextEdit(this))
    , m_hint(makeSecondaryText(this, QStringLiteral("inputHint")))
    , m_seen(new WhenSeen(*this, [this] { fill(); }))
{
    setObjectName(QStringLiteral("evidencePanel"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(18);
    row->addWidget(makeList(), 3);
    row->addWidget(makeForm(), 2);
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        m_used = QString(); // What stands there is of another file.
        m_message->clear();
        refresh();
        refreshForm();
    });
    connect(&m_state, &ViewState::analysisChanged, this, [this] {
        refresh();
        refreshForm();
    });
    refresh();
    refreshForm();
}

QWidget* EvidencePanel::makeList()
{
    m_causes->setObjectName(QStringLiteral("evidence"));
    m_list->setContentsMargins(0, 0, 6, 0);
    m_list->setSpacing(3);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_causes);
    return scroll;
}

QWidget* EvidencePanel::makeForm()
{
    auto* form = new QWidget(this);
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* message_label = new QLabel(tr("OOM &message (optional)"), form);
    message_label->setBuddy(m_message);
    m_message->setObjectName(QStringLiteral("oomMessage"));
    m_message->setPlaceholderText(tr("CUDA out of memory. Tried to allocate …"));
    m_message->setAcceptDrops(false); // A dropped file belongs to the window.
    m_message->setTabChangesFocus(true);
    m_message->setMinimumHeight(40);
    m_message->setMaximumHeight(fontMetrics().height() * 9);
    auto* apply_button = new QPushButton(tr("Diagnose Again"), form);
    apply_button->setObjectName(QStringLiteral("diagnoseAgain"));
    column->addWidget(message_label);
    column->addWidget(m_message, 1);
    auto* row = new QHBoxLayout;
    row->addWidget(m_hint, 1);
    row->addWidget(apply_button, 0, Qt::AlignTop);
    column->addLayout(row);
    column->addStretch(1);
    connect(apply_button, &QPushButton::clicked, this, &EvidencePanel::apply);
    return form;
}

void EvidencePanel::refresh()
{
    removeWidgets(*m_list); // At once: its links lead into the device that was shown.
    m_seen->fill();
}

void EvidencePanel::fill()
{
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    m_hint->setText(diagnosis != nullptr ? tr("Capacity: %1").arg(text(diagnosis->capacity_source))
                                         : QString());
    m_hint->setVisible(!m_hint->text().isEmpty());
    if (diagnosis == nullptr) {
        return;
    }
    for (const diagnose::CauseFinding& finding : diagnosis->causes) {
        QLabel* cause = makeText(m_causes, QStringLiteral("cause"));
        cause->setProperty("kind", QStringLiteral("heading"));
        cause->setText(inferredMark(finding.score) % text(diagnose::causeTitle(finding.cause)));
        cause->setToolTip(inferredTip(finding));
        m_list->addWidget(cause);
        for (const diagnose::Evidence& evidence : finding.evidence) {
            addEvidence(evidence, isAboutLayout(finding.cause));
        }
        if (!finding.to_be_sure.empty()) {
            addEvidence(
                {utf8(tr("To confirm: %1").arg(text(finding.to_be_sure))), std::nullopt, {}},
                false);
        }
        m_list->addSpacing(6);
    }
    if (!diagnosis->findings.empty()) {
        QLabel* also = makeText(m_causes, QStringLiteral("alsoSeen"));
        also->setProperty("kind", QStringLiteral("heading"));
        also->setText(tr("Also found"));
        m_list->addWidget(also);
    }
    QStringList wishes; // Each once: most findings rest on the same labels.
    for (const diagnose::Finding& finding : diagnosis->findings) {
        QLabel* words = addEvidence(finding.evidence, isAboutLayout(finding.id));
        words->setToolTip(inferredTip(finding));
        for (const auto& [framework, lines] : finding.how) {
            addEvidence({framework + ": " + lines, std::nullopt, {}}, false);
        }
        if (!finding.to_be_sure.empty() && !wishes.contains(text(finding.to_be_sure))) {
            wishes << text(finding.to_be_sure);
        }
    }
    for (const QString& wish : wishes) {
        addEvidence({utf8(tr("To confirm: %1").arg(wish)), std::nullopt, {}}, false);
    }
    m_list->addStretch(1);
}

QLabel* EvidencePanel::addEvidence(const diagnose::Evidence& evidence, bool is_about_layout)
{
    auto* entry = new QWidget(m_causes);
    auto* row = new QHBoxLayout(entry);
    row->setContentsMargins(14, 0, 0, 0);
    row->setSpacing(2);
    QLabel* words = makeText(entry, QStringLiteral("evidenceText"));
    words->setText(text(evidence.text));
    words->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    words->setContentsMargins(0, 2, 0, 0); // As far down as the words of the links.
    row->addWidget(words, 1);
    const QString sentence = words->text();
    const auto addLink = [&](const QString& name, const QString& tip,
                             std::function<void()> follow) {
        QToolButton* link = makeQuietButton(entry, name);
        link->setProperty("link", true);
        link->setFont(smallFont(*this));
        link->setToolTip(tip);
        link->setAccessibleName(tip);
        link->setAccessibleDescription(sentence);
        row->addWidget(link, 0, Qt::AlignTop);
        connect(link, &QToolButton::clicked, this, std::move(follow));
    };
    if (evidence.at) {
        const StateId state = *evidence.at;
        addLink(text(formatEventNumber(state.eventNumber())), tr("Move the cursor there"),
                [this, state] { goTo(state); });
        if (is_about_layout) {
            addLink(tr("map"), tr("Show the memory map at this event"), [this, state] {
                goTo(state);
                Q_EMIT panelRequested(QStringLiteral("memory"));
            });
        }
    }
    if (!evidence.stack.isNone()) {
        addLink(tr("stack"), tr("Show the stack"), [this, sentence, stack = evidence.stack.value] {
            Q_EMIT stackRequested(sentence, stack);
        });
    }
    if (evidence.at && !evidence.stack.isNone()) {
        const auto select = [this, state = *evidence.at, stack = evidence.stack] {
            return selectBlock(state, stack);
        };
        addLink(tr("block"), tr("Show this stack's largest allocation"), [this, select] {
            if (select()) {
                Q_EMIT panelRequested(QStringLiteral("allocations"));
            }
        });
        addLink(tr("module"), tr("Show its module"), [this, select] {
            if (select()) {
                Q_EMIT moduleRequested();
            }
        });
    }
    m_list->addWidget(entry);
    return words;
}

void EvidencePanel::goTo(StateId state)
{
    m_state.setCursor(state);
    m_state.reveal(m_state.cursor());
}

bool EvidencePanel::selectBlock(StateId state, StackId stack)
{
    const auto& stacks = m_state.replay().allocations.stack;
    const std::vector<AllocationId> live = replay::liveAt(m_state.replay(), state); // By size.
    const auto block =
        std::ranges::find_if(live, [&](AllocationId id) { return stacks[id.index()] == stack; });
    goTo(state);
    if (block == live.end()) {
        return false;
    }
    m_state.select(*block);
    return true;
}

void EvidencePanel::refreshForm()
{
    if (!m_state.hasDevice()) {
        return;
    }
    const QString used = text(m_state.analysis().input.message);
    if (used != m_used) {
        m_used = used;
        m_message->setPlainText(used);
    }
}

void EvidencePanel::apply()
{
    if (m_state.hasDevice()) {
        Q_EMIT messageGiven(m_message->toPlainText());
    }
}

} // namespace tidemark::ui
