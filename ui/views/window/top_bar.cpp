// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/top_bar.h"

#include "ui/views/compare/run_edge.h"
#include "ui/views/look/calm.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"
#include "ui/views/look/theme.h"
#include "ui/views/window/capacity_field.h"
#include "ui/views/window/menu_row.h"

#include <QtCore/QEvent>
#include <QtCore/QSignalBlocker>
#include <QtGui/QPainter>
#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <array>

namespace tidemark::ui {
namespace {

/// Pixels of a file name in its chip.
constexpr int kWidestName = 210;
constexpr int kNarrowestName = 44; ///< With less room a chip has its letter alone.
constexpr int kLeastBarWidth = 740;
constexpr int kBesideName = 88; ///< What a chip holds beside its name, and the gap behind it.

/// The frame of a chip with a row for what is in it.
QHBoxLayout* makeChipRow(QWidget* parent, const QString& name, bool is_active)
{
    auto* chip = new QFrame(parent);
    chip->setObjectName(name);
    chip->setProperty("fileChip", true);
    chip->setProperty("active", is_active);
    auto* row = new QHBoxLayout(chip);
    row->setContentsMargins(7, 1, 4, 1);
    row->setSpacing(0);
    return row;
}

QToolButton* makeChipClose(QWidget* chip, const QString& name, const QString& words)
{
    auto* close = new QToolButton(chip);
    close->setObjectName(name);
    close->setText(QStringLiteral("×"));
    close->setToolTip(words);
    close->setAccessibleName(words);
    close->setFocusPolicy(Qt::TabFocus);
    return close;
}

} // namespace

TopBar::TopBar(QMenuBar* menu, QWidget* parent)
    : QWidget(parent)
    , m_brand(new QLabel(tr("Tidemark"), this))
    , m_files(new QHBoxLayout)
    , m_add(makeChip(this, {}))
    , m_compare(makeChip(this, tr("Compare")))
    , m_search(makeChip(this, {}))
    , m_device(new Calm<ChipCombo>(this))
    , m_capacity(new CapacityField(this))
    , m_report(makeChip(this, tr("PDF Report")))
    , m_theme(makeQuietButton(this, {}))
{
    setObjectName(QStringLiteral("topBar"));
    setMinimumWidth(kLeastBarWidth); // However many files there are, they do not widen the window.
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 6, 14, 6);
    row->setSpacing(8);
    m_brand->setFont(headingFont(*this, 1.0));
    row->addWidget(m_brand);
    menu->setParent(this);
    menu->setNativeMenuBar(false);
    menu->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    row->addWidget(menu, 0, Qt::AlignVCenter);
    m_files->setSpacing(8);
    row->addLayout(m_files);
    m_compare->setObjectName(QStringLiteral("compareToggle"));
    m_compare->setCheckable(true);
    m_compare->setToolTip(tr("Same scale"));
    row->addWidget(m_compare);
    m_add->setObjectName(QStringLiteral("addFile"));
    row->addWidget(m_add);
    row->addStretch(1);
    m_search->setObjectName(QStringLiteral("searchPill"));
    m_search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_search->setToolTip(tr("Search functions, files, events, addresses and commands"));
    m_search->setProperty("keyOf", QStringLiteral("search"));
    m_search->setAccessibleName(tr("Search or jump"));
    row->addWidget(m_search);
    m_device->setObjectName(QStringLiteral("devicePicker"));
    m_device->setAccessibleName(tr("Device"));
    row->addWidget(m_device);
    row->addWidget(m_capacity);
    m_axis = makeAxisSwitch();
    row->addWidget(m_axis);
    m_report->setObjectName(QStringLiteral("reportButton"));
    m_report->setToolTip(tr("Save a report: PDF, HTML or Markdown"));
    row->addWidget(m_report);
    m_theme->setObjectName(QStringLiteral("themeToggle"));
    m_theme->setToolTip(tr("Switch between light and dark"));
    m_theme->setAccessibleName(tr("Switch between light and dark"));
    row->addWidget(m_theme);

    connect(m_add, &QToolButton::clicked, this, &TopBar::addRequested);
    connect(m_compare, &QToolButton::toggled, this, &TopBar::compareToggled);
    connect(m_report, &QToolButton::clicked, this, &TopBar::reportRequested);
    connect(m_theme, &QToolButton::clicked, this, &TopBar::themeToggled);
    connect(m_search, &QToolButton::clicked, this, &TopBar::searchRequested);
    connect(m_device, &QComboBox::activated, this, [this](int row_index) {
        Q_EMIT deviceChosen(m_device->itemData(row_index).value<std::size_t>());
    });
    setFiles({});
    setComparing(false, false);
    setDevices({}, 0);
    setAxes({});
    setCapacityVisible(false);
    setReportEnabled(false);
    drawIcons();
    m_has_chips = false; // The keys that it names are those of actions that are made after it.
}

QWidget* TopBar::makeAxisSwitch()
{
    auto* holder = new QWidget(this);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto* group = new QButtonGroup(holder);
    const auto make = [&](const QString& words, const QString& name, const QString& place) {
        auto* button = new QToolButton(holder);
        button->setText(words);
        button->setObjectName(name);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setProperty("segment", true);
        button->setProperty("place", place);
        group->addButton(button);
        row->addWidget(button);
        return button;
    };
    m_shared = make(tr("aligned"), QStringLiteral("axisShared"), QStringLiteral("first"));
    m_shared->setToolTip(tr("Horizontal axis: aligned at matching places of both runs"));
    m_shared->hide();
    connect(m_shared, &QToolButton::clicked, this,
            [this] { Q_EMIT axisChosen(projection::Axis::shared); });
    m_events = make(tr("events"), QStringLiteral("axisEvents"), QStringLiteral("first"));
    m_time = make(tr("time"), QStringLiteral("axisTime"), QStringLiteral("last"));
    m_events->setToolTip(tr("Horizontal axis: allocator events"));
    connect(m_events, &QToolButton::clicked, this,
            [this] { Q_EMIT axisChosen(projection::Axis::event); });
    connect(m_time, &QToolButton::clicked, this,
            [this] { Q_EMIT axisChosen(projection::Axis::time); });
    m_axis_choice = makeChip(holder, {});
    m_axis_choice->setObjectName(QStringLiteral("axisChoice"));
    m_axis_choice->setAccessibleName(tr("Horizontal axis"));
    m_axis_choice->setPopupMode(QToolButton::InstantPopup);
    m_axis_choice->setMenu(new QMenu(m_axis_choice));
    row->addWidget(m_axis_choice);
    connect(m_axis_choice->menu(), &QMenu::aboutToShow, this, [this] {
        m_axis_choice->menu()->clear();
        for (QToolButton* button : {m_shared, m_events, m_time}) {
            if (button != m_shared || m_has_shared) {
                QAction* const action =
                    m_axis_choice->menu()->addAction(button->text(), button, &QToolButton::click);
                action->setCheckable(true);
                action->setChecked(button->isChecked());
                action->setEnabled(button->isEnabled());
            }
        }
    });
    return holder;
}

/// Side by side, or where there is little room the shown one, which has the others in its menu.
void TopBar::arrangeAxes(bool as_menu)
{
    m_shared->setVisible(m_has_shared && !as_menu);
    setStyleProperty(*m_events, "place",
                     m_has_shared ? QStringLiteral("middle") : QStringLiteral("first"));
    m_events->setVisible(!as_menu);
    m_time->setVisible(!as_menu);
    for (const QToolButton* button : {m_shared, m_events, m_time}) {
        if (button->isChecked()) {
            m_axis_choice->setText(button->text() % QStringLiteral(" ▾"));
        }
    }
    m_axis_choice->setVisible(as_menu);
    m_axis->setMinimumWidth(m_axis->layout()->sizeHint().width());
}

QWidget* TopBar::makeFileChip(const File& file)
{
    QHBoxLayout* const row =
        makeChipRow(this, QStringLiteral("fileChip_") + file.letter, file.is_active);
    QWidget* const chip = row->parentWidget();
    auto* edge = new RunEdge(chip);
    edge->setRun(file.letter, runColour(file.letter));
    row->addWidget(edge);
    auto* name = new QToolButton(chip);
    edge->setVisible(m_name_width > 0);
    const QString shown = m_name_width == 0
        ? file.letter
        : name->fontMetrics().elidedText(file.name, Qt::ElideMiddle, m_name_width);
    name->setAccessibleName(file.letter % u' ' % file.name);
    name->setText(shown % (file.is_loading ? QStringLiteral(" …") : QString()));
    name->setToolTip(file.path);
    name->setFocusPolicy(Qt::TabFocus);
    row->addWidget(name);
    QToolButton* const close = makeChipClose(chip, QStringLiteral("closeFile"),
                                             file.is_loading ? tr("Stop reading %1").arg(file.name)
                                                             : tr("Close %1").arg(file.name));
    row->addWidget(close);
    // Queued: answering deletes the chip that asks.
    connect(
        name, &QToolButton::clicked, this, [this, id = file.id] { Q_EMIT fileChosen(id); },
        Qt::QueuedConnection);
    connect(
        close, &QToolButton::clicked, this, [this, id = file.id] { Q_EMIT fileClosed(id); },
        Qt::QueuedConnection);
    return chip;
}

QWidget* TopBar::makeJobChip()
{
    QHBoxLayout* const row = makeChipRow(this, QStringLiteral("jobChip"), m_job.is_active);
    QWidget* const chip = row->parentWidget();
    auto* name = new QToolButton(chip);
    name->setObjectName(QStringLiteral("showJob"));
    const QString shown = name->fontMetrics().elidedText(m_job.name, Qt::ElideMiddle,
                                                         std::max(m_name_width, kNarrowestName));
    name->setText(QString(shown).replace(u'&', QStringLiteral("&&")));
    name->setAccessibleName(tr("Job %1").arg(m_job.name));
    name->setToolTip(m_job.paths);
    name->setFocusPolicy(Qt::TabFocus);
    row->addWidget(name);
    QToolButton* const close =
        makeChipClose(chip, QStringLiteral("closeJob"), tr("Close the job %1").arg(m_job.name));
    row->addWidget(close);
    // Queued: answering deletes the chip that asks.
    connect(name, &QToolButton::clicked, this, &TopBar::jobChosen, Qt::QueuedConnection);
    connect(close, &QToolButton::clicked, this, &TopBar::jobClosed, Qt::QueuedConnection);
    return chip;
}

void TopBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // Queued: it deletes chips, and one of them may be just being shown.
    QMetaObject::invokeMethod(this, &TopBar::fitNames, Qt::QueuedConnection);
}

int TopBar::roomForName() const
{
    int others = layout()->contentsMargins().left() + layout()->contentsMargins().right();
    for (int i = 0; i < layout()->count(); ++i) {
        const QWidget* widget = layout()->itemAt(i)->widget();
        if (widget != nullptr && !widget->isHidden()) {
            const QSize size = widget->sizeHint().expandedTo(widget->minimumSize());
            others += std::min(size.width(), widget->maximumWidth()) + layout()->spacing();
        }
    }
    const int chips = static_cast<int>(m_shown.size()) + (m_job.name.isEmpty() ? 0 : 1);
    const int count = std::max(1, chips);
    return (width() - others) / count - kBesideName;
}

int TopBar::nameWidth() const
{
    const int room = roomForName();
    return room < kNarrowestName ? 0 : std::min(room, kWidestName);
}

/// What is said beside the files gives way, step by step, until their names are whole.
void TopBar::fitNames()
{
    int longest = fontMetrics().horizontalAdvance(m_job.name);
    for (const File& file : m_shown) {
        longest = std::max(longest, fontMetrics().horizontalAdvance(file.name));
    }
    const std::array<QString, 4> invitations{tr("+ drop a second run to compare"),
                                             tr("+ second run"), tr("+"), tr("+")};
    const std::size_t last = invitations.size() - 1;
    arrangeAxes(false);
    const QString keys = keyText(*this, "search");
    const std::array<QString, 4> searches{
        tr("Search or jump…  %1").arg(keys), tr("Search or jump…  %1").arg(keys), keys, {}};
    for (std::size_t step = m_shown.size() < 2 ? 0 : 2; step <= last; ++step) {
        m_add->setText(invitations[step]);
        m_search->setText(searches[step]);
        m_search->setToolButtonStyle(searches[step].isEmpty() ? Qt::ToolButtonIconOnly
                                                              : Qt::ToolButtonTextBesideIcon);
        m_brand->setVisible(step < last);
        m_report->setText(step < last ? tr("PDF Report") : tr("PDF"));
        if (nameWidth() >= std::min(longest, kWidestName)) {
            break;
        }
    }
    if (roomForName() < 0) {
        arrangeAxes(true);
    }
    if (nameWidth() != m_name_width) {
        makeChips();
    }
}

void TopBar::setFiles(const std::vector<File>& files)
{
    if (m_has_chips && files == m_shown && m_job == m_shown_job) {
        return;
    }
    m_has_chips = true;
    m_shown = files;
    m_shown_job = m_job;
    // Before the first file there is nothing to switch or to report.
    m_axis->setVisible(!files.empty() && !m_job.is_active);
    m_report->setVisible(!files.empty() || !m_job.name.isEmpty());
    m_add->setVisible(!files.empty());
    m_add->setAccessibleName(tr("Open a second file to compare"));
    m_add->setToolTip(
        tr("Open a second file to compare; %1 opens one alone").arg(keyText(*this, "open")));
    makeChips();
    fitNames();
}

void TopBar::makeChips()
{
    m_name_width = nameWidth();
    removeWidgets(*m_files);
    if (!m_job.name.isEmpty()) {
        m_files->addWidget(makeJobChip());
    }
    for (const File& file : m_shown) {
        m_files->addWidget(makeFileChip(file));
    }
}

void TopBar::setJob(const QString& name, const QString& paths, bool is_active)
{
    m_job = {name, paths, is_active};
}

void TopBar::setComparing(bool possible, bool on)
{
    if (m_compare->isHidden() != possible && m_compare->isChecked() == on) {
        return;
    }
    const QSignalBlocker blocker(m_compare);
    m_compare->setVisible(possible);
    m_compare->setChecked(on);
    fitNames();
}

void TopBar::setDevices(const std::vector<Device>& devices, std::size_t current)
{
    const bool is_hidden = devices.size() <= 1;
    if (m_device->isHidden() == is_hidden && devices == m_devices && current == m_current_device) {
        return;
    }
    m_devices = devices;
    m_current_device = current;
    const QSignalBlocker blocker(m_device);
    m_device->clear();
    for (const Device& device : devices) {
        m_device->addItem(device.name, QVariant::fromValue(device.index));
        if (device.index == current) {
            m_device->setCurrentIndex(m_device->count() - 1);
        }
    }
    m_device->setVisible(!is_hidden);
    fitNames();
}

void TopBar::setAxes(const Axes& axes)
{
    const QToolButton* const shown = axes.shown == projection::Axis::shared ? m_shared
        : axes.shown == projection::Axis::time                              ? m_time
                                                                            : m_events;
    if (axes == m_axes && shown->isChecked()) {
        return;
    }
    m_axes = axes;
    m_has_shared = axes.shared;
    m_shared->setChecked(axes.shown == projection::Axis::shared);
    m_events->setChecked(axes.shown == projection::Axis::event);
    m_time->setChecked(axes.shown == projection::Axis::time);
    m_time->setEnabled(axes.time);
    m_time->setToolTip(axes.time ? tr("Horizontal axis: time since the first event")
                                 : tr("This file has no timestamps"));
    fitNames();
}

void TopBar::setReportEnabled(bool enabled)
{
    m_report->setEnabled(enabled);
}

void TopBar::setCapacityVisible(bool visible)
{
    if (m_capacity->isHidden() == visible) {
        m_capacity->setVisible(visible);
        fitNames();
    }
}

void TopBar::drawIcons()
{
    constexpr int kSize = 64;
    QPixmap pixmap(kSize, kSize);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = currentColours().text;
    painter.setPen(QPen(colour, 5));
    painter.drawEllipse(QRectF(9, 9, 46, 46));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPie(QRectF(9, 9, 46, 46), 90 * 16, 180 * 16);
    painter.end();
    m_theme->setIcon(QIcon(pixmap));
    pixmap.fill(Qt::transparent);
    QPainter lens(&pixmap);
    lens.setRenderHint(QPainter::Antialiasing);
    lens.setPen(QPen(currentColours().secondary, 6, Qt::SolidLine, Qt::RoundCap));
    lens.drawEllipse(QRectF(11, 11, 30, 30));
    lens.drawLine(QPointF(38, 38), QPointF(53, 53));
    lens.end();
    m_search->setIcon(QIcon(pixmap));
}

void TopBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        drawIcons();
    }
}

} // namespace tidemark::ui
