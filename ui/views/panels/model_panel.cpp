// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/model_panel.h"

#include "core/base/format.h"
#include "core/diagnose/moment.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/tree.h"
#include "ui/views/panels/dimension_line.h"

#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tidemark::ui {

ModelPanel::ModelPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_dimensions(new DimensionLine(this))
    , m_title(makeSecondaryText(this, QStringLiteral("modelTitle")))
    , m_at_cursor(makeChip(this, tr("at the cursor")))
    , m_at_peak(makeChip(this, tr("at the peak")))
    , m_tree(makeTree(this, QStringLiteral("model"), m_model))
{
    setObjectName(QStringLiteral("modelPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addWidget(m_dimensions);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    auto* moments = new QButtonGroup(this);
    for (QToolButton* button : {m_at_cursor, m_at_peak}) {
        button->setCheckable(true);
        moments->addButton(button);
        head->addWidget(button);
    }
    m_at_cursor->setObjectName(QStringLiteral("modelAtCursor"));
    m_at_peak->setObjectName(QStringLiteral("modelAtPeak"));
    m_at_peak->setChecked(true);
    column->addLayout(head);
    column->addWidget(m_tree, 1);
    m_tree->setAccessibleName(tr("Live bytes by module and bucket"));
    connect(moments, &QButtonGroup::idClicked, this, &ModelPanel::refresh);
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
        m_state.select(m_model.largestAt(index));
        Q_EMIT stackRequested();
    });
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        forget();
        refresh();
    });
    connect(&m_state, &ViewState::analysisChanged, this, &ModelPanel::refresh);
    connect(&m_state, &ViewState::cursorChanged, this, [this] {
        if (m_at_cursor->isChecked()) {
            refresh();
        }
    });
    refresh();
}

void ModelPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

StateId ModelPanel::wantedState() const
{
    return m_at_peak->isChecked() ? m_state.replay().peak : m_state.shownState();
}

void ModelPanel::showDimensions()
{
    const diagnose::Analysis& analysis = m_state.analysis();
    const std::int32_t device = analysis.snapshot->devices[m_state.device()].index;
    m_dimensions->setProgram(analysis.programs == nullptr ? nullptr
                                                          : &analysis.program(m_state.device()),
                             analysis.corrections == nullptr
                                 ? std::vector<program::SaidDimension>()
                                 : label::saidDimensions(analysis.corrections->rules, device));
}

void ModelPanel::forget()
{
    m_job.cancel();
    m_wants_selected = false;
    m_model.setContent(nullptr);
    m_dimensions->setProgram(nullptr, {});
    m_title->clear();
    if (!m_state.hasDevice() || !areDetailsOf(m_state.analysis())) {
        m_details.reset(); // Else they are those of the other devices, too.
        m_labels.reset();
        m_programs.reset();
    }
}

bool ModelPanel::areDetailsOf(const diagnose::Analysis& analysis) const
{
    return m_labels == analysis.labels && m_programs == analysis.programs;
}

/// Off the window's thread: the first answer for a file reads all its stacks.
void ModelPanel::refresh()
{
    if (!m_state.hasDevice() || !isVisible()) {
        return;
    }
    showDimensions();
    const diagnose::Analysis& analysis = m_state.analysis();
    const StateId state = wantedState();
    m_job.start(
        this,
        [analysis, known = areDetailsOf(analysis) ? m_details : nullptr, device = m_state.device(),
         state](const std::stop_token& stop) {
            ModelTreeContent content;
            content.device = device;
            content.program = std::shared_ptr<const program::Program>(analysis.programs,
                                                                      &analysis.program(device));
            if (stop.stop_requested()) {
                return content;
            }
            content.details = known != nullptr
                ? known
                : std::make_shared<const label::Details>(
                    label::findDetails(*analysis.snapshot, *analysis.replay, *analysis.labels,
                                       analysis.programs.get(), stop));
            if (!stop.stop_requested()) {
                content.tree = curves::modelTree(
                    analysis.replay->devices[device], analysis.labels->devices[device],
                    content.details->paths, content.details->devices[device].modules,
                    *content.program, state);
            }
            return content;
        },
        [this, state, labels = analysis.labels,
         programs = analysis.programs](const std::shared_ptr<const ModelTreeContent>& content) {
            if (m_state.hasDevice()) {
                m_labels = labels;
                m_programs = programs;
                showContent(state, content);
            }
        });
}

void ModelPanel::showContent(StateId state, const std::shared_ptr<const ModelTreeContent>& content)
{
    m_details = content->details;
    const QString moment = text(formatEventNumber(state.eventNumber()));
    const Bytes live = m_state.replay().activeAt(state);
    const bool is_empty = content->tree.live.empty();
    m_title->setText(
        is_empty ? tr("Nothing allocated at %1.").arg(moment)
            : content->tree.has_modules
            ? tr("%1 at %2, by module and line").arg(bytesText(live), moment)
            : tr("%1 at %2, by size (no stacks recorded)").arg(bytesText(live), moment));
    m_model.setContent(content);
    m_tree->setVisible(!is_empty);
    SpareColumns spare;
    for (const auto column : {ModelTreeModel::Parameters, ModelTreeModel::Gradients,
                              ModelTreeModel::States, ModelTreeModel::Saved, ModelTreeModel::Others,
                              ModelTreeModel::Shape, ModelTreeModel::Expression}) {
        if (!m_model.hasAny(column)) {
            spare.absent.push_back(column);
        }
    }
    // The tool tip of the name says both.
    spare.dropped = {ModelTreeModel::Expression, ModelTreeModel::Shape, ModelTreeModel::Count,
                     ModelTreeModel::Others}; // The total less what stands before it.
    unfold();
    constexpr int kNarrowestName = 220;
    fitColumns(*m_tree, std::max(kNarrowestName, width() * 2 / 5), spare);
    if (std::exchange(m_wants_selected, false)) {
        chooseSelected();
    }
    Q_EMIT rowsShown();
}

/// The largest parts first, as long as all rows that are shown find room.
void ModelPanel::unfold()
{
    constexpr int kFewRows = 12;
    const int height = std::max(1, m_tree->fontMetrics().height() + 8);
    const int most = std::max(kFewRows, m_tree->viewport()->height() / height);
    const auto bytes = [](const QModelIndex& index) {
        return index.siblingAtColumn(ModelTreeModel::Total).data(BytesRole).toLongLong();
    };
    QModelIndexList folded;
    const auto add = [&](const QModelIndex& parent) {
        for (int row = 0; row < m_model.rowCount(parent); ++row) {
            folded << m_model.index(row, 0, parent);
        }
    };
    add({});
    int rows = m_model.rowCount();
    while (!folded.isEmpty()) {
        const auto largest = std::ranges::max_element(folded, {}, bytes);
        const QModelIndex index = *largest;
        folded.erase(largest);
        if (rows + m_model.rowCount(index) <= most) {
            rows += m_model.rowCount(index);
            m_tree->expand(index);
            add(index);
        }
    }
}

void ModelPanel::showSelected()
{
    m_wants_selected = true;
    m_at_cursor->setChecked(true);
    refresh();
}

void ModelPanel::chooseSelected()
{
    const AllocationId selected = m_state.selected();
    if (selected.isNone()) {
        return;
    }
    const QModelIndex row = m_model.indexOf(selected);
    m_tree->setCurrentIndex(row);
    m_tree->scrollTo(row); // Unfolds what it lies in.
}

} // namespace tidemark::ui
