// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/remote/fetch.h"
#include "ui/models/newest_job.h"

#include <QtCore/QStringList>
#include <QtWidgets/QDialog>

#include <functional>
#include <optional>
#include <utility>

class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace tidemark::ui {

/// Opens a snapshot of another machine: takes an address, shows how much has come, lists the
/// snapshots of a folder to choose from. The window stays usable meanwhile.
class RemoteDialog : public QDialog {
    Q_OBJECT
public:
    using Fetch = std::function<Result<remote::Fetched>(
        const remote::Address&, const remote::FetchOptions&, const std::stop_token&)>;

    explicit RemoteDialog(QWidget* parent = nullptr, Fetch fetch = remote::fetch);

    /// Another way to fetch than by the system's ssh.
    void setFetch(Fetch fetch)
    {
        m_fetch = std::move(fetch);
    }
    /// Whether a text that was given, dropped or pasted is an address: no file here, no message.
    [[nodiscard]] static bool isAddress(const QString& text);
    /// As if a person had typed it and pressed Open.
    void open(const QString& address);
    /// Ends what is being fetched; no effect where nothing is.
    void stop();

Q_SIGNALS:
    /// A file comes that is fetched alone.
    void progressed(const remote::Received& received);
    /// Copies that can be opened, those of them that were not the same before, and what is to be
    /// said of them; empty: nothing.
    void arrived(const QStringList& files, const QStringList& anew, const QString& notice);
    /// What went wrong while the dialog was hidden.
    void failed(const QString& sentence);
    void stopped();

protected:
    void done(int result) override;

private:
    struct Outcome {
        std::optional<remote::Fetched> folder;
        QStringList files;
        QStringList anew;
        QString notice;
        QString failure;
    };
    void begin();
    void fetchAll(const std::vector<remote::Address>& addresses);
    void showReceived(const remote::Received& received, const QString& name, bool is_alone);
    void take(const Outcome& outcome);
    void list(const std::vector<remote::FarFile>& dumps);
    void setBusy(bool is_busy);
    void say(const QString& words);

    Fetch m_fetch;
    QLineEdit* m_address;
    QListWidget* m_dumps;
    QLabel* m_words;
    QProgressBar* m_bar;
    QPushButton* m_open;
    QPushButton* m_stop;
    remote::Address m_folder; ///< Whose snapshots are listed.
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
