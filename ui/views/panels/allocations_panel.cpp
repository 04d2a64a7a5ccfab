// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/allocations_panel.h"

#include "core/query/find.h"
#include "ui/models/numbers.h"
#include "ui/models/roles.h"
#include "ui/models/selection.h"
#include "ui/models/text.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/code_link.h"
#include "ui/views/panels/cursor_panel.h"
#include "ui/views/panels/query_edit.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QStyle>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kSearchInterval = 120; ///< Milliseconds.
constexpr int kSlow = 250; ///< Milliseconds after which a search is said to be under way.
/// Milliseconds that a query may stay unreadable before what the last one found is cleared: most
/// are half typed.
constexpr int kUnread = 800;

constexpr std::uint32_t bit(int column)
{
    return 1U << static_cast<unsigned>(column);
}

constexpr std::uint32_t kCursorColumns = bit(AllocationsModel::Size) | bit(AllocationsModel::Bucket)
    | bit(AllocationsModel::Operation) | bit(AllocationsModel::Line) | bit(AllocationsModel::Made)
    | bit(AllocationsModel::Freed) | bit(AllocationsModel::Confidence);
constexpr std::uint32_t kRunColumns = bit(AllocationsModel::Size) | bit(AllocationsModel::Bucket)
    | bit(AllocationsModel::Line) | bit(AllocationsModel::Made) | bit(AllocationsModel::Lifetime)
    | bit(AllocationsModel::BytesLifetime) | bit(AllocationsModel::PeakShare)
    | bit(AllocationsModel::Step) | bit(AllocationsModel::Phase);

/// As wide as the longest text that is to be read in a column, or as its title.
void widen(QTableView& table, const QStringList& widest)
{
    for (int column = 0; column < widest.size(); ++column) {
        const QString title =
            table.model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const QFontMetrics metrics = table.fontMetrics();
        const int width = std::max(metrics.horizontalAdvance(widest[column]),
                                   widest[column].isEmpty() ? 0 : metrics.horizontalAdvance(title));
        table.setColumnWidth(column, width + 36);
    }
}

void makeSortable(QTableView& table, int column)
{
    QHeaderView* header = table.horizontalHeader();
    header->setSortIndicatorShown(true);
    header->setSortIndicator(column, Qt::DescendingOrder);
    header->setSectionsClickable(true);
    table.setSelectionMode(QAbstractItemView::ExtendedSelection);
    table.setContextMenuPolicy(Qt::CustomContextMenu);
}

} // namespace

AllocationsPanel::AllocationsPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_at_cursor(makeChip(this, tr("At the cursor")))
    , m_whole_run(makeChip(this, tr("Whole run")))
    , m_filter(new QueryEdit(this))
    , m_group_by(new ChipCombo(this))
    , m_columns(makeQuietButton(this, tr("Columns")))
    , m_copy(makeQuietButton(this, tr("Copy")))
    , m_stop(makeQuietButton(this, tr("Stop")))
    , m_summary(makeSecondaryText(this, QStringLiteral("allocationSummary")))
    , m_tables(new QStackedWidget(this))
    , m_table(makeTable(m_tables, QStringLiteral("allocations"), tr("Allocations"), m_model))
    , m_groups_table(makeTable(m_tables, QStringLiteral("allocationGroups"),
                               tr("Allocation groups"), m_groups))
    , m_wanted_columns{kCursorColumns, kRunColumns}
{
    setObjectName(QStringLiteral("allocationsPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(makeHead());
    auto* words = new QHBoxLayout;
    words->addWidget(m_summary, 1);
    words->addWidget(m_stop);
    column->addLayout(words);
    makeTables();
    column->addWidget(m_tables, 1);
    makeColumnsMenu();
    makeCopyMenu();
    m_stop->setObjectName(QStringLiteral("allocationStop"));
    m_stop->hide();
    connect(m_stop, &QToolButton::clicked, this, [this] {
        m_job.cancel();
        m_is_slow.stop();
        m_stop->hide();
        say(tr("Stopped; showing the previous list."), true);
    });
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSearchInterval);
    connect(&m_soon, &QTimer::timeout, this, &AllocationsPanel::refresh);
    m_is_slow.setSingleShot(true);
    m_is_slow.setInterval(kSlow);
    connect(&m_is_slow, &QTimer::timeout, this, [this] {
        m_stop->show();
        say(tr("Searching the run…"), false);
    });
    m_is_unread.setSingleShot(true);
    m_is_unread.setInterval(kUnread);
    connect(&m_is_unread, &QTimer::timeout, this, &AllocationsPanel::clearList);
    connect(m_filter, &QLineEdit::textChanged, &m_is_unread, &QTimer::stop);
    connect(&m_state, &ViewState::cursorChanged, this, [this] {
        if (m_scope == Scope::cursor) {
            refreshSoon();
        }
    });
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        m_job.cancel();
        m_data.reset();
        m_selected_labels.reset(); // One file's devices share them, and nothing is selected now.
        m_groups.clear();
        if (m_state.hasDevice()) {
            m_model.setDevice(m_state.analysis(), m_state.device());
        } else {
            m_model.clear();
        }
        refreshSoon();
    });
    connect(&m_state, &ViewState::selectionChanged, this, [this] {
        if (isVisible()) {
            chooseSelected();
            if (m_lists_none && matchesInRun() > 0) { // Known only now.
                sayFound({});
            }
        }
    });
    connect(&m_state, &ViewState::labelsChanged, this, &AllocationsPanel::refreshLabels);
    if (m_state.hasDevice()) {
        m_model.setDevice(m_state.analysis(), m_state.device());
    }
    setScope(Scope::cursor);
}

QWidget* AllocationsPanel::makeHead()
{
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    auto* scopes = new QButtonGroup(this);
    for (QToolButton* button : {m_at_cursor, m_whole_run}) {
        button->setCheckable(true);
        scopes->addButton(button);
        row->addWidget(button);
    }
    m_at_cursor->setObjectName(QStringLiteral("allocationsAtCursor"));
    m_whole_run->setObjectName(QStringLiteral("allocationsOfRun"));
    m_at_cursor->setToolTip(tr("Live at the cursor"));
    m_whole_run->setToolTip(tr("All allocations of the run"));
    connect(m_at_cursor, &QToolButton::clicked, this, [this] { setScope(Scope::cursor); });
    connect(m_whole_run, &QToolButton::clicked, this, [this] { setScope(Scope::run); });
    m_filter->setObjectName(QStringLiteral("allocationFilter"));
    m_filter->setAccessibleName(tr("Allocation query"));
    m_filter->setPlaceholderText(tr("bucket:activation size>100MiB -stack:attention or any word"));
    m_filter->setToolTip(
        tr("All terms must match: bucket:activation,gradient size>100MiB life<1ms live@peak "
           "step:3..5 stack:attention kept.\nA plain word searches buckets, functions, files and "
           "modules; - or not negates. Press Down for suggestions."));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAcceptDrops(false);
    connect(m_filter, &QLineEdit::textChanged, this, &AllocationsPanel::refreshSoon);
    row->addWidget(m_filter, 1);
    m_group_by->setObjectName(QStringLiteral("allocationGroupBy"));
    m_group_by->setAccessibleName(tr("Group allocations"));
    m_group_by->addItems({tr("not grouped"), tr("by line"), tr("by module"), tr("by size"),
                          tr("by bucket"), tr("by step")});
    m_group_by->setFocusPolicy(Qt::StrongFocus); // The wheel changes nothing in passing.
    connect(m_group_by, &QComboBox::currentIndexChanged, this, [this] {
        m_tables->setCurrentWidget(&shownTable());
        m_columns->setEnabled(!isGrouped());
        refreshSoon();
    });
    row->addWidget(m_group_by);
    row->addWidget(m_columns);
    row->addWidget(m_copy);
    return head;
}

void AllocationsPanel::makeTables()
{
    makeSortable(*m_table, AllocationsModel::Size);
    makeSortable(*m_groups_table, AllocationGroupsModel::Size);
    const QString bytes = QStringLiteral("1023.99 MiB");
    const QString time = QStringLiteral("2 min 05 s");
    const QString title = QStringLiteral("–"); // Nothing is longer than the title.
    QStringList usual;
    for (int i = 0; i < AllocationsModel::ColumnCount; ++i) {
        usual << (query::infoOf(AllocationsModel::keyOf(i)).kind == query::CellKind::bytes ? bytes
                                                                                           : title);
    }
    usual[AllocationsModel::Bucket] =
        text(label::bucketName(label::Bucket::temporary)) % QStringLiteral(", activation_gradient");
    usual[AllocationsModel::Operation] = QStringLiteral("scaled_dot_product_attention");
    usual[AllocationsModel::Line] = QString();
    usual[AllocationsModel::Made] = tr("before the trace");
    usual[AllocationsModel::Lifetime] = time;
    usual[AllocationsModel::Phase] = text(label::phaseName(label::Phase::evaluation));
    usual[AllocationsModel::Expression] = QStringLiteral("batch · sequence · hidden · 2 B");
    usual[AllocationsModel::Module] =
        QStringLiteral("train.py:84 train_step › model.py:71 › model.py:39");
    widen(*m_table, usual);
    widen(*m_groups_table,
          {QStringLiteral("1,000,000"), bytes, time, title, title, title, QString()});
    const int readable =
        m_table->fontMetrics().horizontalAdvance(QStringLiteral("model.py:39 train_step"));
    const std::vector<int> texts{AllocationsModel::Bucket, AllocationsModel::Operation};
    const int swatch = 28;
    m_room = new ColumnRoom(*m_table, AllocationsModel::Line, texts);
    // What the stack beside the list says, too, then what says least of where memory is.
    m_room->mayGo({AllocationsModel::Confidence, AllocationsModel::Freed, AllocationsModel::Made,
                   AllocationsModel::Phase, AllocationsModel::Step, AllocationsModel::PeakShare,
                   AllocationsModel::BytesLifetime, AllocationsModel::Lifetime,
                   AllocationsModel::Operation});
    m_room->divideBy(readable + swatch, 3 * readable);
    (new ColumnRoom(*m_groups_table, AllocationGroupsModel::Name, {}))
        ->divideBy(readable + swatch, 4 * readable);
    for (QTableView* table : {m_table, m_groups_table}) {
        m_tables->addWidget(table);
        connect(table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
                &AllocationsPanel::refresh);
        connect(table, &QTableView::activated, this, &AllocationsPanel::activateRow);
        connect(table, &QTableView::customContextMenuRequested, this, &AllocationsPanel::showMenu);
        connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& index) {
                    if (index.isValid() && isGrouped()) {
                        selectGroup(index);
                    } else if (index.isValid()) {
                        m_state.select(AllocationId(index.data(AllocationRole).toUInt()));
                    }
                });
    }
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &AllocationsPanel::selectRows);
    auto* link = new CodeLink(*m_table, AllocationsModel::Line, [this](const QModelIndex& index) {
        const StackId stack =
            m_state.replay().allocations.stack[index.data(AllocationRole).toUInt()];
        const FrameId frame = m_model.texts().shownFrame(stack);
        return frame.isNone() ? std::nullopt
                              : std::optional(placeOf(*m_state.analysis().snapshot, frame));
    });
    connect(link, &CodeLink::opened, this, &AllocationsPanel::editorRequested);
}

void AllocationsPanel::makeColumnsMenu()
{
    m_columns->setObjectName(QStringLiteral("allocationColumns"));
    m_columns->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_columns);
    m_columns->setMenu(menu);
    for (int i = 0; i < AllocationsModel::ColumnCount; ++i) {
        QAction* action =
            menu->addAction(m_model.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setEnabled(i != AllocationsModel::Size && i != AllocationsModel::Line);
        connect(action, &QAction::toggled, this, [this, i](bool is_wanted) {
            std::uint32_t& wanted = m_wanted_columns[static_cast<std::size_t>(m_scope)];
            wanted = is_wanted ? wanted | bit(i) : wanted & ~bit(i);
            m_room->setHidden(i, !is_wanted);
            if (i == AllocationsModel::Module && is_wanted) {
                refreshSoon(); // The places may not be known yet.
            }
        });
    }
}

void AllocationsPanel::makeCopyMenu()
{
    m_copy->setObjectName(QStringLiteral("allocationCopy"));
    m_copy->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_copy);
    m_copy->setMenu(menu);
    menu->addAction(tr("Copy as TSV"), this, [this] { copyRows(RowFormat::tsv); });
    menu->addAction(tr("Copy as Markdown"), this, [this] { copyRows(RowFormat::markdown); });
}

void AllocationsPanel::showColumns()
{
    const std::uint32_t wanted = m_wanted_columns[static_cast<std::size_t>(m_scope)];
    const QList<QAction*> actions = m_columns->menu()->actions();
    for (int i = 0; i < AllocationsModel::ColumnCount; ++i) {
        const QSignalBlocker quiet(actions[i]);
        actions[i]->setChecked((wanted & bit(i)) != 0);
        m_room->setHidden(i, (wanted & bit(i)) == 0);
    }
}

void AllocationsPanel::setScope(Scope scope)
{
    m_scope = scope;
    (scope == Scope::cursor ? m_at_cursor : m_whole_run)->setChecked(true);
    showColumns();
    refreshSoon();
}

QString AllocationsPanel::filter() const
{
    return m_filter->text().trimmed();
}

QString AllocationsPanel::savedChoices() const
{
    // With the number of columns: with another one the bits mean something else.
    return QStringLiteral("%1 %2 %3 %4")
        .arg(AllocationsModel::ColumnCount)
        .arg(static_cast<int>(m_scope))
        .arg(m_wanted_columns[0])
        .arg(m_wanted_columns[1]);
}

void AllocationsPanel::restoreChoices(const QString& saved)
{
    const QStringList words = saved.split(u' ');
    if (words.size() != 4 || words[0].toInt() != AllocationsModel::ColumnCount) {
        return;
    }
    constexpr std::uint32_t kAlways = bit(AllocationsModel::Size) | bit(AllocationsModel::Line);
    m_wanted_columns = {words[2].toUInt() | kAlways, words[3].toUInt() | kAlways};
    setScope(words[1] == QStringLiteral("1") ? Scope::run : Scope::cursor);
}

void AllocationsPanel::setGroupBy(std::optional<query::GroupBy> by)
{
    m_group_by->setCurrentIndex(by ? static_cast<int>(*by) + 1 : 0);
}

bool AllocationsPanel::isGrouped() const
{
    return m_group_by->currentIndex() > 0;
}

QTableView& AllocationsPanel::shownTable() const
{
    return isGrouped() ? *m_groups_table : *m_table;
}

void AllocationsPanel::setFilter(const QString& words)
{
    m_filter->setText(words);
}

/// Follows a selection that was made elsewhere, where the list has it.
void AllocationsPanel::chooseSelected()
{
    if (m_state.selected().isNone()) {
        m_table->selectionModel()->clear();
        m_groups_table->selectionModel()->clear();
        return;
    }
    const QItemSelection chosen = m_table->selectionModel()->selection();
    const bool has_several =
        chosen.size() > 1 || (chosen.size() == 1 && chosen.front().height() > 1);
    if (isGrouped() || has_several) {
        return; // What was chosen here stays.
    }
    const int row = m_model.rowOf(m_state.selected());
    if (row >= 0 && m_table->currentIndex().row() != row) {
        m_is_following = true;
        m_table->setCurrentIndex(m_model.index(row, 0));
        m_is_following = false;
        m_table->scrollTo(m_table->currentIndex());
    }
}

/// Several rows are one selection.
void AllocationsPanel::selectRows()
{
    const QItemSelection chosen = m_table->selectionModel()->selection();
    Selector::Ids ids;
    for (const QItemSelectionRange& range : chosen) {
        for (int row = range.top(); row <= range.bottom(); ++row) {
            ids.push_back(m_model.order()[static_cast<std::size_t>(row)]);
        }
    }
    // One that is left of several, or chosen among them, is no longer beside the others.
    const std::shared_ptr<const Selection> now = m_state.selector().selection();
    const bool were_rows =
        now && now->from == Selection::From::row && now->name.isEmpty() && now->ids.size() > 1;
    if (ids.size() > 1 || (ids.size() == 1 && were_rows && !m_is_following)) {
        m_state.selector().select(Selection::From::row, {}, std::move(ids));
    }
}

/// All of it, whichever moment is listed.
void AllocationsPanel::selectGroup(const QModelIndex& index)
{
    const query::Group& group = m_groups.group(index.row());
    auto query = query::parse(utf8(m_filter->text().trimmed()) + ' ' + group.words);
    if (group.words.empty() || !query.has_value() || !m_data) {
        m_state.select(AllocationId(index.data(AllocationRole).toUInt()));
        return;
    }
    m_state.selector().find(
        Selection::From::row, index.siblingAtColumn(AllocationGroupsModel::Name).data().toString(),
        [table = m_data, query = std::move(query).value()](const std::stop_token& stop) {
            auto found = query::find(*table, query, stop);
            return found.has_value() ? std::move(found).value() : Selector::Ids();
        });
}

void AllocationsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_is_stale) {
        refresh();
    }
}

/// One that lives at the cursor shows its stack; one of the whole run leads to where it was made; a
/// group leads to what is in it.
void AllocationsPanel::activateRow(const QModelIndex& index)
{
    if (isGrouped()) {
        openGroup(index.row());
        return;
    }
    if (m_scope == Scope::cursor) {
        Q_EMIT stackRequested();
        return;
    }
    const AllocationId id(index.data(AllocationRole).toUInt());
    m_state.setCursor(m_state.replay().allocations.begin[id.index()]);
    m_state.reveal(m_state.cursor());
    m_state.select(id);
}

void AllocationsPanel::openGroup(int row)
{
    const QString words = text(m_groups.group(row).words);
    if (words.isEmpty()) {
        say(tr("These rows cannot be queried."), true);
        return;
    }
    const QString before = m_filter->text().trimmed();
    m_filter->setText(before.isEmpty() ? words : before % u' ' % words);
    setGroupBy(std::nullopt);
}

void AllocationsPanel::showMenu(const QPoint& position)
{
    const QModelIndex index = shownTable().indexAt(position);
    if (index.isValid()) {
        m_state.select(AllocationId(index.data(AllocationRole).toUInt()));
        Q_EMIT menuRequested(shownTable().viewport()->mapToGlobal(position));
    }
}

void AllocationsPanel::copyRows(RowFormat format)
{
    const RowTexts rows = selectedRows(shownTable(), format);
    if (rows.rows == 0) {
        Q_EMIT copied(tr("Select rows first, several with Shift or Ctrl."));
        return;
    }
    QGuiApplication::clipboard()->setText(rows.text);
    Q_EMIT copied(rows.left_out == 0 ? tr("%Ln row copied.|"
                                          "%Ln rows copied.",
                                          nullptr, plural(rows.rows))
                                     : tr("Copied the first row; %1 more selected.|Copied the "
                                          "first %Ln rows; %1 more selected.",
                                          nullptr, plural(rows.rows))
                                           .arg(countText(rows.left_out)));
}

} // namespace tidemark::ui
