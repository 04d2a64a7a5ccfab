// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/start_page.h"

#include "ui/models/text.h"
#include "ui/views/look/copy_button.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"

#include <QtCore/QDateTime>
#include <QtCore/QFileInfo>
#include <QtCore/QLocale>
#include <QtGui/QFontDatabase>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {
namespace {

constexpr qsizetype kShownRecent = 6;

QLabel* makeHeading(QWidget* parent, const QString& words, double factor)
{
    auto* label = new QLabel(words, parent);
    label->setFont(headingFont(*parent, factor));
    return label;
}

} // namespace

QString StartPage::recordingLines()
{
    return QStringLiteral(
        "# exact labels: save the capture module beside your code\n"
        "import tidemark_capture\n"
        "with tidemark_capture.record(\"run.pickle\", model=model,\n"
        "                             optimizer=optimizer):\n"
        "    train()  # your training loop\n"
        "\n"
        "# or with torch alone, labels inferred\n"
        "import torch\n"
        "torch.cuda.memory._record_memory_history(max_entries=1_000_000)\n"
        "try:\n"
        "    train()\n"
        "except torch.OutOfMemoryError:  # before 2.5: torch.cuda.OutOfMemoryError\n"
        "    torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")\n"
        "    raise\n");
}

StartPage::StartPage(const Preferences& preferences, bool has_example, QWidget* parent)
    : QWidget(parent)
    , m_preferences(preferences)
{
    setObjectName(QStringLiteral("startPage"));
    setAttribute(Qt::WA_StyledBackground);
    // In a window that is lower than the page nothing is cut.
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
    auto* content = new QWidget(scroll);
    scroll->setWidget(content);
    auto* page = new QVBoxLayout(content);
    page->setContentsMargins(16, 24, 16, 24);
    page->addStretch(1);
    auto* middle = new QWidget(content);
    middle->setMaximumWidth(940);
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(14);
    column->addWidget(makeDropCard(has_example));
    auto* row = new QHBoxLayout;
    row->setSpacing(14);
    row->addWidget(makeRecentCard(), 2);
    row->addWidget(makeRecordingCard(), 3);
    column->addLayout(row);
    auto* centred = new QHBoxLayout;
    centred->addStretch(1);
    centred->addWidget(middle, 20);
    centred->addStretch(1);
    page->addLayout(centred);
    page->addStretch(2);
    connect(&m_preferences, &Preferences::recentFilesChanged, this, &StartPage::refreshRecent);
    refreshRecent();
}

QWidget* StartPage::makeDropCard(bool has_example)
{
    m_drop_card = new QFrame(this);
    m_drop_card->setObjectName(QStringLiteral("dropCard"));
    auto* column = new QVBoxLayout(m_drop_card);
    column->setContentsMargins(24, 40, 24, 40);
    column->setSpacing(8);
    QLabel* title = makeHeading(m_drop_card, tr("Drop a PyTorch memory snapshot here"), 1.7);
    title->setAlignment(Qt::AlignCenter);
    column->addWidget(title);
    QLabel* detail = makeText(m_drop_card, QStringLiteral("dropDetail"));
    detail->setProperty("kind", QStringLiteral("secondary"));
    detail->setAlignment(Qt::AlignCenter);
    detail->setText(tr(
        "See what filled the GPU, when, why, and how to fix it. Drop two to compare, or a log to "
        "explain its OOM.\nAdd the run's configuration (ds_config.json, YAML, launch script) to "
        "see which fixes are already on.\nFiles stay on this computer; code in them never runs."));
    column->addWidget(detail);
    column->addSpacing(10);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    const auto add = [&](const char* id, const QString& words, const QString& hint) {
        auto* button = new QPushButton(words, m_drop_card);
        button->setObjectName(QString::fromLatin1(id) % QStringLiteral("Button"));
        button->setToolTip(hint);
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this,
                [this, id] { Q_EMIT actionRequested(QString::fromLatin1(id)); });
        return button;
    };
    QPushButton* const open = add("open", tr("Open…"), {});
    open->setProperty("primary", true);
    open->setFocus(); // Return opens; the top bar's first button must not catch it.
    setFocusProxy(open);
    add("example", tr("Show Example"),
        has_example ? tr("A training run that hits CUDA out of memory")
                    : tr("Example not installed"))
        ->setEnabled(has_example);
    add("explain", tr("Explain Message…"),
        tr("Explain an OOM message or a log, without a snapshot"));
    add("states", tr("Model States…"),
        tr("Estimate weights, gradients and optimizer state before a run"));
    add("plan", tr("Plan Run…"), tr("Estimate a run's peak from the model's configuration"));
    row->addStretch(1);
    column->addLayout(row);
    return m_drop_card;
}

QWidget* StartPage::makeRecentCard()
{
    QFrame* card = makeCard(this, QStringLiteral("recentCard"));
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(18, 14, 18, 14);
    column->addWidget(makeHeading(card, tr("Recent"), 1.1));
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(2);
    column->addLayout(m_recent);
    column->addStretch(1);
    return card;
}

QWidget* StartPage::makeRecordingCard()
{
    QFrame* card = makeCard(this, QStringLiteral("recordingCard"));
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(18, 14, 18, 14);
    auto* row = new QHBoxLayout;
    row->addWidget(makeHeading(card, tr("Record a snapshot"), 1.1), 1);
    QToolButton* copy = makeCopyButton(card, tr("Copy"), recordingLines);
    copy->setObjectName(QStringLiteral("copyRecording"));
    copy->setToolTip(tr("Lines to paste around your training loop"));
    row->addWidget(copy);
    QToolButton* module = makeQuietButton(card, tr("Save Module…"));
    module->setObjectName(QStringLiteral("saveModule"));
    module->setToolTip(tr("Save tidemark_capture.py for your training script"));
    row->addWidget(module);
    connect(module, &QToolButton::clicked, this, &StartPage::moduleRequested);
    column->addLayout(row);
    QLabel* lines = makeText(card, QStringLiteral("recordingLines"));
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPixelSize(QFontInfo(smallFont(*this)).pixelSize());
    lines->setFont(fixed);
    lines->setWordWrap(false);
    lines->setText(recordingLines().trimmed());
    column->addWidget(lines);
    column->addStretch(1);
    return card;
}

/// When it was written, its size, its peak where that is known, and where it is.
QString StartPage::factsOf(const QFileInfo& file) const
{
    if (!file.exists()) {
        return tr("missing: %1").arg(file.path());
    }
    QStringList facts{QLocale().toString(file.lastModified().date(), QLocale::ShortFormat),
                      bytesText(Bytes{file.size()})};
    if (const qint64 peak = m_preferences.peakOf(file.filePath()); peak > 0) {
        facts << tr("peak %1").arg(bytesText(Bytes{peak}));
    }
    facts << file.path();
    return facts.join(QStringLiteral(" · "));
}

void StartPage::refreshRecent()
{
    removeWidgets(*m_recent);
    const QStringList recent = m_preferences.recentFiles().mid(0, kShownRecent);
    if (recent.isEmpty()) {
        QLabel* none = makeSecondaryText(this, QStringLiteral("noRecent"));
        none->setText(tr("Files you open are listed here."));
        m_recent->addWidget(none);
    }
    for (const QString& path : recent) {
        auto* entry = new QWidget(this);
        auto* column = new QVBoxLayout(entry);
        column->setContentsMargins(0, 2, 0, 4);
        column->setSpacing(0);
        const QFileInfo info(path);
        constexpr int kNameWidth = 300; // Of the narrowest window's card.
        QToolButton* button = makeQuietButton(entry, {});
        button->setText(
            button->fontMetrics().elidedText(info.fileName(), Qt::ElideMiddle, kNameWidth));
        button->setAccessibleName(info.fileName());
        button->setToolTip(path);
        button->setEnabled(info.exists());
        column->addWidget(button, 0, Qt::AlignLeft);
        auto* facts = new ElidedLabel(entry);
        facts->setObjectName(QStringLiteral("recentFacts"));
        facts->setProperty("kind", QStringLiteral("secondary"));
        facts->setFont(smallFont(*this));
        facts->setContentsMargins(7, 0, 0, 0);
        facts->setWords(factsOf(info));
        column->addWidget(facts);
        connect(button, &QToolButton::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
        m_recent->addWidget(entry);
    }
}

} // namespace tidemark::ui
