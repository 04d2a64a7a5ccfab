// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/remote_dialog.h"

#include "core/base/format.h"
#include "core/job/job_choice.h"
#include "core/remote/address.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"

#include <QtCore/QDateTime>
#include <QtWidgets/QCompleter>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::ui {
namespace {

constexpr int kReceivedSteps = 1000;
constexpr int kListHeight = 420;

QString bytesText(std::uint64_t bytes)
{
    return text(formatBytes(Bytes{static_cast<std::int64_t>(bytes)}));
}

QStringList knownAddresses()
{
    QStringList addresses;
    for (const std::string& address : remote::KeptCopies(remote::userCopiesFolder()).addresses()) {
        addresses << text(address);
    }
    return addresses;
}

/// Ranks of one job by their number, those of others behind them; what has none stays in front.
void sortByRank(std::vector<std::string>& paths)
{
    const std::vector<job::DumpName> names = job::nameDumps(paths);
    std::vector<std::size_t> order(paths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        const job::DumpName& name = names[i];
        return name.rank ? std::tuple(name.group, *name.rank, name.moment)
                         : std::tuple(std::string(), std::uint32_t{0}, job::DumpMoment{});
    });
    std::vector<std::string> sorted;
    for (const std::size_t i : order) {
        sorted.push_back(paths[i]);
    }
    paths = std::move(sorted);
}

} // namespace

RemoteDialog::RemoteDialog(QWidget* parent, Fetch fetch)
    : QDialog(parent)
    , m_fetch(std::move(fetch))
    , m_address(new QLineEdit(this))
    , m_dumps(new QListWidget(this))
    , m_words(makeSecondaryText(this, QStringLiteral("remoteWords")))
    , m_bar(new QProgressBar(this))
    , m_open(new QPushButton(tr("&Open"), this))
    , m_stop(new QPushButton(tr("&Stop"), this))
{
    setObjectName(QStringLiteral("remote"));
    setWindowTitle(tr("Open remote"));
    resize(640, 240);
    m_address->setObjectName(QStringLiteral("remoteAddress"));
    m_address->setPlaceholderText(tr("user@host:runs/snapshot.pickle or a folder"));
    const QStringList known = knownAddresses();
    auto* completer = new QCompleter(known, this);
    completer->setFilterMode(Qt::MatchContains);
    m_address->setCompleter(completer);
    if (!known.isEmpty()) {
        m_address->setText(known.front());
        m_address->selectAll();
    }
    m_dumps->setObjectName(QStringLiteral("remoteDumps"));
    m_dumps->setAccessibleName(tr("Snapshots of the folder"));
    m_dumps->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_dumps->hide();
    m_bar->setObjectName(QStringLiteral("remoteBar"));
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Download progress"));
    m_bar->hide();
    m_open->setObjectName(QStringLiteral("remoteOpen"));
    m_open->setDefault(true);
    m_stop->setObjectName(QStringLiteral("remoteStop"));
    m_stop->hide();

    auto* form = new QFormLayout;
    form->addRow(tr("&Address"), m_address);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    auto* close = new QPushButton(tr("&Close"), this);
    for (QPushButton* button : {m_stop, close, m_open}) {
        button->setAutoDefault(button == m_open); // Return opens, wherever the focus is.
        buttons->addWidget(button);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(8);
    column->addLayout(form);
    column->addWidget(m_dumps, 1);
    column->addWidget(m_words);
    column->addWidget(m_bar);
    column->addStretch(0);
    column->addLayout(buttons);
    say(tr("Uses your ssh with its keys, config and jump hosts. The copy is reused until the "
           "remote file changes."));

    connect(m_open, &QPushButton::clicked, this, &RemoteDialog::begin);
    connect(m_dumps, &QListWidget::itemActivated, this, &RemoteDialog::begin);
    connect(m_address, &QLineEdit::textEdited, this, [this] { m_dumps->hide(); });
    connect(m_stop, &QPushButton::clicked, this, &RemoteDialog::stop);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
}

bool RemoteDialog::isAddress(const QString& text)
{
    const QString line = text.trimmed();
    const auto address = remote::farAddress(utf8(line));
    // "INFO:root:CUDA out of memory" is a line of a log.
    const bool is_plain = !line.contains(QLatin1Char(' '))
        || line.startsWith(QLatin1String("ssh://")) || (address && !address->user.empty());
    return address && is_plain && !line.contains(QLatin1Char('\n'));
}

void RemoteDialog::open(const QString& address)
{
    m_dumps->hide();
    m_address->setText(address.trimmed());
    begin();
}

void RemoteDialog::stop()
{
    m_job.cancel();
    setBusy(false);
    say(tr("Stopped. The partial copy is kept; open again to resume."));
    Q_EMIT stopped();
}

void RemoteDialog::done(int result)
{
    m_job.cancel();
    QDialog::done(result);
    Q_EMIT stopped();
}

void RemoteDialog::begin()
{
    std::vector<remote::Address> addresses;
    if (m_dumps->isVisibleTo(this)) {
        std::vector<std::string> names;
        for (const QListWidgetItem* item : m_dumps->selectedItems()) {
            names.push_back(item->data(Qt::UserRole).toByteArray().toStdString());
        }
        sortByRank(names);
        for (const std::string& name : names) {
            addresses.push_back(m_folder.in(name));
        }
        if (addresses.empty()) {
            say(tr("Select the snapshots to open."));
            return;
        }
    } else if (auto address = remote::parseAddress(utf8(m_address->text().trimmed()))) {
        m_folder = *address;
        addresses.push_back(std::move(*address));
    } else {
        say(tr("Not an address; write user@host:path or ssh://user@host:port/path."));
        m_address->setFocus();
        return;
    }
    fetchAll(addresses);
}

void RemoteDialog::fetchAll(const std::vector<remote::Address>& addresses)
{
    setBusy(true);
    say(tr("Connecting to %1…").arg(text(addresses.front().host)));
    m_job.start(
        this,
        [this, addresses, fetch = m_fetch](const std::stop_token& stop) {
            Outcome outcome;
            for (const remote::Address& address : addresses) {
                const QString name = text(address.fileName());
                const bool is_alone = addresses.size() == 1;
                remote::FetchOptions options;
                options.progress = [this, name, is_alone, stop](const remote::Received& received) {
                    QMetaObject::invokeMethod(
                        this,
                        [this, name, is_alone, received, stop] {
                            if (!stop.stop_requested()) {
                                showReceived(received, name, is_alone);
                            }
                        },
                        Qt::QueuedConnection);
                };
                const Result<remote::Fetched> fetched = fetch(address, options, stop);
                if (!fetched.has_value()) {
                    outcome.failure = text(fetched.error().message);
                    return outcome;
                }
                if (fetched.value().file.empty()) {
                    outcome.folder = fetched.value();
                    return outcome;
                }
                outcome.files << pathText(fetched.value().file);
                if (!fetched.value().is_known) {
                    outcome.anew << outcome.files.back();
                }
                if (!fetched.value().broken.empty()) {
                    outcome.notice = name % QStringLiteral(": ") % text(fetched.value().broken);
                }
            }
            return outcome;
        },
        [this](const std::shared_ptr<Outcome>& outcome) { take(*outcome); });
}

void RemoteDialog::showReceived(const remote::Received& received, const QString& name,
                                bool is_alone)
{
    say(name % QStringLiteral(": ") % text(remote::receivedWords(received)));
    if (received.share() > 0) {
        m_bar->setRange(0, kReceivedSteps);
        m_bar->setValue(static_cast<int>(received.share() * kReceivedSteps));
    }
    if (is_alone) {
        Q_EMIT progressed(received);
    }
}

void RemoteDialog::take(const Outcome& outcome)
{
    setBusy(false);
    if (outcome.folder) {
        list(outcome.folder->listing);
        return;
    }
    if (!outcome.files.isEmpty()) {
        Q_EMIT arrived(outcome.files, outcome.anew, outcome.notice);
    }
    if (outcome.failure.isEmpty()) {
        accept();
        return;
    }
    say(outcome.failure);
    if (!isVisible()) {
        Q_EMIT failed(outcome.failure);
    }
}

void RemoteDialog::list(const std::vector<remote::FarFile>& dumps)
{
    m_dumps->clear();
    for (const remote::FarFile& dump : dumps) {
        const QDateTime time = QDateTime::fromSecsSinceEpoch(dump.modified);
        auto* item = new QListWidgetItem(QStringLiteral("%1    %2    %3")
                                             .arg(time.toString(QStringLiteral("yyyy-MM-dd HH:mm")),
                                                  bytesText(dump.size), text(dump.name)),
                                         m_dumps);
        item->setData(Qt::UserRole, QByteArray::fromStdString(dump.name));
    }
    m_dumps->setVisible(!dumps.empty());
    if (dumps.empty()) {
        say(tr("No snapshots in this folder; try another path."));
        return;
    }
    m_dumps->setCurrentRow(0);
    m_dumps->setFocus();
    std::vector<std::string> paths;
    std::vector<std::int64_t> times;
    for (const remote::FarFile& dump : dumps) {
        paths.push_back(dump.name);
        times.push_back(dump.modified);
    }
    const job::JobChoice job = job::newestRanks(paths, times);
    if (!job.last.empty()) {
        m_dumps->clearSelection();
        for (const std::size_t dump : job.last) {
            m_dumps->item(static_cast<int>(dump))->setSelected(true);
        }
        say(tr("Newest first. Selected: %Ln rank of job %1.|Newest first. Selected: %Ln ranks of "
               "job %1; they open together.",
               nullptr, static_cast<int>(job.last.size()))
                .arg(text(job.group)));
    } else {
        say(tr("Newest first. Select one or more."));
    }
    if (height() < kListHeight) {
        resize(width(), kListHeight);
    }
}

void RemoteDialog::setBusy(bool is_busy)
{
    m_bar->setRange(0, 0);
    m_bar->setVisible(is_busy);
    m_stop->setVisible(is_busy);
    m_open->setEnabled(!is_busy);
    m_address->setReadOnly(is_busy); // Disabled it would lose the focus.
    m_dumps->setEnabled(!is_busy);
}

void RemoteDialog::say(const QString& words)
{
    m_words->setText(words);
}

} // namespace tidemark::ui
