// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/strips.h"

#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"

#include <QtCore/QTimer>
#include <QtCore/QUrl>
#include <QtGui/QDesktopServices>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::chrono::milliseconds kNoticeTime{7000};
constexpr std::chrono::milliseconds kWrittenTime{20000};
constexpr int kNoticeWidth = 460;
constexpr int kNoticeMargin = 16;

/// Stages in their order, each with the share of the work done when it begins.
constexpr std::array<std::pair<const char*, double>, 11> kStages{{
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "waiting"), 0.0},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "opening"), 0.0},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "checking"), 0.05},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "reading"), 0.2},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "decoding"), 0.5},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "replaying"), 0.75},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "labeling"), 0.8},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "replaying the allocator"), 0.85},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "diagnosing"), 0.9},
    {QT_TRANSLATE_NOOP("tidemark::ui::LoadingStrip", "simulating"), 0.95},
    {"", 1.0},
}};

} // namespace

double overallFraction(const QString& stage, double fraction)
{
    for (std::size_t i = 0; i + 1 < kStages.size(); ++i) {
        if (stage == QLatin1String(kStages[i].first)) {
            return kStages[i].second
                + std::clamp(fraction, 0.0, 1.0) * (kStages[i + 1].second - kStages[i].second);
        }
    }
    return kStages[kStages.size() - 2].second;
}

LoadingStrip::LoadingStrip(Session& session, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_words(new QLabel(this))
    , m_bar(new QProgressBar(this))
{
    setObjectName(QStringLiteral("loadingStrip"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 8, 16, 0);
    row->setSpacing(12);
    row->addWidget(m_words);
    m_bar->setObjectName(QStringLiteral("loadingBar"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    row->addWidget(m_bar, 1);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("cancelLoading"));
    row->addWidget(cancel);
    connect(cancel, &QPushButton::clicked, &m_session, &Session::cancelAll);
    connect(&m_session, &Session::progressChanged, this, &LoadingStrip::refresh);
    refresh();
}

void LoadingStrip::refresh()
{
    const auto& files = m_session.files();
    const auto waiting = std::ranges::count_if(files, &OpenFile::is_loading);
    setVisible(waiting > 0);
    if (waiting == 0) {
        return;
    }
    const auto file = std::ranges::find_if(files, &OpenFile::is_loading);
    const QString words =
        tr("Opening %1: %2").arg(fileName(file->analysis.file), tr(qPrintable(file->stage)));
    m_words->setText(waiting == 1 ? words
                                  : tr("%1 · %2 more waiting").arg(words, countText(waiting - 1)));
    // Else the bar would paint the window at once, whatever else has changed in it.
    m_bar->setUpdatesEnabled(false);
    m_bar->setValue(
        static_cast<int>(std::lround(overallFraction(file->stage, file->fraction) * 1000)));
    m_bar->setUpdatesEnabled(true);
}

NoticeStrip::NoticeStrip(Session& session, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_column(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("noticeStrip"));
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(6);
    parent->installEventFilter(this);
    connect(&m_session, &Session::failuresChanged, this, &NoticeStrip::refresh);
    refresh();
}

bool NoticeStrip::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parent() && event->type() == QEvent::Resize) {
        place();
    }
    return QWidget::eventFilter(watched, event);
}

void NoticeStrip::place()
{
    const QSize room = parentWidget()->size();
    const int width = std::min(kNoticeWidth, room.width() - 2 * kNoticeMargin);
    const int wanted =
        layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : sizeHint().height();
    const int height = std::min(wanted, room.height() - 2 * kNoticeMargin);
    setGeometry(room.width() - width - kNoticeMargin, room.height() - height - kNoticeMargin, width,
                height);
    raise();
}

void NoticeStrip::showNotice(const QString& words)
{
    m_written.clear();
    showFor(kNoticeTime, words);
}

void NoticeStrip::showWritten(const QString& words, const QString& path)
{
    m_written = path;
    showFor(kWrittenTime, words);
}

void NoticeStrip::showFor(std::chrono::milliseconds time, const QString& words)
{
    m_notice = words;
    refresh();
    QTimer::singleShot(time, this, [this, words] {
        if (m_notice == words) {
            m_notice.clear();
            refresh();
        }
    });
}

void NoticeStrip::showFailure(const QString& words)
{
    m_failures << words;
    refresh();
}

bool NoticeStrip::showResult(const Result<Done>& result, const QString& words)
{
    if (result.has_value()) {
        showNotice(words);
    } else {
        showFailure(text(result.error().message));
    }
    return result.has_value();
}

QWidget* NoticeStrip::makeEntry(const QString& words, bool is_failure,
                                const std::function<void()>& dismiss)
{
    auto* card = new QFrame(this);
    card->setObjectName(is_failure ? QStringLiteral("failure") : QStringLiteral("notice"));
    card->setProperty("notice", true);
    card->setProperty("failure", is_failure);
    auto* row = new QHBoxLayout(card);
    row->setContentsMargins(12, 6, 8, 6);
    QLabel* label = makeText(card, QStringLiteral("noticeText"));
    label->setText(words);
    row->addWidget(label, 1);
    QToolButton* close = makeQuietButton(card, QStringLiteral("×"));
    close->setObjectName(QStringLiteral("dismiss"));
    close->setAccessibleName(tr("Dismiss"));
    row->addWidget(close, 0, Qt::AlignTop);
    // Queued: dismissing deletes the button that asks.
    connect(close, &QToolButton::clicked, this, dismiss, Qt::QueuedConnection);
    return card;
}

void NoticeStrip::refresh()
{
    removeWidgets(*m_column);
    std::size_t index = 0;
    for (const OpenFailure& failure : m_session.failures()) {
        const QString words =
            fileName(pathFrom(failure.path)) % QStringLiteral(": ") % failure.sentence;
        QWidget* entry = makeEntry(words, true, [this, index] { m_session.dismissFailure(index); });
        entry->setToolTip(failure.path);
        m_column->addWidget(entry);
        ++index;
    }
    for (const QString& words : std::as_const(m_failures)) {
        m_column->addWidget(makeEntry(words, true, [this, words] {
            m_failures.removeOne(words);
            refresh();
        }));
    }
    if (!m_notice.isEmpty()) {
        QWidget* entry = makeEntry(m_notice, false, [this] {
            m_notice.clear();
            refresh();
        });
        if (!m_written.isEmpty()) {
            QToolButton* open = makeQuietButton(entry, tr("Open"));
            open->setObjectName(QStringLiteral("openWritten"));
            open->setToolTip(m_written);
            qobject_cast<QHBoxLayout*>(entry->layout())->insertWidget(1, open, 0, Qt::AlignTop);
            connect(open, &QToolButton::clicked, this,
                    [path = m_written] { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
        }
        m_column->addWidget(entry);
    }
    setVisible(m_column->count() > 0);
    place();
}

} // namespace tidemark::ui
