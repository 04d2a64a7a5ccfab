// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/session.h"

#include <QtCore/QStringList>
#include <QtWidgets/QWidget>

#include <span>

class QLabel;

namespace tidemark::ui {

class NoticeStrip;

/// The run's configuration: takes it from a file that is dropped or chosen, hands it to the
/// snapshot that is shown or opened next, says what is in use, and takes it back. Hidden without
/// one.
class ConfigStrip : public QWidget {
    Q_OBJECT
public:
    /// Both outlive it.
    ConfigStrip(Session& session, NoticeStrip& notices, QWidget* parent = nullptr);

    /// The file that is shown; 0 for none.
    void setCurrent(FileId id);
    /// Takes the configuration among files and returns the others. With others beside it it is kept
    /// for `input` and `useFor`, else it is the shown file's, or of the one that is opened next.
    QStringList withoutConfigs(const QStringList& paths);
    /// What files are opened with.
    [[nodiscard]] diagnose::UserInput input() const
    {
        return m_next;
    }
    /// The files that were opened, or were open already.
    void useFor(std::span<const FileId> ids);
    /// Asks for a file; whatever it is, it is taken for a configuration.
    void choose();
    /// Files that belong to one run; of several a later one holds. False with a notice where there
    /// is no configuration in them.
    bool take(const QStringList& paths, bool keep_for_others = false);
    void removeConfig();

private:
    void refresh();
    void apply(FileId id, const diagnose::UserInput& config);
    /// What is shown: the current file's, else what waits for one; null without any.
    [[nodiscard]] const diagnose::UserInput* shown() const;

    Session& m_session;
    NoticeStrip& m_notices;
    FileId m_current = 0;
    diagnose::UserInput m_next; ///< Nothing but a configuration and its name.
    QLabel* m_words;
};

} // namespace tidemark::ui
