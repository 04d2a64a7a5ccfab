// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/selection.h"

#include "ui/models/band_grouping.h"
#include "ui/models/view_state.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kMostAtOnce = 4096; ///< Far below a hundredth of a second.

/// Null where nothing is left, or it was stopped.
std::shared_ptr<const Selection> makeSelection(const curves::DeviceCurves& curves,
                                               Selection::From from, const QString& name,
                                               Selector::Ids ids, const std::stop_token& stop)
{
    const replay::Allocations& all = curves.replay().allocations;
    std::erase_if(ids, [&](AllocationId id) { return id.isNone() || id.index() >= all.count(); });
    std::ranges::sort(ids);
    const auto rest = std::ranges::unique(ids);
    ids.erase(rest.begin(), rest.end());
    if (ids.empty() || stop.stop_requested()) {
        return nullptr;
    }
    auto selection = std::make_shared<Selection>();
    selection->from = from;
    selection->name = name;
    selection->members.resize(all.count());
    for (const AllocationId id : ids) {
        selection->members[id.index()] = true;
    }
    selection->largest = *std::ranges::max_element(
        ids, {}, [&](AllocationId id) { return all.requested[id.index()].value; });
    selection->bytes = projection::SelectedBytes(curves, ids, stop);
    selection->ids = std::move(ids);
    return stop.stop_requested() ? nullptr : selection;
}

/// Which of a selection comes to the front. Of what a filter finds none does until a person
/// chooses.
AllocationId frontOf(const std::shared_ptr<const Selection>& selection, AllocationId before)
{
    if (!selection || selection->has(before)) {
        return selection ? before : AllocationId::none();
    }
    return selection->from == Selection::From::filter ? AllocationId::none() : selection->largest;
}

} // namespace

Selector::Selector(ViewState& state)
    : QObject(&state)
    , m_state(state)
{
    connect(&m_state, &ViewState::bandsChanged, this, &Selector::update);
    connect(&m_state, &ViewState::labelsChanged, this, &Selector::update);
}

void Selector::choose(AllocationId front)
{
    if (front.isNone()) {
        m_job.cancel();
        m_is_busy = false;
        show(nullptr, front);
        return;
    }
    if (!m_state.hasDevice() || front.index() >= m_state.replay().allocations.count()) {
        return; // Of what was shown before: its view has not heard of the change yet.
    }
    if (m_selection && m_selection->has(front)) {
        show(m_selection, front);
        return;
    }
    select(Selection::From::row, {}, {front});
}

void Selector::select(Selection::From from, const QString& name, Ids ids)
{
    if (!m_state.hasDevice()) {
        return;
    }
    if (ids.size() > kMostAtOnce) {
        find(from, name, [ids = std::move(ids)](const std::stop_token&) { return ids; });
        return;
    }
    m_job.cancel();
    m_is_busy = false;
    auto selection = makeSelection(m_state.bandCurves(), from, name, std::move(ids), {});
    const AllocationId front = frontOf(selection, m_front);
    show(std::move(selection), front);
}

void Selector::find(Selection::From from, const QString& name, Find find)
{
    if (!m_state.hasDevice()) {
        return;
    }
    m_is_busy = true;
    m_coming = from;
    // The bands are kept by what they belong to.
    m_job.start(
        this,
        [analysis = m_state.analysis(), device = m_state.device(),
         grouping = m_state.bandGrouping(), from, name,
         find = std::move(find)](const std::stop_token& stop) {
            const curves::DeviceCurves& curves =
                grouping ? grouping->curves : analysis.curves->devices[device];
            return makeSelection(curves, from, name, find(stop), stop);
        },
        [this, grouping = m_state.bandGrouping(), curves = m_state.analysis().curves](
            const std::shared_ptr<std::shared_ptr<const Selection>>& found) {
            m_is_busy = false;
            show(*found, frontOf(*found, m_front));
            if (grouping != m_state.bandGrouping() || curves != m_state.analysis().curves) {
                update(); // The bands changed meanwhile.
            }
        });
}

void Selector::clear(Selection::From from)
{
    if (m_is_busy && m_coming == from) {
        m_job.cancel();
        m_is_busy = false;
    }
    if (m_selection && m_selection->from == from) {
        choose(AllocationId::none());
    }
}

void Selector::forget()
{
    m_job.cancel();
    m_is_busy = false;
    m_selection.reset();
    m_front = AllocationId::none();
}

void Selector::show(std::shared_ptr<const Selection> selection, AllocationId front)
{
    if (selection != m_selection || front != m_front) {
        m_selection = std::move(selection);
        m_front = front;
        Q_EMIT changed();
    }
}

/// The same allocations by other bands.
void Selector::update()
{
    if (!m_selection || !m_state.hasDevice() || m_is_busy) {
        return;
    }
    const std::shared_ptr<const Selection> former = m_selection;
    if (former->ids.size() > kMostAtOnce) {
        find(former->from, former->name, [former](const std::stop_token&) { return former->ids; });
    } else {
        show(makeSelection(m_state.bandCurves(), former->from, former->name, former->ids, {}),
             m_front);
    }
}

} // namespace tidemark::ui
