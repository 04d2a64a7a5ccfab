// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/compare_stacks.h"

#include "ui/models/numbers.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

/// The weakest colour of what differs at all.
constexpr double kWeakest = 0.35;

} // namespace

void DifferenceIcicle::setUnion(std::shared_ptr<const compare::StackUnion> united,
                                const QString& base, const QString& against)
{
    m_union = std::move(united);
    m_base = base;
    m_against = against;
    setTree(m_union == nullptr ? nullptr
                               : std::shared_ptr<const curves::StackTree>(m_union, &m_union->tree));
}

/// Strong where everything below goes one way, grey where it comes to nothing.
QColor DifferenceIcicle::fillOf(std::uint32_t node) const
{
    const ThemeColours& colours = currentColours();
    const std::int64_t delta = m_union->delta(node);
    if (delta == 0) {
        return colours.hover;
    }
    const double share = static_cast<double>(std::abs(delta))
        / static_cast<double>(std::max<std::int64_t>(1, m_union->tree.nodes[node].bytes));
    const double strength = kWeakest + (1 - kWeakest) * std::min(1.0, share);
    return mixed(delta > 0 ? colours.more : colours.less, colours.hover,
                 static_cast<float>(strength));
}

QString DifferenceIcicle::wordsOf(std::uint32_t node) const
{
    const QString name = node == 0 ? tr("Everything") : text(m_union->tree.nodes[node].name);
    const std::int64_t delta = m_union->delta(node);
    return name % QStringLiteral("  ") % (delta == 0 ? tr("equal") : signedBytesText({delta}));
}

QString DifferenceIcicle::tipOf(std::uint32_t node) const
{
    const QString name = node == 0 ? tr("Everything") : text(m_union->tree.nodes[node].name);
    const auto share = [](const QString& letter, const compare::CallShare& of) {
        return of.count == 0 ? tr("%1: nothing").arg(letter)
                             : tr("%1: %2 (%3), in %Ln allocation|"
                                  "%1: %2 (%3), in %Ln allocations",
                                  nullptr, plural(of.count))
                                   .arg(letter, bytesText({of.bytes}), exactBytesText({of.bytes}));
    };
    return name % u'\n' % share(m_base, m_union->a[node]) % u'\n'
        % share(m_against, m_union->b[node]) % u'\n' % m_against % QStringLiteral(" − ") % m_base
        % QStringLiteral(": ") % signedBytesText({m_union->delta(node)});
}

CompareStacks::CompareStacks(QWidget* parent)
    : QWidget(parent)
    , m_callers(makeChip(this, tr("callers first")))
    , m_callees(makeChip(this, tr("allocating calls first")))
    , m_libraries(makeChip(this, tr("library frames")))
    , m_search(new QLineEdit(this))
    , m_words(makeSecondaryText(this, QStringLiteral("compareStacksWords")))
    , m_icicle(new DifferenceIcicle(this))
{
    setObjectName(QStringLiteral("compareStacksPage"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* head = new QHBoxLayout;
    auto* directions = new QButtonGroup(this);
    for (QToolButton* button : {m_callers, m_callees}) {
        button->setCheckable(true);
        directions->addButton(button);
        head->addWidget(button);
    }
    m_callers->setChecked(true);
    m_libraries->setCheckable(true);
    head->addWidget(m_libraries);
    head->addWidget(m_words, 1);
    m_search->setPlaceholderText(tr("Find function, file or package"));
    m_search->setAccessibleName(tr("Find function, file or package"));
    m_search->setClearButtonEnabled(true);
    m_search->setAcceptDrops(false);
    m_search->setMaximumWidth(260);
    head->addWidget(m_search);
    column->addLayout(head);
    column->addWidget(m_icicle, 1);
    m_icicle->setObjectName(QStringLiteral("compareIcicle"));
    m_icicle->setAccessibleName(tr("Calls of both runs by bytes allocated"));
    const auto again = [this] {
        m_is_current = false;
        refresh();
    };
    connect(directions, &QButtonGroup::idClicked, this, again);
    connect(m_libraries, &QToolButton::clicked, this, again);
    connect(m_search, &QLineEdit::textChanged, m_icicle, &IcicleView::setSearch);
    connect(m_icicle, &IcicleView::chosenChanged, this, [this] {
        const std::uint32_t node = m_icicle->chosen();
        if (node != 0) {
            Q_EMIT callChosen(m_icicle->united()->a[node].largest,
                              m_icicle->united()->b[node].largest);
        }
    });
}

void CompareStacks::setResult(std::shared_ptr<const ComparedRuns> runs)
{
    m_runs = std::move(runs);
    m_is_current = false;
    refresh();
}

void CompareStacks::clear()
{
    m_job.cancel();
    m_runs.reset();
    m_is_busy = false;
    m_icicle->setUnion(nullptr, {}, {});
    m_words->clear();
}

void CompareStacks::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void CompareStacks::refresh()
{
    if (!isVisible() || m_runs == nullptr || m_is_current) {
        return;
    }
    m_is_current = true;
    m_is_busy = true;
    curves::StackTreeRequest request;
    request.begins_at_callers = m_callers->isChecked();
    request.folds_libraries = !m_libraries->isChecked();
    m_job.start(
        this,
        [runs = m_runs, request](const std::stop_token&) {
            const auto tree = [&](const ComparedRun& run, StateId at) {
                curves::StackTreeRequest of = request;
                of.range = {at, at};
                return curves::stackTree(*run.analysis.snapshot,
                                         run.analysis.replay->devices[run.device], run.labels(),
                                         of);
            };
            return compare::uniteStacks(tree(runs->base, runs->difference.parts.at_a),
                                        tree(runs->against, runs->difference.parts.at_b));
        },
        [this](const std::shared_ptr<compare::StackUnion>& united) {
            m_is_busy = false;
            if (m_runs != nullptr) {
                m_icicle->setUnion(united, m_runs->base.letter, m_runs->against.letter);
                updateWords();
            }
        });
}

void CompareStacks::updateWords()
{
    const compare::StackUnion& united = *m_icicle->united();
    const OneUnit unit{{united.a[0].bytes}, {united.b[0].bytes}};
    const QString totals =
        QStringLiteral("%1 %2, %3 %4: %5")
            .arg(m_runs->base.letter, unit.text({united.a[0].bytes}), m_runs->against.letter,
                 unit.text({united.b[0].bytes}),
                 united.delta(0) == 0 ? tr("equal") : unit.difference({united.delta(0)}));
    m_words->setText(united.equal == 0 ? totals
                                       : totals % QStringLiteral(" · ")
                             % tr("%1 equal, not drawn").arg(unit.text({united.equal})));
}

} // namespace tidemark::ui
