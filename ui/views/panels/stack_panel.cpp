// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/stack_panel.h"

#include "core/label/program/program_evidence.h"
#include "ui/models/allocations_model.h"
#include "ui/models/text.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/copy_button.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/code_link.h"
#include "ui/views/panels/line_links.h"
#include "ui/views/panels/source_view.h"

#include <QtGui/QGuiApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {

StackPanel::StackPanel(ViewState& state, SourcePlaces& places, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_title(new ElidedLabel(this, Qt::ElideRight))
    , m_detail(makeSecondaryText(this, QStringLiteral("stackDetail")))
    , m_birth(makeQuietButton(this, tr("Go to Allocation")))
    , m_death(makeQuietButton(this, tr("Go to Free")))
    , m_copy(makeCopyButton(this, tr("Copy Stack"), [this] { return m_frames.asText(); }))
    , m_relabel(makeQuietButton(this, tr("Relabel…")))
    , m_libraries(makeChip(this, {}))
    , m_more(makeQuietButton(this, tr("More")))
    , m_parts(new QSplitter(Qt::Horizontal, this))
    , m_table(makeTable(m_parts, QStringLiteral("stackFrames"), tr("Stack frames"), m_frames))
    , m_source(new SourceView(places, m_parts))
{
    setObjectName(QStringLiteral("stackPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_title->setObjectName(QStringLiteral("stackTitle"));
    m_title->setFont(headingFont(*this, 1.0));
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(m_title, 1);
    m_libraries->setObjectName(QStringLiteral("stackLibraries"));
    m_libraries->setCheckable(true);
    m_libraries->setToolTip(tr("Show library frames, too"));
    m_libraries->setAccessibleName(m_libraries->toolTip());
    m_frames.setShowsLibraries(false);
    m_more->setObjectName(QStringLiteral("stackMore"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    connect(m_more->menu(), &QMenu::aboutToShow, this, &StackPanel::fillMore);
    for (QToolButton* button : {m_libraries, m_relabel, m_birth, m_death, m_copy, m_more}) {
        button->setFont(smallFont(*this));
        row->addWidget(button);
    }
    column->addLayout(row);
    column->addWidget(m_detail);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Interactive);
    (new ColumnRoom(*m_table, FramesModel::File, {FramesModel::Function}))
        ->divideBy(fontMetrics().averageCharWidth() * 20, QWIDGETSIZE_MAX,
                   {{FramesModel::Function, {280, 280, 280}}});
    m_parts->addWidget(m_table);
    m_parts->addWidget(m_source);
    m_parts->setChildrenCollapsible(false);
    m_parts->setSizes({3000, 2000}); // In proportion.
    column->addWidget(m_parts, 1000);
    column->addStretch(1); // Without frames the words stay at the top.

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &StackPanel::showSource);
    connect(m_source, &SourceView::failed, this, &StackPanel::failed);
    connect(m_libraries, &QToolButton::toggled, this, [this](bool shows) {
        m_frames.setShowsLibraries(shows);
        showFrames();
    });
    const auto place = [this](const QModelIndex& index) {
        return std::optional(m_frames.placeAt(index.row()));
    };
    for (const int each : {FramesModel::Function, FramesModel::File}) {
        auto* link = new CodeLink(*m_table, each, place);
        connect(link, &CodeLink::opened, this, &StackPanel::editorRequested);
    }
    // What passed through the frame is selected, and this one stays in front.
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (QGuiApplication::keyboardModifiers() == Qt::NoModifier) {
            selectThrough(m_state, m_frames.frameAt(index.row()));
        }
    });
    m_relabel->setObjectName(QStringLiteral("relabelStack"));
    m_relabel->setToolTip(tr("Correct this label (L)"));
    connect(m_relabel, &QToolButton::clicked, this,
            [this] { Q_EMIT relabelRequested(m_allocation.value, m_stack.value); });
    const auto goTo = [this](bool birth) {
        if (m_state.selected().isNone()) {
            return;
        }
        const auto life = m_state.replay().allocations.lifetime(m_state.selected());
        m_state.setCursor(birth ? life.begin : life.end);
        m_state.reveal(m_state.cursor());
    };
    connect(m_birth, &QToolButton::clicked, this, [goTo] { goTo(true); });
    connect(m_death, &QToolButton::clicked, this, [goTo] { goTo(false); });
    connect(&m_state, &ViewState::selectionChanged, this, &StackPanel::refresh);
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        m_stack = StackId::none(); // Of the device before.
        refresh();
    });
    connect(&m_state, &ViewState::labelsChanged, this, &StackPanel::refresh);
    refresh();
}

void StackPanel::setStack(StackId stack)
{
    // What is selected beside it changes nothing here: the frame that a person looks at stays.
    if (stack != m_stack || m_frames.rowCount() == 0) {
        m_stack = stack;
        m_frames.setStack(m_state.analysis().snapshot, stack);
        showFrames();
    }
}

void StackPanel::showFrames()
{
    const int libraries = m_frames.libraryCount();
    m_libraries->setVisible(libraries > 0);
    m_libraries->setText(tr("%Ln library frame|%Ln library frames", nullptr, libraries));
    arrangeButtons();
    m_copy->setEnabled(m_frames.rowCount() > 0);
    m_parts->setVisible(m_frames.rowCount() > 0);
    if (m_frames.rowCount() > 0) {
        m_table->setCurrentIndex(m_frames.index(0, 0)); // The innermost one of the person's own.
    }
    showSource();
}

void StackPanel::showSource()
{
    const QModelIndex row = m_table->currentIndex();
    m_source->setPlace(row.isValid() ? std::optional(m_frames.placeAt(row.row())) : std::nullopt);
}

void StackPanel::showStack(const QString& title, StackId stack)
{
    m_title->setWords(title);
    m_detail->hide();
    m_has_lifetime = false;
    m_allocation = AllocationId::none();
    setStack(stack);
    arrangeButtons();
}

/// What acts on the stack, in a row where it finds room beside the title.
void StackPanel::arrangeButtons()
{
    constexpr int kTitleLetters = 18;
    const bool is_any = m_has_lifetime || m_frames.rowCount() > 0;
    const int spacing = 4;
    int needed = kTitleLetters * m_title->fontMetrics().averageCharWidth();
    needed += m_frames.libraryCount() > 0 ? m_libraries->sizeHint().width() + spacing : 0;
    for (QToolButton* button : {m_relabel, m_birth, m_death, m_copy}) {
        const bool is_of_lifetime = button == m_birth || button == m_death;
        const bool is_wanted = is_of_lifetime ? m_has_lifetime : is_any;
        needed += is_wanted ? button->sizeHint().width() + spacing : 0;
    }
    const bool fits = needed <= width();
    for (QToolButton* button : {m_relabel, m_copy}) {
        button->setVisible(fits && is_any);
    }
    for (QToolButton* button : {m_birth, m_death}) {
        button->setVisible(fits && m_has_lifetime);
    }
    m_more->setVisible(!fits && is_any);
}

void StackPanel::fillMore()
{
    QMenu& menu = *m_more->menu();
    menu.clear();
    for (QToolButton* button : {m_relabel, m_birth, m_death}) {
        if (m_has_lifetime || button == m_relabel) {
            menu.addAction(button->text(), button, &QToolButton::click)
                ->setEnabled(button->isEnabled());
        }
    }
    menu.addAction(tr("Copy Stack"), this,
                   [this] {
                       copyFrom(*m_copy, m_frames.asText());
                       Q_EMIT copied(tr("Stack copied.")); // The button is hidden.
                   })
        ->setEnabled(m_copy->isEnabled());
}

void StackPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrangeButtons();
    arrangeParts();
}

/// Source beside the frames, below them in a narrow panel, and not at all in one that is low, too.
void StackPanel::arrangeParts()
{
    constexpr int kNarrowLetters = 80;
    constexpr int kLowLines = 24;
    constexpr int kFewLines = 10; // The frames come before all that is said of the allocation.
    const bool is_narrow = width() < fontMetrics().averageCharWidth() * kNarrowLetters;
    const int line = fontMetrics().height();
    m_detail->setMaximumHeight(height() < line * kFewLines ? line : QWIDGETSIZE_MAX);
    m_parts->setOrientation(is_narrow ? Qt::Vertical : Qt::Horizontal);
    m_source->setVisible(!is_narrow || height() >= line * kLowLines);
}

QString StackPanel::attachedText(AllocationId id)
{
    const trace::Snapshot& snapshot = *m_state.analysis().snapshot;
    if (const std::pair of(&snapshot, m_state.device()); m_attached_of != of) {
        m_attached = label::AttachedTexts(snapshot, snapshot.devices[of.second], m_state.replay());
        m_attached_of = of;
    }
    return text(m_attached.wordsOf(id, snapshot));
}

QString StackPanel::lifetimeText(AllocationId id) const
{
    const replay::Allocations& all = m_state.replay().allocations;
    const EventId made = all.alloc_event[id.index()];
    const EventId freed = all.free_event[id.index()];
    const QString from = made.isNone() ? tr("allocated before the trace")
                                       : tr("allocated at event %1").arg(countText(made.value));
    const QString to =
        freed.isNone() ? tr("not freed") : tr("freed at event %1").arg(countText(freed.value));
    return from % QStringLiteral(", ") % to;
}

void StackPanel::refresh()
{
    const AllocationId id = m_state.hasDevice() ? m_state.selected() : AllocationId::none();
    m_has_lifetime = !id.isNone();
    m_allocation = id;
    m_detail->show();
    if (!m_has_lifetime) {
        m_frames.clear();
        m_libraries->hide();
        m_parts->hide();
        m_source->setPlace(std::nullopt);
        m_title->setWords(tr("No allocation selected"));
        m_detail->setText(tr("Select an allocation to see its stack."));
        arrangeButtons();
        return;
    }
    const replay::Allocations& all = m_state.replay().allocations;
    const label::DeviceLabels& labels = m_state.labels();
    const std::size_t i = id.index();
    m_title->setWords(bytesText(all.requested[i]) % QStringLiteral(" · ")
                      % inferredMark(labels.confidence[i] / 100.0)
                      % bucketWithRole(labels.bucket[i], labels.role[i]));
    m_title->setToolTip(m_title->words() % u'\n' % exactBytesText(all.requested[i]));
    m_detail->setText(text(labels.reasonOf(id).evidence) % QStringLiteral("  ·  ")
                      % lifetimeText(id) % QStringLiteral("  ·  0x")
                      % QString::number(all.address[i], 16));
    if (const QString attached = attachedText(id); !attached.isEmpty()) {
        m_detail->setText(m_detail->text() % QStringLiteral("  ·  ")
                          % tr("attached: %1").arg(attached));
    }
    if (m_state.analysis().corrections != nullptr && label::isUserSet(labels, id)) {
        const label::DeviceLabels& before = m_state.analysis().inferred->devices[m_state.device()];
        if (before.bucket[i] != labels.bucket[i] || before.role[i] != labels.role[i]) {
            m_detail->setText(
                m_detail->text() % QStringLiteral("  ·  ")
                % tr("uncorrected: %1").arg(bucketWithRole(before.bucket[i], before.role[i])));
        }
    }
    m_birth->setEnabled(!all.alloc_event[i].isNone());
    m_death->setEnabled(!all.free_event[i].isNone());
    setStack(all.stack[i]);
    arrangeButtons();
    if (m_frames.rowCount() == 0) {
        m_detail->setText(m_detail->text() % QStringLiteral("  ·  ") % tr("no stack recorded"));
    }
}

} // namespace tidemark::ui
