// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What AllocationsPanel lists: from the request to the rows.
#include "core/query/find.h"
#include "ui/models/numbers.h"
#include "ui/models/selection.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/cursor_panel.h"
#include "ui/views/panels/query_edit.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <utility>

namespace tidemark::ui {

void AllocationsPanel::refreshSoon()
{
    m_is_stale = true;
    if (isVisible() && !m_soon.isActive()) {
        m_soon.start();
    }
}

/// The list keeps its place: only what it says, and perhaps its order, is another.
void AllocationsPanel::refreshLabels()
{
    m_model.setLabels(m_state.analysis());
    m_data.reset();
    m_is_stale = true;
    if (isVisible()) {
        refresh();
    }
}

void AllocationsPanel::say(const QString& words, bool is_error)
{
    m_summary->setText(words);
    m_summary->setToolTip({});
    setStyleProperty(*m_summary, "kind", is_error ? QString() : QStringLiteral("secondary"));
}

Result<AllocationRequest> AllocationsPanel::request() const
{
    Result<query::Query> query = query::parse(utf8(m_filter->text()));
    if (!query.has_value()) {
        return query.error();
    }
    AllocationRequest request;
    request.query = std::move(query).value();
    if (m_scope == Scope::cursor) {
        request.live_at = m_state.shownState();
    }
    const QHeaderView* header = shownTable().horizontalHeader();
    request.is_descending = header->sortIndicatorOrder() == Qt::DescendingOrder;
    if (isGrouped()) {
        request.group_by = static_cast<query::GroupBy>(m_group_by->currentIndex() - 1);
        request.group_sort = AllocationGroupsModel::keyOf(header->sortIndicatorSection());
    } else {
        request.sort = AllocationsModel::keyOf(header->sortIndicatorSection());
    }
    if (isOf(m_data.get(), m_state.analysis(), m_state.device())) {
        request.table = m_data;
    }
    return request;
}

void AllocationsPanel::refresh()
{
    m_is_stale = false;
    if (!m_state.hasDevice()) {
        m_job.cancel();
        m_summary->clear();
        return;
    }
    Result<AllocationRequest> asked = request();
    if (!asked.has_value()) {
        m_job.cancel();
        m_is_slow.stop();
        m_stop->hide();
        sayUnread(asked.error());
        return;
    }
    AllocationRequest request = std::move(asked).value();
    const bool needs_modules =
        request.asksForModules() || !m_table->isColumnHidden(AllocationsModel::Module);
    const bool is_quick = request.table && request.live_at
        && (!needs_modules || request.table->knownDetails() != nullptr);
    if (is_quick) {
        m_job.cancel();
        show(request, listAllocations(request, {}));
        return;
    }
    start(std::move(request));
}

/// On the job's thread, with the table first where there is none yet.
void AllocationsPanel::start(AllocationRequest request)
{
    struct Answer {
        AllocationRequest request;
        Result<AllocationList> list;
    };
    m_is_slow.start();
    m_job.start(
        this,
        [request = std::move(request), analysis = m_state.analysis(), device = m_state.device(),
         shows_modules =
             !m_table->isColumnHidden(AllocationsModel::Module)](const std::stop_token& stop) {
            Answer answer{request, AllocationList()};
            if (!answer.request.table) {
                answer.request.table = makeAllocationTable(analysis, device);
            }
            if (shows_modules) {
                (void)answer.request.table->details(stop);
            }
            answer.list = listAllocations(answer.request, stop);
            return answer;
        },
        [this](const std::shared_ptr<Answer>& answer) {
            if (m_state.hasDevice()) {
                m_data = answer->request.table;
                show(answer->request, std::move(answer->list));
            }
        });
}

void AllocationsPanel::show(const AllocationRequest& request, Result<AllocationList>&& list)
{
    m_is_slow.stop();
    m_stop->hide();
    if (!list.has_value()) {
        sayUnread(list.error());
        return;
    }
    showList(request, std::move(list).value());
    Q_EMIT listed();
}

/// What a filter finds is selected everywhere; of the whole run, whichever moment is listed.
void AllocationsPanel::selectFiltered(const AllocationRequest& request)
{
    const QString filter = m_filter->text().trimmed();
    if (filter == m_selected_filter && m_selected_labels == m_state.analysis().labels) {
        return; // What a person has selected since then stays.
    }
    m_selected_filter = filter;
    m_selected_labels = m_state.analysis().labels;
    if (filter.isEmpty()) {
        m_state.selector().clear(Selection::From::filter);
        return;
    }
    m_state.selector().find(
        Selection::From::filter, filter,
        [table = request.table, query = request.query](const std::stop_token& stop) {
            auto found = query::find(*table, query, stop);
            return found.has_value() ? std::move(found).value() : Selector::Ids();
        });
}

/// Of the filter, as far as it is known; 0: it is not, or none.
std::int64_t AllocationsPanel::matchesInRun() const
{
    const std::shared_ptr<const Selection>& selection = m_state.selector().selection();
    return selection && selection->from == Selection::From::filter
            && selection->name == m_filter->text().trimmed()
        ? static_cast<std::int64_t>(selection->ids.size())
        : 0;
}

/// What the last query found goes once this one stays as it is.
void AllocationsPanel::sayUnread(const Error& error)
{
    m_lists_none = false;
    say(text(error.message), true);
    if (!m_is_unread.isActive()) {
        m_is_unread.start();
    }
}

/// The query that found what is listed and selected is no longer there.
void AllocationsPanel::clearList()
{
    m_selected_filter.clear();
    m_state.selector().clear(Selection::From::filter);
    m_model.setOrder({});
    m_groups.clear();
}

void AllocationsPanel::showList(const AllocationRequest& request, AllocationList&& list)
{
    selectFiltered(request);
    m_is_unread.stop();
    m_lists_none = list.sums.count == 0;
    sayFound(list.sums);
    m_model.setTable(request.table);
    if (request.group_by) {
        const bool is_other = m_groups.rowCount() != static_cast<int>(list.groups.size());
        m_groups.setGroups(request.table, *request.group_by, std::move(list.groups));
        if (is_other) {
            m_groups_table->scrollToTop();
        }
        return;
    }
    const bool is_other = list.ids != m_model.order();
    if (is_other) {
        m_model.setOrder(std::move(list.ids));
    }
    chooseSelected();
    if (is_other) {
        m_table->scrollToTop(); // Another list is read from its beginning, whatever is selected.
    }
}

void AllocationsPanel::sayFound(const query::Sums& sums)
{
    const QString filter = m_filter->text().trimmed();
    const QString where =
        m_scope == Scope::cursor ? stateTitle(m_state, m_state.shownState()) : tr("Whole run");
    if (const std::int64_t all = matchesInRun(); sums.count == 0 && all > 0) {
        say(tr("%1: no match; %2 in the whole run").arg(where, countText(all)), true);
        return;
    }
    if (sums.count == 0 && !filter.isEmpty()) {
        say(tr("%1: no allocation matches “%2”").arg(where, filter), true);
        return;
    }
    if (m_scope == Scope::cursor) {
        say(tr("%1: %Ln allocation, %2|"
               "%1: %Ln allocations, %2",
               nullptr, plural(sums.count))
                .arg(where, bytesText(sums.bytes)),
            false);
    } else {
        say(tr("%1: %Ln allocation, %2 requested, %3 freed|%1: %Ln allocations, %2 requested, %3 "
               "freed",
               nullptr, plural(sums.count))
                .arg(where, bytesText(sums.bytes), bytesText(sums.churn)),
            false);
    }
    m_summary->setToolTip(exactBytesText(sums.bytes));
}

} // namespace tidemark::ui
