// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare_view.h"

#include "core/compare/compare.h"
#include "ui/models/facts_model.h"
#include "ui/models/text.h"
#include "ui/views/cursor_panel.h"
#include "ui/views/item_delegate.h"
#include "ui/views/minimap.h"
#include "ui/views/pieces.h"
#include "ui/views/timeline_plot.h"
#include "ui/views/timeline_view.h"

#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

QString joined(const std::vector<std::string>& lines)
{
    QStringList list;
    for (const std::string& line : lines) {
        list << text(line);
    }
    return list.join(u'\n');
}

QString caption(QChar letter, const diagnose::Analysis& analysis, std::size_t device)
{
    return QString(letter) % QStringLiteral("   ") % fileName(analysis.file)
        % QStringLiteral("  ·  ") % deviceSummary(analysis, device);
}

} // namespace

CompareView::CompareView(QWidget* parent)
    : QWidget(parent)
    , m_sentence(makeText(this, QStringLiteral("compareSentence")))
    , m_view_a(new TimelineView(m_a, this))
    , m_view_b(new TimelineView(m_b, this))
    , m_minimap(new Minimap(m_b, this))
    , m_table(new QTableView(this))
    , m_cursor(makeSecondaryText(this, QStringLiteral("compareCursor")))
    , m_settings(makeText(this, QStringLiteral("compareSettings")))
    , m_warnings(makeText(this, QStringLiteral("compareWarnings")))
{
    setObjectName(QStringLiteral("comparePage"));
    setAttribute(Qt::WA_StyledBackground);
    m_sentence->setFont(headingFont(*this, 1.2));
    m_warnings->setProperty("kind", QStringLiteral("secondary"));
    auto* sentence_card = makeCard(this, QStringLiteral("compareSentenceCard"));
    auto* sentence_row = new QVBoxLayout(sentence_card);
    sentence_row->setContentsMargins(16, 10, 16, 10);
    sentence_row->addWidget(m_sentence);
    sentence_row->addWidget(m_warnings);

    auto* timelines = makeCard(this, QStringLiteral("compareTimelines"));
    auto* stacked = new QVBoxLayout(timelines);
    stacked->setContentsMargins(14, 10, 12, 8);
    stacked->setSpacing(6);
    stacked->addWidget(m_view_a, 1);
    stacked->addWidget(m_view_b, 1);
    m_view_a->setMinimapVisible(false);
    m_view_b->setMinimapVisible(false);
    stacked->addWidget(m_minimap);
    connect(&m_view_b->plot(), &TimelinePlot::laidOut, this, [this] {
        const QRect bands = m_view_b->plot().bandRect();
        m_minimap->setInsets(bands.left(), m_view_b->plot().width() - bands.right() - 1);
    });

    auto* side = makeCard(this, QStringLiteral("compareDifferences"));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(14, 12, 14, 12);
    auto* heading = new QLabel(tr("What differs at the peaks"), side);
    heading->setFont(headingFont(*this, 1.0));
    column->addWidget(heading);
    m_table->setObjectName(QStringLiteral("deltas"));
    styleTable(*m_table);
    m_table->setModel(&m_deltas);
    m_table->setItemDelegate(new ItemDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    column->addWidget(m_table, 1);
    column->addWidget(m_cursor);
    column->addWidget(m_settings);
    m_side = side;

    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(14, 12, 14, 12);
    page->setSpacing(12);
    page->addWidget(sentence_card);
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    row->addWidget(timelines, 1);
    row->addWidget(side);
    page->addLayout(row, 1);

    link(m_a, m_b);
    link(m_b, m_a);
    for (TimelineView* view : {m_view_a, m_view_b}) {
        connect(&view->plot(), &TimelinePlot::naturalTopChanged, this, &CompareView::shareTop);
    }
}

void CompareView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int em = fontMetrics().averageCharWidth();
    const int side = std::clamp(width() * 31 / 100, 66 * em, 88 * em);
    m_side->setFixedWidth(side);
    m_table->setColumnHidden(DeltasModel::Ratio, side < 84 * em);
}

void CompareView::link(ViewState& from, ViewState& to)
{
    // Whatever happens to one happens to the other; the flag ends the echo.
    const auto follow = [this, &to](auto&& change) {
        if (m_is_linking || !to.hasDevice()) {
            return;
        }
        m_is_linking = true;
        change();
        m_is_linking = false;
    };
    connect(&from, &ViewState::rangeChanged, this,
            [&from, &to, follow] { follow([&] { to.setRange(from.range()); }); });
    connect(&from, &ViewState::timelineModeChanged, this,
            [&from, &to, follow] { follow([&] { to.setTimelineMode(from.timelineMode()); }); });
    connect(&from, &ViewState::bucketsChanged, this, [&from, &to, follow] {
        follow([&] {
            for (std::size_t i = 0; i < label::kBucketCount; ++i) {
                to.setBucketVisible(label::bucketAt(i), (from.visibleBuckets() >> i & 1U) != 0);
            }
            to.setFitsHeight(from.fitsHeight());
        });
    });
    connect(&from, &ViewState::cursorChanged, this, [this, &from, &to, follow] {
        follow([&] {
            const auto matching = [&](StateId state) {
                return to.axisMap().toState(from.axisMap().toX(state));
            };
            if (from.hover()) {
                to.setHover(matching(*from.hover()));
            } else {
                to.setHover(std::nullopt);
                to.setCursor(matching(from.cursor()));
            }
        });
        if (isShowing()) {
            const StateId a = m_a.shownState();
            const StateId b = m_b.shownState();
            m_cursor->setText(tr("A %1: %2      B %3: %4")
                                  .arg(stateTitle(a).toLower(), gibText(m_a.replay().activeAt(a)),
                                       stateTitle(b).toLower(), gibText(m_b.replay().activeAt(b))));
        }
    });
}

void CompareView::show(const diagnose::Analysis& a, std::size_t device_a,
                       const diagnose::Analysis& b, std::size_t device_b)
{
    const bool is_new = !isShowing() || m_a.analysis().snapshot != a.snapshot
        || m_b.analysis().snapshot != b.snapshot || m_a.device() != device_a
        || m_b.device() != device_b;
    m_is_linking = true;
    m_a.show(a, device_a);
    m_b.show(b, device_b);
    m_is_linking = false;
    if (is_new) {
        if (m_a.axis() != m_b.axis()) {
            m_a.setAxis(projection::Axis::event);
            m_b.setAxis(projection::Axis::event);
        }
        shareExtent();
        m_view_a->setCaption(caption(u'A', a, device_a));
        m_view_b->setCaption(caption(u'B', b, device_b));
    }
    shareTop();
    refreshTexts(a, b);
}

void CompareView::clear()
{
    m_is_linking = true;
    m_a.clear();
    m_b.clear();
    m_is_linking = false;
    m_deltas.clear();
}

void CompareView::refreshTexts(const diagnose::Analysis& a, const diagnose::Analysis& b)
{
    const compare::Comparison comparison = compare::compare(a, m_a.device(), b, m_b.device());
    m_sentence->setText(text(comparison.sentence));
    m_deltas.setComparison(comparison);
    fitColumns(*m_table, 0);
    m_settings->setText(comparison.settings.empty()
                            ? tr("The allocator settings are the same.")
                            : tr("Settings that differ:") % u'\n' % joined(comparison.settings));
    m_warnings->setText(joined(comparison.warnings));
    m_warnings->setVisible(!comparison.warnings.empty());
}

void CompareView::shareExtent()
{
    m_is_linking = true;
    const Interval<double> a = m_a.extent();
    const Interval<double> b = m_b.extent();
    m_a.widenExtent(b);
    m_b.widenExtent(a);
    m_a.fit();
    m_b.fit();
    m_is_linking = false;
}

void CompareView::shareTop()
{
    if (!isShowing()) {
        return;
    }
    const double top = std::max(m_view_a->plot().naturalTop(), m_view_b->plot().naturalTop());
    m_view_a->plot().setSharedTop(top);
    m_view_b->plot().setSharedTop(top);
}

void CompareView::setAxis(projection::Axis axis)
{
    if (!isShowing() || (axis == projection::Axis::time && !canShowTime())) {
        return;
    }
    m_is_linking = true;
    m_a.setAxis(axis);
    m_b.setAxis(axis);
    m_is_linking = false;
    shareExtent();
    shareTop();
}

} // namespace tidemark::ui
