// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/preferences.h"

#include <QtWidgets/QWidget>

class QFileInfo;
class QVBoxLayout;

namespace tidemark::ui {

/// What the window shows before a file is open: where to drop one, recent files, an example, and
/// how to record a snapshot.
class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(const Preferences& preferences, bool has_example, QWidget* parent = nullptr);
    /// The lines that record a snapshot in a training script.
    [[nodiscard]] static QString recordingLines();

Q_SIGNALS:
    void actionRequested(const QString& id); ///< A row of the menus.
    void fileChosen(const QString& path);
    void moduleRequested();

private:
    QWidget* makeDropCard(bool has_example);
    QWidget* makeRecentCard();
    QWidget* makeRecordingCard();
    void refreshRecent();
    [[nodiscard]] QString factsOf(const QFileInfo& file) const;

    const Preferences& m_preferences;
    QWidget* m_drop_card = nullptr;
    QVBoxLayout* m_recent = nullptr;
};

} // namespace tidemark::ui
