// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/view_history.h"

#include <cmath>

namespace tidemark::ui {
namespace {

constexpr int kSettled = 500; ///< Milliseconds without a change.
constexpr std::size_t kMostViews = 200;

} // namespace

ViewHistory::ViewHistory(ViewState& state, QObject* parent)
    : QObject(parent)
    , m_state(state)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSettled);
    connect(&m_soon, &QTimer::timeout, this, &ViewHistory::settle);
    connect(&m_state, &ViewState::deviceChanged, this, &ViewHistory::restart);
    connect(&m_state, &ViewState::rangeChanged, &m_soon, qOverload<>(&QTimer::start));
    connect(&m_state, &ViewState::heightRangeChanged, &m_soon, qOverload<>(&QTimer::start));
    restart();
}

void ViewHistory::restart()
{
    m_soon.stop();
    m_views.clear();
    m_at = 0;
    if (m_state.hasDevice()) {
        m_views.push_back(present());
    }
}

ViewHistory::View ViewHistory::present() const
{
    const Interval<double> range = m_state.range();
    const projection::AxisMap& axis = m_state.axisMap();
    return {range == m_state.extent(),
            axis.toState(range.begin),
            axis.toState(range.end),
            range,
            m_state.axis(),
            m_state.heightRange()};
}

bool ViewHistory::isPresent(const View& view) const
{
    const Interval<double> range = m_state.range();
    if (view.height != m_state.heightRange()) {
        return false;
    }
    if (view.is_whole || view.axis != m_state.axis()) {
        const View now = present();
        return view.is_whole == now.is_whole
            && (view.is_whole || (view.first == now.first && view.last == now.last));
    }
    const double hair = 1e-9 * (range.end - range.begin);
    return std::abs(view.range.begin - range.begin) <= hair
        && std::abs(view.range.end - range.end) <= hair;
}

void ViewHistory::settle()
{
    m_soon.stop();
    if (!m_state.hasDevice() || (!m_views.empty() && isPresent(m_views[m_at]))) {
        return;
    }
    m_views.resize(std::min(m_views.size(), m_at + 1));
    if (m_views.size() == kMostViews) {
        m_views.erase(m_views.begin());
    }
    m_views.push_back(present());
    m_at = m_views.size() - 1;
}

bool ViewHistory::canGoBack() const
{
    return m_at > 0 || (m_state.hasDevice() && !m_views.empty() && !isPresent(m_views[m_at]));
}

void ViewHistory::goBack()
{
    settle();
    if (m_at > 0) {
        show(m_views[--m_at]);
    }
}

void ViewHistory::goForward()
{
    settle();
    if (canGoForward()) {
        show(m_views[++m_at]);
    }
}

void ViewHistory::show(const View& view)
{
    if (view.is_whole) {
        m_state.fit();
    } else if (view.axis == m_state.axis()) {
        m_state.setRange(view.range);
    } else {
        m_state.setRange({m_state.axisMap().toX(view.first), m_state.axisMap().toX(view.last)});
    }
    m_state.setHeightRange(view.height);
    m_soon.stop(); // It is in the list already.
}

} // namespace tidemark::ui
