// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/legend_bar.h"

#include "ui/models/band_grouping.h"
#include "ui/models/text.h"
#include "ui/views/look/calm.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"
#include "ui/views/look/swatch.h"
#include "ui/views/look/theme.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPixmap>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kLongestBandName = 26; ///< Average letters; paths of modules are longer.

/// A piece of a line over the bands.
QIcon lineIcon(const QColor& colour, Qt::PenStyle style)
{
    constexpr int kSide = 12;
    constexpr int kScale = 2;
    QPixmap picture(kSide * kScale, kSide * kScale);
    picture.setDevicePixelRatio(kScale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setPen(QPen(colour, 2, style, Qt::FlatCap));
    painter.drawLine(0, kSide / 2, kSide, kSide / 2);
    return picture;
}

} // namespace

LegendBar::LegendBar(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_show_all(makeQuietButton(this, tr("Show all")))
    , m_ghost(makeLineButton("legend_ghost"))
    , m_simulated(makeLineButton("legend_simulated"))
    , m_single(makeChip(this, tr("Single allocations")))
{
    setObjectName(QStringLiteral("legendBar"));
    new FlowLayout(this, 2);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_show_all->setObjectName(QStringLiteral("showAllBuckets"));
    m_show_all->setFont(smallFont(*this));
    connect(m_show_all, &QToolButton::clicked, &m_state, &ViewState::showAllBands);
    m_ghost->setAccessibleName(tr("With this fix"));
    m_simulated->setToolTip(tr("Simulated reserved memory; click to remove"));
    m_simulated->setAccessibleName(m_simulated->toolTip());
    connect(m_ghost, &QToolButton::clicked, &m_state, [this] { m_state.setGhost(nullptr); });
    connect(m_simulated, &QToolButton::clicked, &m_state,
            [this] { m_state.setSimulated(nullptr); });
    connect(&m_state, &ViewState::ghostChanged, this, &LegendBar::refreshLines);
    connect(&m_state, &ViewState::simulatedChanged, this, &LegendBar::refreshLines);
    m_single->setObjectName(QStringLiteral("singleAllocations"));
    m_single->setFont(smallFont(*this));
    m_single->setCheckable(true);
    m_single->setToolTip(tr("Draw each allocation as its own band (A)"));
    connect(m_single, &QToolButton::toggled, &m_state, [this](bool checked) {
        m_state.setTimelineMode(checked ? TimelineMode::allocations : TimelineMode::bands);
    });
    connect(&m_state, &ViewState::timelineModeChanged, this, &LegendBar::refresh);
    connect(&m_state, &ViewState::deviceChanged, this, &LegendBar::rebuild);
    connect(&m_state, &ViewState::labelsChanged, this, &LegendBar::rebuild);
    connect(&m_state, &ViewState::bandsChanged, this, &LegendBar::rebuild);
    connect(&m_state, &ViewState::bucketsChanged, this, &LegendBar::refresh);
    makeButtons();
    rebuild();
}

void LegendBar::alsoFor(ViewState& other)
{
    m_other = &other;
    connect(m_other, &ViewState::deviceChanged, this, &LegendBar::rebuild);
    connect(m_other, &ViewState::labelsChanged, this, &LegendBar::rebuild);
    rebuild();
}

void LegendBar::chooseWith(BandGrouper& grouper)
{
    m_grouper = &grouper;
    m_choice = new Calm<ChipCombo>(this);
    m_choice->setObjectName(QStringLiteral("bandChoice"));
    m_choice->setAccessibleName(tr("Band grouping"));
    m_choice->setToolTip(tr("Group and color the bands"));
    m_choice->setFont(smallFont(*this));
    for (std::size_t i = 0; i < query::kBandByCount; ++i) {
        m_choice->addItem(tr("by %1").arg(text(query::bandByName(static_cast<query::BandBy>(i)))));
    }
    connect(m_choice, &QComboBox::activated, m_grouper,
            [this](int row) { m_grouper->setBy(static_cast<query::BandBy>(row)); });
    connect(m_grouper, &BandGrouper::byChanged, this, &LegendBar::refreshChoice);
    refreshChoice();
    makeButtons();
    rebuild();
}

void LegendBar::refreshChoice()
{
    m_choice->setCurrentIndex(static_cast<int>(m_grouper->by()));
}

std::int64_t LegendBar::largestOf(label::Bucket band) const
{
    const std::int64_t other =
        m_other != nullptr && m_other->hasDevice() ? m_other->bandCurves().largestOf(band) : 0;
    return std::max(m_state.bandCurves().largestOf(band), other);
}

std::vector<KeyHelp> LegendBar::keyHelp()
{
    return {{Qt::Key_Space, {}, tr("Show or hide a band")},
            {Qt::SHIFT | Qt::Key_Space, {}, tr("Show only this band, or all")},
            {{}, tr("Alt+click"), tr("Show only this band, or all")}};
}

bool LegendBar::eventFilter(QObject* watched, QEvent* event)
{
    const auto button = std::ranges::find(m_buttons, watched, &Button::second);
    const bool is_press = event->type() == QEvent::MouseButtonPress
        && static_cast<QMouseEvent*>(event)->modifiers().testFlag(Qt::AltModifier);
    const bool is_key = event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space
        && static_cast<QKeyEvent*>(event)->modifiers().testFlag(Qt::ShiftModifier);
    if (button == m_buttons.end() || (!is_press && !is_key)) {
        return QWidget::eventFilter(watched, event);
    }
    m_state.soloBand(button->first);
    return true;
}

std::vector<label::Bucket> LegendBar::occurring() const
{
    std::vector<label::Bucket> bands;
    for (std::size_t i = 0; m_state.hasDevice() && i < label::kBucketCount; ++i) {
        if (largestOf(label::bucketAt(i)) > 0) {
            bands.push_back(label::bucketAt(i));
        }
    }
    return bands;
}

/// Buttons of the same buckets stay.
void LegendBar::rebuild()
{
    const bool are_same = m_are_buckets && m_state.bandGrouping() == nullptr
        && std::ranges::equal(occurring(), m_buttons, {}, {}, &Button::first);
    if (are_same) {
        for (const Button& button : m_buttons) {
            setTip(button);
        }
    } else {
        makeButtons();
    }
    refreshLines();
    refresh();
}

void LegendBar::makeButtons()
{
    m_are_buckets = m_state.bandGrouping() == nullptr;
    for (const auto& [band, button] : m_buttons) {
        layout()->removeWidget(button);
        removeWidget(*button);
    }
    m_buttons.clear();
    m_words_width = 0;
    layout()->removeWidget(m_show_all);
    layout()->removeWidget(m_ghost);
    layout()->removeWidget(m_simulated);
    layout()->removeWidget(m_single);
    if (m_choice != nullptr) {
        layout()->removeWidget(m_choice);
    }
    for (const label::Bucket band : occurring()) {
        addBand(band);
    }
    layout()->addWidget(m_show_all);
    layout()->addWidget(m_ghost);
    layout()->addWidget(m_simulated);
    if (m_choice != nullptr) {
        layout()->addWidget(m_choice);
    }
    layout()->addWidget(m_single);
}

void LegendBar::addBand(label::Bucket band)
{
    const BandGrouping* const grouping = m_state.bandGrouping().get();
    const QString name = bandName(grouping, band);
    auto* button = new QToolButton(this);
    // Buckets by name, since what is known of them is bound to it; groups by their place.
    button->setObjectName(QStringLiteral("legend_")
                          % (grouping == nullptr ? text(label::bucketId(band))
                                                 : QString::number(label::indexOf(band))));
    button->setProperty("legend", true);
    button->setFont(smallFont(*this));
    const QString shown = briefBandName(grouping, band, [this](const QString& words) {
        return fontMetrics().elidedText(words, Qt::ElideMiddle,
                                        fontMetrics().averageCharWidth() * kLongestBandName);
    });
    button->setText(QString(shown).replace(u'&', QStringLiteral("&&")));
    button->setAccessibleName(name);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize({kSwatchSize, kSwatchSize});
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::toggled, this,
            [this, band](bool visible) { m_state.setBandVisible(band, visible); });
    button->installEventFilter(this);
    layout()->addWidget(button);
    button->ensurePolished();
    m_words_width += button->sizeHint().width() + layout()->spacing();
    m_buttons.emplace_back(band, button);
    setTip(m_buttons.back());
}

void LegendBar::setTip(const Button& button)
{
    const QString what = tr("Click: show or hide; Alt+click: only this band; peak %1")
                             .arg(bytesText({largestOf(button.first)}));
    button.second->setToolTip(button.second->accessibleName() % u'\n' % what);
}

void LegendBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();
        refreshLines();
    }
}

void LegendBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitWords();
}

/// Where words would need more than two lines, the colours alone are there, as beside the names of
/// what is at the cursor; the tool tips have the words.
void LegendBar::fitWords()
{
    constexpr int kMostLines = 2;
    constexpr int kLostAtLineEnds = 120;
    int needed = m_words_width;
    for (const QWidget* other : std::initializer_list<const QWidget*>{
             m_show_all, m_ghost, m_simulated, m_choice, m_single}) {
        needed += other == nullptr || other->isHidden() ? 0 : other->sizeHint().width();
    }
    const bool has_words = needed <= kMostLines * width() - kLostAtLineEnds;
    for (const auto& [band, button] : m_buttons) {
        button->setToolButtonStyle(has_words ? Qt::ToolButtonTextBesideIcon
                                             : Qt::ToolButtonIconOnly);
    }
}

QToolButton* LegendBar::makeLineButton(const char* name)
{
    auto* button = new QToolButton(this);
    button->setObjectName(QString::fromLatin1(name));
    button->setProperty("legend", true);
    button->setCheckable(true);
    button->setFont(smallFont(*this));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize({kSwatchSize, kSwatchSize});
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void LegendBar::refreshLines()
{
    const auto show = [](QToolButton& button, const QString& words, const QIcon& icon) {
        button.setText(words % QStringLiteral("  ✕"));
        button.setAccessibleName(tr("Remove the line: %1").arg(words));
        button.setIcon(icon);
        button.setChecked(true);
    };
    const auto& ghost = m_state.ghost();
    m_ghost->setVisible(ghost != nullptr);
    if (ghost != nullptr) {
        show(*m_ghost, tr("With this fix"), lineIcon(currentColours().text, Qt::SolidLine));
        m_ghost->setToolTip(tr("What if: %1; click to remove").arg(ghost->title));
    }
    const auto& run = m_state.simulated();
    m_simulated->setVisible(run != nullptr);
    if (run != nullptr) {
        show(*m_simulated, tr("Reserved under %1").arg(run->settings),
             lineIcon(currentColours().link, Qt::DotLine));
    }
    fitWords();
    layout()->invalidate();
    updateGeometry();
}

void LegendBar::refresh()
{
    bool any_hidden = false;
    const BandGrouping* const grouping = m_state.bandGrouping().get();
    const auto colours =
        grouping == nullptr ? bucketColours() : groupColours(grouping->bands.other);
    for (const auto& [band, button] : m_buttons) {
        const bool is_visible = label::isIn(m_state.visibleBands(), band);
        const QColor& colour = colours[label::indexOf(band)];
        const QSignalBlocker blocker(button);
        button->setChecked(is_visible);
        button->setIcon(is_visible ? bandIcon(colour) : hiddenBandIcon(colour));
        any_hidden = any_hidden || !is_visible;
    }
    m_show_all->setVisible(any_hidden);
    m_single->setVisible(m_state.hasDevice());
    if (m_choice != nullptr) {
        m_choice->setVisible(m_state.hasDevice());
    }
    const QSignalBlocker blocker(m_single);
    m_single->setChecked(m_state.timelineMode() == TimelineMode::allocations);
    fitWords();
    layout()->invalidate();
    updateGeometry();
}

} // namespace tidemark::ui
