// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/relabel_dialog.h"

#include "core/base/format.h"
#include "core/label/stacks/code_lines.h"
#include "ui/models/allocations_model.h"
#include "ui/models/corrections_model.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/on_screen.h"
#include "ui/views/look/calm.h"
#include "ui/views/look/fields_area.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/swatch.h"

#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QRadioButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <array>

namespace tidemark::ui {
namespace {

constexpr int kPreviewDelay = 120; ///< Milliseconds after the last change.
constexpr int kAny = -1; ///< In a combo box: no condition; of roles: left as it is.

enum Scope : int { ThisAllocation, ThisStack, Conditions };

/// The combo box's choice, or nullopt for "any".
template <typename E>
std::optional<E> chosenUnlessAny(const QComboBox& box)
{
    const int value = box.currentData().toInt();
    return value == kAny ? std::nullopt : std::optional(static_cast<E>(value));
}

void choose(QComboBox& box, int value)
{
    box.setCurrentIndex(std::max(0, box.findData(value)));
}

/// What a rule would find, and whether it would relabel any of it.
struct Found {
    label::CorrectionEffect effect;
    bool changes = true;
};

/// Whether all allocations have the same buckets and roles.
bool saysTheSame(const label::Labels& a, const label::Labels& b)
{
    return std::ranges::equal(a.devices, b.devices,
                              [](const label::DeviceLabels& x, const label::DeviceLabels& y) {
                                  return x.bucket == y.bucket && x.role == y.role;
                              });
}

bool isSize(const QLineEdit& edit)
{
    return edit.text().trimmed().isEmpty() || bytesFromText(edit.text()).has_value();
}

} // namespace

RelabelDialog::RelabelDialog(const diagnose::Analysis& analysis, const Subject& subject,
                             QWidget* parent)
    : QDialog(parent)
    , m_analysis(analysis)
    , m_clicked(subject)
{
    const trace::Snapshot& snapshot = *analysis.snapshot;
    const label::DeviceLabels& labels = analysis.labels->devices[subject.device];
    m_stack = label::matchOfStack(snapshot, subject.stack);
    label::CorrectionMatch suggested;
    if (const FrameId frame = label::LineFinder(snapshot).of(snapshot, subject.stack).shown;
        !frame.isNone()) {
        suggested.function = snapshot.text(snapshot.stacks.frame(frame).name);
        suggested.file = baseName(snapshot.text(snapshot.stacks.frame(frame).filename));
    }
    label::Bucket bucket = label::Bucket::unknown;
    label::Role role = label::Role::none;
    if (!subject.allocation.isNone()) {
        m_this = label::matchOfAllocation(snapshot, *analysis.replay, subject.device,
                                          subject.allocation);
        bucket = labels.bucket[subject.allocation.index()];
        role = labels.role[subject.allocation.index()];
        suggested.bucket = bucket;
    }
    build();
    setWindowTitle(tr("Relabel"));
    if (m_this) {
        const std::size_t i = subject.allocation.index();
        m_subject->setText(
            tr("%1, now %2: %3")
                .arg(bytesText(*m_this->bytes),
                     inferredMark(labels.confidence[i] / 100.0) % bucketWithRole(bucket, role),
                     text(labels.reasonOf(subject.allocation).evidence)));
    } else if (m_stack) {
        m_subject->setText(text(label::describe(*m_stack)));
    }
    fillConditions(suggested);
    m_scope->button(m_this ? ThisAllocation : m_stack ? ThisStack : Conditions)->setChecked(true);
    chooseTarget(bucket, role);
    changed();
    resizeOnScreen(*this, sizeHint());
}

RelabelDialog::RelabelDialog(const diagnose::Analysis& analysis, std::size_t index, QWidget* parent)
    : QDialog(parent)
    , m_analysis(analysis)
    , m_edited(index)
{
    const label::Correction& rule = analysis.corrections->rules[index];
    m_base = rule.match;
    m_keeps_role = !rule.role;
    build();
    setWindowTitle(tr("Edit correction"));
    m_subject->setText(text(label::describe(rule.match)));
    fillConditions(rule.match);
    m_scope->button(Conditions)->setChecked(true);
    chooseTarget(rule.bucket, rule.role);
    m_note->setText(text(rule.note));
    changed();
    resizeOnScreen(*this, sizeHint());
}

void RelabelDialog::build()
{
    setObjectName(QStringLiteral("relabelDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setMinimumWidth(560);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(12);
    m_subject = makeSecondaryText(this, QStringLiteral("relabelSubject"));
    column->addWidget(m_subject);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(7);
    form->setHorizontalSpacing(14);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addScopes(*form);
    addTarget(*form);
    form->setContentsMargins(0, 0, 4, 0);
    column->addWidget(new FieldsArea(form, this), 1);
    m_preview = makeText(this, QStringLiteral("relabelPreview"));
    m_preview->setMinimumHeight(fontMetrics().height() * 2);
    column->addWidget(m_preview);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_accept =
        buttons->addButton(m_edited ? tr("Change") : tr("Relabel"), QDialogButtonBox::AcceptRole);
    m_accept->setObjectName(QStringLiteral("relabelAccept"));
    setStyleProperty(*m_accept, "primary", true); // The box polished it already.
    m_accept->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kPreviewDelay);
    connect(&m_soon, &QTimer::timeout, this, &RelabelDialog::preview);
}

void RelabelDialog::addScopes(QFormLayout& form)
{
    m_scope = new QButtonGroup(this);
    auto* scopes = new QWidget(this);
    auto* column = new QVBoxLayout(scopes);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    const auto add = [&](Scope scope, const QString& words, const char* name, bool is_possible) {
        auto* button = new QRadioButton(words, scopes);
        button->setObjectName(QString::fromLatin1(name));
        button->setEnabled(is_possible);
        m_scope->addButton(button, scope);
        column->addWidget(button);
    };
    add(ThisAllocation, tr("&This allocation"), "scopeThis", m_this.has_value());
    add(ThisStack,
        m_stack || m_edited ? tr("All from this &stack")
                            : tr("All from this stack (none recorded)"),
        "scopeStack", m_stack.has_value());
    add(Conditions, tr("All that &match"), "scopeConditions", true);
    // A correction that is edited keeps its kind; its conditions can be changed.
    const bool is_fixed = m_edited && (m_base.alloc_event || m_base.address);
    scopes->setVisible(!m_edited);
    if (!m_edited) {
        form.addRow(tr("Apply to"), scopes);
    }
    m_conditions = new QWidget(this);
    auto* conditions = new QFormLayout(m_conditions);
    conditions->setContentsMargins(m_edited ? 0 : 22, 0, 0, 4);
    conditions->setVerticalSpacing(5);
    addConditions(*conditions);
    form.addRow(m_edited ? tr("Conditions") : QString(), m_conditions);
    if (is_fixed) {
        form.setRowVisible(m_conditions, false);
    }
    connect(m_scope, &QButtonGroup::idToggled, this, &RelabelDialog::changed);
}

void RelabelDialog::addConditions(QFormLayout& form)
{
    const auto edit = [&](const QString& words, const char* name, const QString& hint) {
        auto* field = new QLineEdit(m_conditions);
        field->setObjectName(QString::fromLatin1(name));
        field->setPlaceholderText(hint);
        form.addRow(words, field);
        connect(field, &QLineEdit::textChanged, this, &RelabelDialog::changed);
        return field;
    };
    m_function = edit(tr("Function contains"), "matchFunction", tr("any"));
    m_file = edit(tr("File contains"), "matchFile", tr("any"));
    m_least = edit(tr("At least"), "matchLeast", tr("any, or 4096, 1.5 MiB"));
    m_most = edit(tr("At most"), "matchMost", tr("any, or 4096, 1.5 MiB"));
    const auto box = [&](const QString& words, const char* name) {
        auto* choices = new Calm<ChipCombo>(m_conditions);
        choices->setObjectName(QString::fromLatin1(name));
        choices->addItem(tr("any"), kAny);
        form.addRow(words, choices);
        connect(choices, &QComboBox::currentIndexChanged, this, &RelabelDialog::changed);
        return choices;
    };
    m_bucket_now = box(tr("Current label"), "matchBucket");
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        m_bucket_now->addItem(bucketIcon(label::bucketAt(i)),
                              text(label::bucketName(label::bucketAt(i))), static_cast<int>(i));
    }
    m_phase = box(tr("Allocated in"), "matchPhase");
    for (std::size_t i = 0; i < label::kPhaseCount; ++i) {
        m_phase->addItem(text(label::phaseName(static_cast<label::Phase>(i))), static_cast<int>(i));
    }
}

void RelabelDialog::addTarget(QFormLayout& form)
{
    m_bucket = new Calm<ChipCombo>(this);
    m_bucket->setObjectName(QStringLiteral("relabelBucket"));
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        m_bucket->addItem(bucketIcon(label::bucketAt(i)),
                          text(label::bucketName(label::bucketAt(i))), static_cast<int>(i));
    }
    m_bucket->setMaxVisibleItems(static_cast<int>(label::kBucketCount));
    m_role = new Calm<ChipCombo>(this);
    m_role->setObjectName(QStringLiteral("relabelRole"));
    m_note = new QLineEdit(this);
    m_note->setObjectName(QStringLiteral("relabelNote"));
    m_note->setPlaceholderText(tr("optional; shown in the report"));
    form.addRow(tr("&Label"), m_bucket);
    form.addRow(tr("&Role"), m_role);
    form.addRow(tr("Re&ason"), m_note);
    connect(m_bucket, &QComboBox::currentIndexChanged, this, &RelabelDialog::fillRoles);
    connect(m_role, &QComboBox::currentIndexChanged, this, &RelabelDialog::changed);
    connect(m_note, &QLineEdit::textChanged, this, &RelabelDialog::changed);
}

void RelabelDialog::fillConditions(const label::CorrectionMatch& match)
{
    const auto size = [](const std::optional<Bytes>& bytes) {
        return bytes ? QString::number(bytes->value) : QString();
    };
    m_function->setText(text(match.function));
    m_file->setText(text(match.file));
    m_least->setText(size(match.min_bytes));
    m_most->setText(size(match.max_bytes));
    choose(*m_bucket_now, match.bucket ? static_cast<int>(*match.bucket) : kAny);
    choose(*m_phase, match.phase ? static_cast<int>(*match.phase) : kAny);
}

void RelabelDialog::chooseTarget(label::Bucket bucket, std::optional<label::Role> role)
{
    choose(*m_bucket, static_cast<int>(bucket));
    fillRoles();
    choose(*m_role, role ? static_cast<int>(*role) : kAny);
}

void RelabelDialog::fillRoles()
{
    const QSignalBlocker quiet(*m_role);
    m_role->clear();
    if (m_keeps_role) {
        m_role->addItem(tr("unchanged"), kAny);
    }
    m_role->addItem(tr("none"), static_cast<int>(label::Role::none));
    for (const label::Role role : label::rolesOf(*chosenUnlessAny<label::Bucket>(*m_bucket))) {
        m_role->addItem(text(label::roleWords(role)), static_cast<int>(role));
    }
    m_role->setEnabled(m_role->count() > 1);
    changed();
}

label::CorrectionMatch RelabelDialog::match() const
{
    if (m_scope->checkedId() == ThisAllocation) {
        return *m_this;
    }
    if (m_scope->checkedId() == ThisStack) {
        return *m_stack;
    }
    label::CorrectionMatch match = m_base;
    match.function = utf8(m_function->text());
    match.file = utf8(m_file->text());
    match.min_bytes = bytesFromText(m_least->text());
    match.max_bytes = bytesFromText(m_most->text());
    match.bucket = chosenUnlessAny<label::Bucket>(*m_bucket_now);
    match.phase = chosenUnlessAny<label::Phase>(*m_phase);
    return match;
}

QString RelabelDialog::problem() const
{
    if (m_scope->checkedId() != Conditions) {
        return {};
    }
    const std::array sizes{m_least, m_most};
    for (const QLineEdit* edit : sizes) {
        if (!isSize(*edit)) {
            return tr("“%1” is not a size; write 4096 or 1.5 MiB.").arg(edit->text());
        }
    }
    return match().isEmpty() ? tr("Set at least one condition.") : QString();
}

std::optional<label::Correction> RelabelDialog::correction() const
{
    if (!problem().isEmpty()) {
        return std::nullopt;
    }
    label::Correction rule;
    if (m_edited) {
        rule = m_analysis.corrections->rules[*m_edited];
    }
    rule.match = match();
    rule.bucket = *chosenUnlessAny<label::Bucket>(*m_bucket);
    rule.role = chosenUnlessAny<label::Role>(*m_role);
    rule.note = utf8(m_note->text().trimmed());
    return rule;
}

bool RelabelDialog::changesNothing() const
{
    const std::optional<label::Correction> rule = correction();
    if (!rule) {
        return false;
    }
    if (m_edited) {
        return *rule == m_analysis.corrections->rules[*m_edited];
    }
    // All that match are looked at by the preview.
    if (m_scope->checkedId() != ThisAllocation) {
        return false;
    }
    const label::DeviceLabels& labels = m_analysis.labels->devices[m_clicked.device];
    const std::size_t i = m_clicked.allocation.index();
    return labels.bucket[i] == rule->bucket && (!rule->role || labels.role[i] == *rule->role);
}

void RelabelDialog::changed()
{
    if (m_accept == nullptr) {
        return; // Not yet built.
    }
    m_conditions->setEnabled(m_scope->checkedId() == Conditions);
    const QString words = problem();
    m_accept->setEnabled(words.isEmpty() && !changesNothing());
    m_job.cancel();
    setStyleProperty(*m_preview, "kind", words.isEmpty() ? QString() : QStringLiteral("danger"));
    m_preview->setText(words);
    setProperty("busy", words.isEmpty());
    if (words.isEmpty()) {
        m_soon.start();
    } else {
        m_soon.stop();
    }
}

/// Counts on another thread: a file may hold millions of allocations.
void RelabelDialog::preview()
{
    const std::optional<label::Correction> rule = correction();
    if (!rule) {
        setProperty("busy", false);
        return;
    }
    m_job.start(
        this,
        [analysis = m_analysis, edited = m_edited,
         rule = *rule](const std::stop_token& stop) -> std::optional<Found> {
            // An edited correction sees what those before it have left.
            const label::Labels* labels = analysis.labels.get();
            std::optional<label::Corrected> before;
            if (edited) {
                auto corrected =
                    label::correct(*analysis.snapshot, *analysis.replay, *analysis.inferred,
                                   std::span(analysis.corrections->rules).first(*edited), stop);
                if (!corrected.has_value()) {
                    return std::nullopt;
                }
                before = std::move(corrected).value();
                labels = &before->labels;
            }
            const auto effect =
                label::effectOf(*analysis.snapshot, *analysis.replay, *labels, rule, stop);
            if (!effect.has_value()) {
                return std::nullopt;
            }
            Found found{effect.value(), true};
            if (!edited && found.effect.allocations > 0) {
                const auto after = label::correct(*analysis.snapshot, *analysis.replay, *labels,
                                                  std::span(&rule, 1), stop);
                found.changes = !after.has_value() || !saysTheSame(*labels, after.value().labels);
            }
            return found;
        },
        [this](const std::shared_ptr<const std::optional<Found>>& found) {
            setProperty("busy", false);
            if (*found) {
                const bool changes = (*found)->changes && !changesNothing();
                m_accept->setEnabled(changes);
                m_preview->setText(changes ? effectText((*found)->effect)
                                           : tr("Nothing changes: this is the label now."));
                Q_EMIT previewed();
            }
        });
}

} // namespace tidemark::ui
