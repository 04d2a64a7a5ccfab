// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/job/job_answer.h"

#include "ui/models/job_lines.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <set>

namespace tidemark::ui {
namespace {

constexpr std::size_t kMostMissing = 8; ///< Ranks that are named.

QToolButton* makeLink(QWidget* parent, const QString& name, const QString& words)
{
    QToolButton* const button = makeQuietButton(parent, words);
    button->setObjectName(name);
    button->setProperty("link", true);
    button->hide();
    return button;
}

QString missingWords(const std::vector<std::uint32_t>& missing)
{
    QStringList ranks;
    for (std::size_t i = 0; i < std::min(missing.size(), kMostMissing); ++i) {
        ranks << QString::number(missing[i]);
    }
    if (missing.size() > kMostMissing) {
        ranks << QStringLiteral("…");
    }
    return JobAnswer::tr("%1 missing: %2")
        .arg(countText(static_cast<std::int64_t>(missing.size())),
             ranks.join(QStringLiteral(", ")));
}

} // namespace

JobAnswer::JobAnswer(QWidget* parent)
    : QFrame(parent)
    , m_column(new QVBoxLayout(this))
    , m_headline(makeText(this, QStringLiteral("jobHeadline")))
    , m_sentences(new QVBoxLayout)
    , m_quiet(new ElidedLabel(this, Qt::ElideRight))
    , m_compare(makeLink(this, QStringLiteral("compareRanks"), tr("compare")))
    , m_open(makeLink(this, QStringLiteral("openRank"), tr("open")))
    , m_reading(new QLabel(this))
    , m_stop(makeLink(this, QStringLiteral("stopJob"), tr("stop")))
{
    setObjectName(QStringLiteral("jobAnswer"));
    setProperty("card", true);
    m_column->setContentsMargins(16, 10, 16, 8);
    m_column->setSpacing(3);
    m_headline->setFont(headingFont(*this, 1.25));
    m_column->addWidget(m_headline);
    m_sentences->setSpacing(1);
    m_column->addLayout(m_sentences);
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    m_quiet->setObjectName(QStringLiteral("jobQuiet"));
    m_quiet->setProperty("kind", QStringLiteral("secondary"));
    m_quiet->setFont(smallFont(*this));
    row->addWidget(m_quiet);
    row->addWidget(m_compare);
    row->addWidget(m_open);
    row->addStretch(1);
    m_reading->setObjectName(QStringLiteral("jobReading"));
    m_reading->setProperty("kind", QStringLiteral("secondary"));
    row->addWidget(m_reading);
    row->addWidget(m_stop);
    m_column->addLayout(row);
    connect(m_stop, &QToolButton::clicked, this, &JobAnswer::stopRequested);
    connect(m_open, &QToolButton::clicked, this, [this] {
        if (m_pair) {
            Q_EMIT openRequested(m_pair->first);
        }
    });
    connect(m_compare, &QToolButton::clicked, this, [this] {
        if (m_pair) {
            Q_EMIT compareRequested(m_pair->first, m_pair->second);
        }
    });
}

void JobAnswer::setJob(const std::shared_ptr<const job::Job>& job)
{
    m_job = job;
    addSentences();
    m_quiet->setWords(quietWords());
    refreshLinks();
}

void JobAnswer::addSentences()
{
    removeWidgets(*m_sentences);
    if (m_job == nullptr || m_job->sentences.empty()) {
        m_headline->setText(m_job == nullptr || m_job->rows.empty() ? tr("Looking for ranks…")
                                                                    : tr("Reading ranks…"));
        return;
    }
    const std::vector<job::Sentence>& all = m_job->sentences;
    m_headline->setText(text(all.front().text));
    QStringList rest;
    for (std::size_t i = 1; i < all.size(); ++i) {
        rest << text(all[i].text);
    }
    m_headline->setToolTip(rest.join(u'\n'));
    const qsizetype shown = std::min<qsizetype>(rest.size(), static_cast<qsizetype>(kShown) - 1);
    if (shown > 0) {
        QLabel* const label = makeText(this, QStringLiteral("jobExplained"));
        label->setText(QStringList(rest.mid(0, shown)).join(u' '));
        m_sentences->addWidget(label);
    }
}

QString JobAnswer::quietWords() const
{
    if (m_job == nullptr || m_job->rows.empty()) {
        return {};
    }
    std::set<std::uint32_t> ranks;
    for (const job::RankSummary& row : m_job->rows) {
        if (row.rank) {
            ranks.insert(*row.rank);
        }
    }
    const auto count = static_cast<std::int64_t>(ranks.size());
    QStringList words;
    if (m_job->world_size && count > 0) {
        words << tr("%1 of %Ln rank|"
                    "%1 of %Ln ranks",
                    nullptr, plural(*m_job->world_size))
                     .arg(countText(count));
    } else {
        words << tr("%Ln dump|"
                    "%Ln dumps",
                    nullptr, plural(static_cast<std::int64_t>(m_job->rows.size())));
    }
    if (!m_job->missing.empty()) {
        words << missingWords(m_job->missing);
    }
    for (const std::string& note : m_job->notes) {
        words << text(note);
    }
    return words.join(QStringLiteral(" · "));
}

void JobAnswer::refreshLinks()
{
    m_pair.reset();
    if (m_job != nullptr && !m_job->rows.empty()) {
        // Where no rank is at fault there is nothing to be compared.
        if (!m_job->outliers.empty()) {
            const job::Outlier& outlier = m_job->outliers.front();
            m_pair = {outlier.row, outlier.against};
        } else if (m_job->first) {
            m_pair = {m_job->first->row, kNoRow};
        }
    }
    const bool has_median = m_pair && m_pair->second != kNoRow;
    m_open->setVisible(m_pair.has_value());
    m_compare->setVisible(has_median);
    if (m_pair) {
        m_open->setText(tr("open %1").arg(rankText(m_job->rows[m_pair->first])));
    }
    if (has_median) {
        m_compare->setText(
            tr("compare %1 with %2")
                .arg(rankText(m_job->rows[m_pair->first]), rankText(m_job->rows[m_pair->second])));
    }
}

void JobAnswer::setReading(std::optional<double> fraction, std::size_t dumps)
{
    m_reading->setVisible(fraction.has_value());
    m_stop->setVisible(fraction.has_value());
    if (fraction) {
        m_reading->setText(dumps == 0 ? tr("looking for dumps")
                                      : tr("reading %Ln dump, %1|"
                                           "reading %Ln dumps, %1",
                                           nullptr, plural(static_cast<std::int64_t>(dumps)))
                                            .arg(percentText(*fraction)));
    }
}

} // namespace tidemark::ui
