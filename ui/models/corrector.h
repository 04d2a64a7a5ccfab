// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/corrections.h"
#include "ui/models/session.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtGui/QUndoGroup>
#include <QtGui/QUndoStack>

#include <map>
#include <memory>
#include <span>
#include <vector>

namespace tidemark::ui {

/// Changes the corrections of opened files, step by step with a way back, and saves each state
/// beside its snapshot, where the session's rule options use saved ones at all.
class Corrector : public QObject {
    Q_OBJECT
public:
    /// The session outlives it.
    explicit Corrector(Session& session, QObject* parent = nullptr);

    /// Undo and redo of the file that is shown.
    [[nodiscard]] QUndoGroup& undoGroup()
    {
        return m_group;
    }
    void setCurrent(FileId id);

    /// The corrections as the person wants them; empty for a file that is not open.
    [[nodiscard]] std::span<const label::Correction> rules(FileId id) const;
    // Each is one step of undo. Files that are still being read are left alone, which is said.
    void add(FileId id, std::vector<label::Correction> rules, const QString& what);
    void replace(FileId id, std::size_t index, const label::Correction& rule);
    void remove(FileId id, std::vector<std::size_t> indices);
    /// Puts these, in the order in which they stand, before another one, or last where `before` is
    /// the number of corrections. Later ones win.
    void move(FileId id, const std::vector<std::size_t>& indices, std::size_t before);

Q_SIGNALS:
    /// The corrections are kept in another place than beside the snapshot; once per file.
    void savedAway(const QString& path);
    void saveFailed(const QString& sentence);
    /// Another program saved corrections of the same snapshot meanwhile; the list is now both
    /// together, and there is no way back behind that.
    void merged();
    void notYetPossible(const QString& sentence);

private:
    class Step;
    void change(FileId id, std::vector<label::Correction> after, const QString& what);
    void apply(FileId id, const std::vector<label::Correction>& rules);
    void save(const OpenFile& file);
    void forgetClosed();

    Session& m_session;
    QUndoGroup m_group;
    std::map<FileId, std::unique_ptr<QUndoStack>> m_stacks;
    /// What is in the file beside the snapshot, as far as is known here.
    std::map<FileId, std::vector<label::Correction>> m_saved;
    std::vector<FileId> m_told_away;
};

} // namespace tidemark::ui
