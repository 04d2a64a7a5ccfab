// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/job/rank_table.h"

#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/views/look/copy_key.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/swatch.h"
#include "ui/views/look/theme.h"

#include <QtCore/QEvent>
#include <QtCore/QSignalBlocker>
#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QStyledItemDelegate>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tidemark::ui {
namespace {

constexpr int kWidestName = 220; ///< Pixels of a name before a row.
constexpr double kFaintest = 0.08; ///< Below that a difference has no colour.
constexpr double kStrongest = 0.75; ///< How much of its colour a cell has at most.

/// More in one colour, less in another, on the colour of a card.
QColor heatColour(double heat, const ThemeColours& colours)
{
    const QColor full = heat > 0 ? colours.more : colours.less;
    const auto share =
        static_cast<float>(std::abs(heat) < kFaintest ? 0 : std::abs(heat) * kStrongest);
    const auto mixed = [share](float a, float b) { return a * share + b * (1 - share); };
    return QColor::fromRgbF(mixed(full.redF(), colours.card.redF()),
                            mixed(full.greenF(), colours.card.greenF()),
                            mixed(full.blueF(), colours.card.blueF()));
}

/// A cell on the colour of its difference.
class HeatDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const ThemeColours& colours = currentColours();
        const double heat = index.data(HeatRole).toDouble();
        const QColor fill = heatColour(heat, colours);
        const bool is_selected = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        if (std::abs(heat) >= kFaintest) {
            painter->fillRect(option.rect.adjusted(0, 0, -1, -1), fill);
        } else if (is_selected) {
            painter->fillRect(option.rect, colours.selection);
        }
        const QString words = index.data().toString();
        const bool is_equal = words == QStringLiteral("=") || words == QStringLiteral("0");
        painter->setFont(option.font);
        painter->setPen(std::abs(heat) >= kFaintest ? textOn(fill)
                            : is_equal              ? colours.secondary
                                                    : colours.text);
        const QRect room = option.rect.adjusted(4, 0, -6, 0);
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(words, Qt::ElideRight, room.width()));
        if (is_selected && std::abs(heat) >= kFaintest) {
            painter->setPen(colours.accent);
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(option.rect.adjusted(0, 0, -2, -2));
        }
        painter->restore();
    }
};

/// From less to more, with words at both ends.
class HeatLegend : public QLabel {
public:
    using QLabel::QLabel;

    [[nodiscard]] QSize sizeHint() const override
    {
        return {200, fontMetrics().height() + 4};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        constexpr int kSteps = 9;
        constexpr int kStep = 12;
        constexpr int kGap = 6;
        QPainter painter(this);
        const ThemeColours& colours = currentColours();
        painter.setPen(colours.secondary);
        const QString less = RankTable::tr("less");
        int x = 0;
        painter.drawText(QRect(0, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, less);
        x += fontMetrics().horizontalAdvance(less) + kGap;
        for (int i = 0; i < kSteps; ++i) {
            const double heat = 2.0 * i / (kSteps - 1) - 1;
            painter.fillRect(QRect(x, (height() - kStep) / 2, kStep, kStep),
                             heatColour(heat, colours));
            x += kStep;
        }
        painter.drawText(QRect(x + kGap, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter,
                         RankTable::tr("more than the median rank"));
    }
};

} // namespace

RankTable::RankTable(QWidget* parent)
    : QFrame(parent)
    , m_tabs(new QTabBar(this))
    , m_view(new QTableView(this))
    , m_legend(new HeatLegend(this))
    , m_measure(new ElidedLabel(this, Qt::ElideRight))
{
    setObjectName(QStringLiteral("rankTableCard"));
    setProperty("card", true);
    m_tabs->setObjectName(QStringLiteral("rankTabs"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_tabs->addTab(tr("vs. median"));
    m_tabs->addTab(tr("Bytes"));
    m_tabs->addTab(tr("By stage"));
    m_view->setObjectName(QStringLiteral("rankTable"));
    m_view->setAccessibleName(tr("Memory by rank"));
    styleTable(*m_view);
    m_view->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_view->setModel(&m_model);
    m_view->setItemDelegate(new HeatDelegate(m_view));
    m_view->verticalHeader()->show();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_view->horizontalHeader()->setMinimumSectionSize(0);
    m_view->setCornerButtonEnabled(false);
    m_view->verticalHeader()->setMaximumWidth(kWidestName);
    copyOnKey(*m_view, [this] { return m_model.asText(); });
    m_model.setIconOf([](label::Bucket bucket) { return QVariant(bucketIcon(bucket)); });
    m_legend->setObjectName(QStringLiteral("heatLegend"));
    m_legend->setFont(smallFont(*this));
    m_legend->setToolTip(tr("Full color: a difference of half the median rank's total."));
    m_measure->setObjectName(QStringLiteral("rankMeasure"));
    m_measure->setProperty("kind", QStringLiteral("secondary"));
    m_measure->setFont(smallFont(*this));
    m_measure->setWords(tr("Each bucket's own peak. Total: at one moment."));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 4, 8, 8);
    column->setSpacing(4);
    column->addWidget(m_tabs);
    column->addWidget(m_view, 1);
    auto* notes = new QHBoxLayout;
    notes->addWidget(m_legend);
    notes->addStretch(1);
    notes->addWidget(m_measure);
    column->addLayout(notes);
    connect(m_tabs, &QTabBar::currentChanged, this, &RankTable::refresh);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                const std::size_t row = m_model.rankAt(index.row(), index.column());
                if (!m_is_selecting && row != kNoRow) {
                    Q_EMIT rankChosen(row);
                }
            });
    connect(m_view, &QTableView::activated, this, [this](const QModelIndex& index) {
        const std::size_t row = m_model.rankAt(index.row(), index.column());
        if (row != kNoRow) {
            Q_EMIT openRequested(row);
        }
    });
}

void RankTable::setJob(std::shared_ptr<const job::Job> job)
{
    m_job = std::move(job);
    refresh();
}

void RankTable::refresh()
{
    const bool has_stages = m_job != nullptr && RankTableModel::hasStages(*m_job);
    // One rank has none to be held against.
    const bool has_median = m_job == nullptr || m_job->rows.empty() || m_job->median.has_value();
    {
        const QSignalBlocker blocker(m_tabs);
        m_tabs->setTabVisible(stages, has_stages);
        m_tabs->setTabVisible(against_median, has_median);
        if (has_median && !m_had_median) {
            m_tabs->setCurrentIndex(against_median);
        } else if (!m_tabs->isTabVisible(m_tabs->currentIndex())) {
            m_tabs->setCurrentIndex(has_median ? against_median : bytes);
        }
        m_had_median = has_median;
    }
    const int tab = m_tabs->currentIndex();
    const std::size_t ranks = m_job == nullptr ? 0 : comparedRows(*m_job, RankOrder::rank).size();
    const RankForm form = tab == stages ? RankForm::stages
        : ranks >= kHeatMapRanks        ? RankForm::ranks
                                        : RankForm::buckets;
    const std::size_t selected =
        m_model.rankAt(m_view->currentIndex().row(), m_view->currentIndex().column());
    m_model.setJob(m_job, tab == bytes ? RankValues::bytes : RankValues::against_median, form);
    fitCells();
    m_tabs->setTabText(bytes,
                       m_job == nullptr || m_job->rows.empty()
                           ? tr("Bytes")
                           : tr("Bytes (%1)").arg(m_model.unit()));
    m_legend->setVisible(m_job != nullptr && m_job->median.has_value());
    m_measure->setVisible(ranks > 0 && form != RankForm::stages);
    select(selected);
}

/// One width for all where there is room for that, else each as wide as its words, with less around
/// them where that is too wide still.
void RankTable::fitCells()
{
    constexpr int kPadding = 20;
    constexpr int kLeastPadding = 11; ///< As the delegate leaves it.
    constexpr int kNarrowest = 44;
    constexpr int kWidest = 260; ///< Of what has no rank the file's name is the heading.
    constexpr int kMostRows = 200; // that are measured
    QFont head = smallFont(*this);
    head.setBold(true);
    const QFontMetrics metrics(head);
    std::vector<int> widths;
    for (int c = 0; c < m_model.columnCount(); ++c) {
        const bool has_icon = m_model.headerData(c, Qt::Horizontal, Qt::DecorationRole).isValid();
        int width = metrics.horizontalAdvance(
                        m_model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString())
            + (has_icon ? kSwatchSize + kPadding / 2 : 0);
        for (int r = 0; r < std::min(m_model.rowCount(), kMostRows); ++r) {
            width = std::max(
                width,
                m_view->fontMetrics().horizontalAdvance(m_model.index(r, c).data().toString()));
        }
        widths.push_back(std::min(width, kWidest - kPadding));
    }
    const auto padded = [&](int width) { return std::max(width + kPadding, kNarrowest); };
    const int widest = widths.empty() ? 0 : padded(*std::ranges::max_element(widths));
    const int room = m_view->width() - m_view->verticalHeader()->sizeHint().width();
    // Of few ranks it takes the room that it needs, and leaves the rest to what is below it.
    const QMargins margins = layout()->contentsMargins();
    const int height = m_view->horizontalHeader()->sizeHint().height()
        + m_view->verticalHeader()->length() + m_view->horizontalScrollBar()->sizeHint().height()
        + m_tabs->sizeHint().height() + m_legend->sizeHint().height() + margins.top()
        + margins.bottom() + 3 * layout()->spacing();
    setMaximumHeight(m_model.rowCount() >= static_cast<int>(kHeatMapRanks) ? QWIDGETSIZE_MAX
                                                                           : height);
    const bool is_roomy = widest * m_model.columnCount() <= room;
    int all = 0;
    int least = 0;
    for (const int width : widths) {
        all += padded(width);
        least += width + kLeastPadding;
    }
    m_needed = least + m_view->verticalHeader()->sizeHint().width() + 2 * m_view->frameWidth()
        + m_view->verticalScrollBar()->sizeHint().width() + margins.left() + margins.right();
    for (int c = 0; c < m_model.columnCount(); ++c) {
        const int width = widths[static_cast<std::size_t>(c)];
        m_view->setColumnWidth(c,
                               is_roomy          ? widest
                                   : all <= room ? padded(width)
                                                 : width + kLeastPadding);
    }
}

void RankTable::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    layout()->activate();
    fitCells();
}

void RankTable::select(std::size_t row)
{
    m_is_selecting = true;
    const QModelIndex cell = row == kNoRow ? QModelIndex() : m_model.cellOf(row);
    const QModelIndex now = m_view->currentIndex();
    if (!cell.isValid()) {
        m_view->setCurrentIndex({});
    } else if (m_model.rankAt(now.row(), now.column()) != row) {
        // The same bucket of the other rank.
        const QModelIndex kept = !now.isValid()   ? cell
            : m_model.form() == RankForm::buckets ? m_model.index(now.row(), cell.column())
            : m_model.form() == RankForm::ranks   ? m_model.index(cell.row(), now.column())
                                                  : cell;
        m_view->setCurrentIndex(kept);
        m_view->scrollTo(kept);
    }
    m_is_selecting = false;
}

void RankTable::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        m_view->viewport()->update();
    }
}

} // namespace tidemark::ui
