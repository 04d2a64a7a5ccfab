// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/align_band.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/look/theme.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kAlignBandHeight = 12;
constexpr double kReach = 6; ///< Pixels around the end of a line that take hold of it.
constexpr double kClosest = 5; ///< Lines nearer than this are drawn as one.
constexpr double kFarKey = 10; ///< Events of a step with Ctrl.

} // namespace

AlignBand::AlignBand(const ViewState& base, const ViewState& against, QWidget* parent)
    : QWidget(parent)
    , m_base(base)
    , m_against(against)
{
    setObjectName(QStringLiteral("alignBand"));
    setAccessibleName(tr("Aligned places of both runs"));
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    for (const ViewState* state : {&m_base, &m_against}) {
        const auto refresh = [this] { update(); };
        connect(state, &ViewState::rangeChanged, this, refresh);
        connect(state, &ViewState::axisChanged, this, refresh);
        connect(state, &ViewState::deviceChanged, this, [this] { setMoments({}, {}); });
    }
}

std::vector<KeyHelp> AlignBand::keyHelp()
{
    return {{{}, tr("Drag a line between the lanes"), tr("Align the runs manually")},
            {{}, tr("Alt+drag the lower run"), tr("Shift the whole run")},
            {Qt::SHIFT | Qt::Key_Right, {}, tr("Move the selected line by one event; Ctrl: ten")},
            {Qt::Key_Escape, {}, tr("Reset the alignment")}};
}

QSize AlignBand::sizeHint() const
{
    return {200, kAlignBandHeight};
}

void AlignBand::setMoments(std::vector<compare::MatchedMoment> moments,
                           std::vector<compare::MatchedMoment> by_hand)
{
    m_moments = std::move(moments);
    m_by_hand = std::move(by_hand);
    m_dragged_to.reset();
    if (m_chosen && *m_chosen >= m_moments.size()) {
        m_chosen.reset();
    }
    update();
}

void AlignBand::setInsets(int left, int right)
{
    m_left = left;
    m_right = right;
    update();
}

double AlignBand::xOf(const ViewState& state, StateId at, std::size_t& knot) const
{
    const Interval<double> range = state.range();
    const double share =
        (state.axisMap().toX(at, knot) - range.begin) / std::max(1e-9, range.end - range.begin);
    return m_left + share * (width() - m_left - m_right);
}

StateId AlignBand::againstAt(double x) const
{
    const Interval<double> range = m_against.range();
    const double share = (x - m_left) / std::max(1, width() - m_left - m_right);
    return m_against.axisMap().toState(range.begin + share * (range.end - range.begin));
}

std::optional<QLineF> AlignBand::lineOf(std::size_t moment) const
{
    std::optional<QLineF> found;
    forEachVisible([&](std::size_t i, const QLineF& line) {
        if (i == moment) {
            found = line;
        }
    });
    return found;
}

template <class Visit>
void AlignBand::forEachVisible(const Visit& visit) const
{
    if (!m_base.hasDevice() || !m_against.hasDevice()) {
        return;
    }
    const auto seen = [](const ViewState& state) {
        const Interval<double> range = state.range();
        return Interval<StateId>{state.axisMap().toState(range.begin),
                                 state.axisMap().toState(range.end)};
    };
    const Interval<StateId> base = seen(m_base);
    const Interval<StateId> against = seen(m_against);
    // Moments rise in both runs: what both have left behind comes first, what neither reaches last.
    const auto first = std::ranges::partition_point(m_moments, [&](const auto& moment) {
        return moment.a < base.begin && moment.b < against.begin;
    });
    std::size_t knot_base = 0;
    std::size_t knot_against = 0;
    for (auto moment = first; moment != m_moments.end(); ++moment) {
        if (moment->a > base.end && moment->b > against.end) {
            return;
        }
        const QLineF line(xOf(m_base, moment->a, knot_base), 0,
                          xOf(m_against, moment->b, knot_against), height());
        // The states at the edges began before them.
        const bool is_left = std::max(line.x1(), line.x2()) < m_left;
        const bool is_right = std::min(line.x1(), line.x2()) > width() - m_right;
        if (!is_left && !is_right) {
            visit(static_cast<std::size_t>(moment - m_moments.begin()), line);
        }
    }
}

std::optional<std::size_t> AlignBand::nearest(double x) const
{
    std::optional<std::size_t> found;
    double least = kReach;
    forEachVisible([&](std::size_t i, const QLineF& line) {
        if (std::abs(line.x2() - x) <= least) {
            least = std::abs(line.x2() - x);
            found = i;
        }
    });
    return found;
}

void AlignBand::choose(std::optional<std::size_t> moment)
{
    if (moment != m_chosen) {
        m_chosen = moment;
        setCursor(moment ? Qt::SizeHorCursor : Qt::ArrowCursor);
        update();
    }
}

void AlignBand::paintEvent(QPaintEvent* /*event*/)
{
    const ThemeColours& colours = currentColours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    double last = -kClosest;
    forEachVisible([&](std::size_t i, QLineF line) {
        const bool is_chosen = m_chosen == i;
        const bool is_by_hand = std::ranges::find(m_by_hand, m_moments[i]) != m_by_hand.end();
        if (line.x2() - last < kClosest && !is_chosen && !is_by_hand) {
            return;
        }
        last = line.x2();
        if (is_chosen && m_dragged_to) {
            line.setP2({*m_dragged_to, static_cast<double>(height())});
        }
        const QColor& colour = is_by_hand || is_chosen ? colours.link : colours.faint;
        painter.setPen(QPen(colour, is_chosen ? 2.0 : is_by_hand ? 1.6 : 1.0));
        painter.drawLine(line);
        if (is_chosen || is_by_hand) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawEllipse(line.p2() - QPointF(0, 2.5), 2.5, 2.5);
        }
    });
    if (hasFocus()) {
        painter.setPen(QPen(colours.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void AlignBand::mousePressEvent(QMouseEvent* event)
{
    choose(nearest(event->position().x()));
    if (event->button() == Qt::LeftButton && m_chosen) {
        m_dragged_to = event->position().x();
        setFocus();
    }
}

void AlignBand::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragged_to) {
        m_dragged_to = std::clamp(event->position().x(), double(m_left),
                                  double(std::max(m_left, width() - m_right)));
        update();
    } else {
        choose(nearest(event->position().x()));
    }
}

void AlignBand::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_dragged_to || event->button() != Qt::LeftButton) {
        return;
    }
    const StateId there = againstAt(*m_dragged_to);
    m_dragged_to.reset();
    update();
    if (m_chosen && there != m_moments[*m_chosen].b) {
        Q_EMIT aligned({m_moments[*m_chosen].a, there});
    }
}

void AlignBand::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    if (!m_dragged_to && !hasFocus()) {
        choose(std::nullopt);
    }
}

void AlignBand::step(int moments)
{
    if (m_moments.empty()) {
        return;
    }
    const int count = static_cast<int>(m_moments.size());
    const int now = m_chosen ? static_cast<int>(*m_chosen) : moments > 0 ? -1 : count;
    choose(static_cast<std::size_t>(std::clamp(now + moments, 0, count - 1)));
}

void AlignBand::keyPressEvent(QKeyEvent* event)
{
    const bool is_right = event->key() == Qt::Key_Right;
    if (is_right || event->key() == Qt::Key_Left) {
        const int direction = is_right ? 1 : -1;
        if (!event->modifiers().testFlag(Qt::ShiftModifier)) {
            step(direction);
            return;
        }
        if (m_chosen) {
            const bool is_far = event->modifiers().testFlag(Qt::ControlModifier);
            const double there = m_moments[*m_chosen].b.value + direction * (is_far ? kFarKey : 1);
            const double last = m_against.replay().lastState().value;
            Q_EMIT aligned({m_moments[*m_chosen].a,
                            {static_cast<std::uint32_t>(std::clamp(there, 0.0, last))}});
        }
        return;
    }
    if (event->key() == Qt::Key_Escape && (m_dragged_to || !m_by_hand.empty())) {
        if (!std::exchange(m_dragged_to, std::nullopt)) {
            Q_EMIT restored();
        }
        update();
        return;
    }
    QWidget::keyPressEvent(event);
}

bool AlignBand::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    auto* const help = static_cast<QHelpEvent*>(event);
    const std::optional<std::size_t> moment = nearest(help->pos().x());
    if (!moment) {
        QToolTip::hideText();
        return true;
    }
    const auto place = [](StateId state) { return text(formatEventNumber(state.eventNumber())); };
    QToolTip::showText(
        help->globalPos(),
        tr("Same place: %1 above, %2 below. Drag the lower end to realign; Esc resets.")
            .arg(place(m_moments[*moment].a), place(m_moments[*moment].b)),
        this);
    return true;
}

} // namespace tidemark::ui
