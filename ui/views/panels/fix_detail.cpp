// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/fix_detail.h"

#include "core/base/format.h"
#include "core/report/fix_words.h"
#include "ui/models/fixes_model.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/look/code_block.h"
#include "ui/views/look/copy_button.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"
#include "ui/views/panels/line_links.h"

#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

QString figuresText(const diagnose::Fix& fix, Bytes largest)
{
    const OneUnit unit(largest);
    QStringList figures{text(report::statusText(fix.status))};
    if (fix.status == diagnose::FixStatus::not_enough && fix.short_by.value > 0) {
        figures.front() = FixDetail::tr("not enough alone, %1 short").arg(unit.text(fix.short_by));
    }
    if (hasPrediction(fix)) {
        figures << FixDetail::tr("needs %1").arg(unit.text(fix.new_reserved));
    }
    figures << scienceText(fix);
    return figures.join(QStringLiteral(" · "));
}

/// What stands behind the one figure that counts.
QString furtherFigures(const diagnose::Fix& fix, Bytes largest)
{
    return hasPrediction(fix)
        ? QString(FixDetail::tr("saves %1").arg(OneUnit(largest).text(fix.saves)) % u'\n'
                  % FixDetail::tr("curve peak %1 at %2")
                        .arg(intervalText(fix.new_peak, fix.new_peak_low, fix.new_peak_high),
                             text(formatEventNumber(fix.new_peak_state.eventNumber()))))
        : QString();
}

} // namespace

FixDetail::FixDetail(ViewState& state, SourcePlaces& places, QWidget* parent)
    : QWidget(parent)
    , m_title(makeText(this, QStringLiteral("fixTitle")))
    , m_figures(makeSecondaryText(this, QStringLiteral("fixFigures")))
    , m_why(makeText(this, QStringLiteral("fixWhy")))
    , m_links(new LineLinks(state, places, this))
    , m_what_if(makeQuietButton(this, tr("What If…")))
    , m_lines(nullptr)
    , m_frameworks(nullptr)
    , m_group(new QButtonGroup(this))
    , m_code(nullptr)
    , m_copy(nullptr)
    , m_all_lines(nullptr)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 4, 0);
    column->setSpacing(5);
    m_title->setProperty("kind", QStringLiteral("heading"));
    column->addWidget(m_title);
    column->addWidget(m_figures);
    column->addWidget(m_why);
    column->addWidget(m_links, 0, Qt::AlignLeft);
    column->addWidget(makeLines());
    column->addWidget(m_what_if, 0, Qt::AlignLeft);
    column->addStretch(1);
    m_what_if->setObjectName(QStringLiteral("fixWhatIf"));
    m_what_if->setProperty("link", true);
    m_what_if->setFont(smallFont(*this));
    connect(m_what_if, &QToolButton::clicked, this, &FixDetail::whatIfRequested);
    connect(m_group, &QButtonGroup::buttonClicked, this, [this](QAbstractButton* button) {
        m_framework = button->text();
        showLines();
    });
}

QWidget* FixDetail::makeLines()
{
    m_lines = new QWidget(this);
    auto* column = new QVBoxLayout(m_lines);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    m_frameworks = new QWidget(m_lines);
    m_frameworks->setObjectName(QStringLiteral("fixFrameworks"));
    new FlowLayout(m_frameworks, 2);
    column->addWidget(m_frameworks);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    m_code = new CodeBlock(m_lines);
    m_code->setObjectName(QStringLiteral("fixLine"));
    m_code->setAccessibleName(tr("Code to paste"));
    row->addWidget(m_code, 1);
    m_copy = makeCopyButton(m_lines, tr("Copy Code"), [this] { return m_code->code(); });
    m_copy->setObjectName(QStringLiteral("fixCopy"));
    m_copy->setFont(smallFont(*this));
    row->addWidget(m_copy, 0, Qt::AlignTop);
    column->addLayout(row);
    m_all_lines = makeQuietButton(m_lines, {});
    m_all_lines->setObjectName(QStringLiteral("fixAllLines"));
    m_all_lines->setAccessibleName(tr("Show all lines of code"));
    m_all_lines->setProperty("link", true);
    m_all_lines->setFont(smallFont(*this));
    column->addWidget(m_all_lines, 0, Qt::AlignLeft);
    connect(m_all_lines, &QToolButton::clicked, this, [this] {
        m_code->showAll();
        m_all_lines->hide();
    });
    return m_lines;
}

void FixDetail::showFix(const diagnose::Fix* fix, const QString& hint, Bytes largest)
{
    if (m_terms != nullptr) {
        layout()->removeWidget(m_terms);
        removeWidget(*std::exchange(m_terms, nullptr));
    }
    m_title->setVisible(fix != nullptr);
    m_figures->setVisible(fix != nullptr);
    m_what_if->setVisible(fix != nullptr && hasPrediction(*fix));
    m_lines->setVisible(fix != nullptr && !fix->how.empty());
    if (fix == nullptr) {
        m_why->setText(hint);
        m_links->setWords({});
        return;
    }
    m_title->setText(text(fix->title));
    m_figures->setText(figuresText(*fix, largest));
    m_figures->setToolTip(furtherFigures(*fix, largest));
    m_why->setText(text(fix->why));
    m_links->setWords(text(fix->title) % u' ' % m_why->text());
    showFrameworks(*fix);
    showTerms(*fix);
}

void FixDetail::showTerms(const diagnose::Fix& fix)
{
    std::vector<report::Term> terms = report::fixTerms(fix);
    if (const std::string alone = report::aloneText(fix); !alone.empty()) {
        terms.insert(terms.begin(), {utf8(tr("By itself")), alone});
    }
    m_terms = new QWidget(this);
    m_terms->setObjectName(QStringLiteral("fixTerms"));
    auto* grid = new QGridLayout(m_terms);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    std::string former;
    for (int row = 0; const auto& [name, words] : terms) {
        QLabel* what = makeSecondaryText(m_terms, QStringLiteral("fixTermName"));
        what->setWordWrap(false);
        what->setText(name == former ? QString() : text(name));
        former = name;
        QLabel* said = makeText(m_terms, QStringLiteral("fixTerm"));
        said->setFont(smallFont(*this));
        said->setText(text(words));
        grid->addWidget(what, row, 0, Qt::AlignTop);
        grid->addWidget(said, row, 1);
        ++row;
    }
    // Below the reason, above the lines.
    static_cast<QVBoxLayout*>(layout())->insertWidget(layout()->indexOf(m_lines), m_terms);
    m_terms->setVisible(!terms.empty());
}

void FixDetail::showFrameworks(const diagnose::Fix& fix)
{
    m_how.clear();
    for (QAbstractButton* button : m_group->buttons()) {
        m_group->removeButton(button);
    }
    removeWidgets(*m_frameworks->layout());
    for (const auto& [framework, lines] : fix.how) {
        m_how.emplace_back(text(framework), text(lines));
        QToolButton* button = makeQuietButton(m_frameworks, m_how.back().first);
        button->setFont(smallFont(*this));
        button->setCheckable(true);
        m_group->addButton(button);
        m_frameworks->layout()->addWidget(button);
        button->show();
    }
    showLines();
}

/// Those for the framework chosen by hand, else the first.
void FixDetail::showLines()
{
    if (m_how.empty()) {
        return;
    }
    auto chosen = std::ranges::find(m_how, m_framework, &std::pair<QString, QString>::first);
    if (chosen == m_how.end()) {
        chosen = m_how.begin();
    }
    m_group->buttons().at(chosen - m_how.begin())->setChecked(true);
    m_code->setCode(chosen->second);
    m_all_lines->setVisible(m_code->isCut());
    m_all_lines->setText(tr("Show All %1 Lines").arg(countText(m_code->lineCount())));
    m_copy->setAccessibleName(tr("Copy code for %1").arg(chosen->first));
    m_copy->setToolTip(m_copy->accessibleName());
}

} // namespace tidemark::ui
