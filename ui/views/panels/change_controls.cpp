// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/change_controls.h"

#include "ui/models/text.h"
#include "ui/views/look/calm.h"
#include "ui/views/look/pieces.h"

#include <QtCore/QRegularExpression>
#include <QtCore/QSignalBlocker>
#include <QtGui/QStandardItemModel>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSlider>
#include <QtWidgets/QSpinBox>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

using diagnose::Change;

constexpr int kTicksPerOctave = 4;
// What is tried mostly; the box takes all. More would make a step of the hand a leap.
constexpr int kLowestOctave = -3; // 1/8
constexpr int kHighestOctave = 2; // 4 times
constexpr double kSmallestRatio = 0.001;
constexpr double kLargestRatio = 1024;

bool isSame(const Change& a, const Change& b)
{
    return a.kind == b.kind && a.word == b.word && a.number == b.number && a.layers == b.layers;
}

} // namespace

ChangeControl::ChangeControl(const QString& id, const QString& name, const QString& tip,
                             QWidget* parent)
    : QWidget(parent)
    , m_id(id)
    , m_tip(tip)
    , m_name(new QLabel(name, this))
{
    setObjectName(QStringLiteral("control_") + id);
    setToolTip(tip);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    m_name->setFixedWidth(fontMetrics().averageCharWidth() * 18);
    m_name->setWordWrap(true); // Names of other languages are longer.
    row->addWidget(m_name);
}

void ChangeControl::addEditors(const std::vector<QWidget*>& editors)
{
    m_name->setBuddy(editors.front());
    auto* row = static_cast<QHBoxLayout*>(layout());
    for (QWidget* editor : editors) {
        editor->setObjectName(m_id);
        editor->setAccessibleName(m_name->text());
        editor->setAccessibleDescription(m_tip);
        row->addWidget(editor);
    }
    row->addStretch(1);
}

void ChangeControl::setChanges(std::span<const Change> changes)
{
    const QSignalBlocker silent(this);
    const auto fits = [this](const Change& change) { return display(change); };
    if (std::ranges::none_of(changes, fits)) {
        display(std::nullopt);
    }
    refreshUse();
}

void ChangeControl::setEffects(const std::vector<bool>& effects, const QString& reason)
{
    setUsable(std::ranges::find(effects, true) != effects.end(), reason);
}

void ChangeControl::setUsable(bool usable, const QString& reason)
{
    m_reason = usable ? QString() : reason;
    refreshUse();
}

void ChangeControl::refreshUse()
{
    // What stands there can always be taken back.
    setEnabled(m_reason.isEmpty() || change().has_value());
    setToolTip(m_reason.isEmpty() ? m_tip : m_reason);
    setAccessibleDescription(toolTip());
}

RatioControl::RatioControl(diagnose::ChangeKind kind, const QString& id, const QString& name,
                           const QString& tip, QWidget* parent)
    : ChangeControl(id, name, tip, parent)
    , m_kind(kind)
    , m_slider(new Calm<QSlider>(this))
    , m_box(new Calm<QDoubleSpinBox>(this))
{
    m_slider->setOrientation(Qt::Horizontal);
    m_slider->setFixedWidth(fontMetrics().averageCharWidth() * 12);
    m_box->setRange(kSmallestRatio, kLargestRatio);
    m_box->setDecimals(3);
    // Else "0.7" becomes "0.700" while one types, behind which no 5 is taken.
    m_box->setKeyboardTracking(false);
    m_box->setSingleStep(0.125);
    m_box->setPrefix(QStringLiteral("× "));
    m_box->setValue(1);
    m_box->setFixedWidth(fontMetrics().averageCharWidth() * 18); // With a count behind it.
    addEditors({m_slider, m_box});
    m_slider->setObjectName(id + QStringLiteral("Slider"));
    setRecorded(std::nullopt);
    connect(m_slider, &QSlider::valueChanged, this, [this](int place) {
        const double ratio = ratioAt(place);
        const QSignalBlocker silent(m_box);
        m_box->setValue(ratio);
        m_exact = ratio; // 1 of 3 is no figure of three decimals.
        showCount();
        Q_EMIT changed();
    });
    connect(m_box, &QDoubleSpinBox::valueChanged, this, [this](double ratio) {
        const QSignalBlocker silent(m_slider);
        m_slider->setValue(placeOf(ratio));
        m_exact = ratio;
        showCount();
        Q_EMIT changed();
    });
}

double RatioControl::ratioAt(int place) const
{
    return m_recorded ? static_cast<double>(place) / static_cast<double>(*m_recorded)
                      : std::exp2(static_cast<double>(place) / kTicksPerOctave);
}

int RatioControl::placeOf(double ratio) const
{
    return static_cast<int>(std::lround(m_recorded ? ratio * static_cast<double>(*m_recorded)
                                                   : std::log2(ratio) * kTicksPerOctave));
}

void RatioControl::setRecorded(std::optional<std::int64_t> count)
{
    constexpr std::int64_t kMostSteps = 1 << 12; // More are no steps of a hand.
    const QSignalBlocker silent(m_slider);
    m_recorded = count && *count > 1 && *count <= kMostSteps ? count : std::nullopt;
    if (m_recorded) {
        m_slider->setRange(1, static_cast<int>(*m_recorded) << kHighestOctave);
        m_slider->setPageStep(std::max(1, static_cast<int>(*m_recorded) / 4));
    } else {
        m_slider->setRange(kLowestOctave * kTicksPerOctave, kHighestOctave * kTicksPerOctave);
        m_slider->setPageStep(kTicksPerOctave);
    }
    m_slider->setSingleStep(1);
    m_slider->setValue(placeOf(m_exact));
    showCount();
}

/// "× 0.750 (3)"
void RatioControl::showCount()
{
    constexpr double kRounded = 0.0005; // Of the box: 0.333 of 3 is 1.
    const double count = m_recorded ? m_exact * static_cast<double>(*m_recorded) : 0;
    const bool is_whole = m_recorded && std::lround(count) > 0
        && std::abs(count - std::round(count)) <= kRounded * static_cast<double>(*m_recorded);
    m_box->setSuffix(is_whole ? QStringLiteral(" (%1)").arg(std::lround(count)) : QString());
}

std::optional<Change> RatioControl::change() const
{
    return m_exact == 1 ? std::nullopt : std::optional(Change{m_kind, m_exact, {}});
}

std::vector<std::vector<Change>> RatioControl::samples() const
{
    return {{{m_kind, 0.5, {}}}};
}

bool RatioControl::display(const std::optional<Change>& change)
{
    if (change && change->kind != m_kind) {
        return false;
    }
    m_box->setValue(change ? change->number : 1);
    m_exact = change ? change->number : 1;
    showCount();
    return true;
}

CountControl::CountControl(diagnose::ChangeKind kind, const QString& id, const QString& name,
                           const QString& tip, Range range, const QString& off, QWidget* parent)
    : ChangeControl(id, name, tip, parent)
    , m_kind(kind)
    , m_sample(range.sample)
    , m_box(new Calm<QSpinBox>(this))
    , m_layers(range.takes_layers ? new QLineEdit(this) : nullptr)
{
    m_box->setRange(0, range.largest);
    m_box->setSpecialValueText(off);
    m_box->setMinimumWidth(fontMetrics().averageCharWidth() * 16);
    connect(m_box, &QSpinBox::valueChanged, this, &ChangeControl::changed);
    if (m_layers == nullptr) {
        addEditors({m_box});
        return;
    }
    addEditors({m_box, m_layers});
    m_layers->setObjectName(id + QStringLiteral("Layers"));
    m_layers->setAccessibleName(tr("Layers with adapters"));
    m_layers->setPlaceholderText(tr("usual layers"));
    m_layers->setToolTip(tr("Linear layers with adapters: q_proj, v_proj or all-linear"));
    connect(m_layers, &QLineEdit::editingFinished, this, [this] {
        if (m_box->value() > 0) {
            Q_EMIT changed();
        }
    });
}

std::optional<Change> CountControl::change() const
{
    const int count = m_box->value();
    if (count == 0) {
        return std::nullopt;
    }
    Change change{m_kind, static_cast<double>(count), {}};
    if (m_layers != nullptr) {
        static const QRegularExpression kBetween(QStringLiteral("[^\\w.-]+"));
        for (const QString& name : m_layers->text().split(kBetween, Qt::SkipEmptyParts)) {
            change.layers.push_back(utf8(name));
        }
    }
    return change;
}

std::vector<std::vector<Change>> CountControl::samples() const
{
    return {{{m_kind, static_cast<double>(m_sample), {}}}};
}

bool CountControl::display(const std::optional<Change>& change)
{
    if (change && change->kind != m_kind) {
        return false;
    }
    m_box->setValue(change ? static_cast<int>(std::lround(change->number)) : 0);
    if (m_layers != nullptr && change) {
        QStringList names;
        for (const std::string& name : change->layers) {
            names << text(name);
        }
        m_layers->setText(names.join(QStringLiteral(", ")));
    }
    return true;
}

ChoiceControl::ChoiceControl(const QString& id, const QString& name, const QString& tip,
                             Choices choices, QWidget* parent, std::vector<Change> beside)
    : ChangeControl(id, name, tip, parent)
    , m_choices(std::move(choices))
    , m_beside(std::move(beside))
    , m_box(new Calm<ChipCombo>(this))
{
    m_box->addItem(tr("as recorded"));
    for (const auto& [change, words] : m_choices) {
        m_box->addItem(words);
    }
    m_box->setMinimumWidth(fontMetrics().averageCharWidth() * 26);
    addEditors({m_box});
    connect(m_box, &QComboBox::currentIndexChanged, this, &ChangeControl::changed);
}

std::optional<Change> ChoiceControl::change() const
{
    const int index = m_box->currentIndex();
    return index <= 0 ? std::nullopt
                      : std::optional(m_choices[static_cast<std::size_t>(index) - 1].first);
}

std::vector<std::vector<Change>> ChoiceControl::samples() const
{
    std::vector<std::vector<Change>> all;
    for (const auto& [change, words] : m_choices) {
        all.push_back({change});
        all.back().insert(all.back().end(), m_beside.begin(), m_beside.end());
    }
    return all;
}

void ChoiceControl::setEffects(const std::vector<bool>& effects, const QString& reason)
{
    ChangeControl::setEffects(effects, reason);
    const auto* items = qobject_cast<QStandardItemModel*>(m_box->model());
    for (std::size_t i = 0; items != nullptr && i < effects.size(); ++i) {
        QStandardItem* item = items->item(static_cast<int>(i) + 1);
        item->setEnabled(effects[i]);
        item->setToolTip(effects[i] ? QString() : tr("No effect on this run."));
    }
}

bool ChoiceControl::display(const std::optional<Change>& change)
{
    if (!change) {
        m_box->setCurrentIndex(0);
        return true;
    }
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        if (isSame(m_choices[i].first, *change)) {
            m_box->setCurrentIndex(static_cast<int>(i) + 1);
            return true;
        }
    }
    return false;
}

SwitchControl::SwitchControl(Change change, const QString& id, const QString& name,
                             const QString& tip, QWidget* parent)
    : ChangeControl(id, QString(), tip, parent)
    , m_change(std::move(change))
    , m_box(new QCheckBox(name, this))
{
    findChild<QLabel*>()->hide(); // The box has its words beside it.
    addEditors({m_box});
    m_box->setAccessibleName(name);
    connect(m_box, &QCheckBox::toggled, this, &ChangeControl::changed);
}

std::optional<Change> SwitchControl::change() const
{
    return m_box->isChecked() ? std::optional(m_change) : std::nullopt;
}

std::vector<std::vector<Change>> SwitchControl::samples() const
{
    return {{m_change}};
}

bool SwitchControl::display(const std::optional<Change>& change)
{
    if (change && !isSame(*change, m_change)) {
        return false;
    }
    m_box->setChecked(change.has_value());
    return true;
}

} // namespace tidemark::ui
