// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/pipeline/bookmarks.h"
#include "ui/models/session.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <map>
#include <span>
#include <vector>

namespace tidemark::ui {

/// The bookmarks of opened files, each saved beside its snapshot as soon as it changes, where the
/// session's rule options use what is saved at all.
class BookmarkKeeper : public QObject {
    Q_OBJECT
public:
    /// The session outlives it.
    explicit BookmarkKeeper(Session& session, QObject* parent = nullptr);

    /// By device and moment; read from the disk when they are first asked for. Empty for a file
    /// that is not open.
    std::span<const pipeline::Bookmark> marks(FileId id);
    /// Marks a moment, or changes its note.
    void set(FileId id, const pipeline::Bookmark& mark);
    void remove(FileId id, std::size_t device, StateId state);

Q_SIGNALS:
    void changed(quint64 id);
    /// They are kept in another place than beside the snapshot; once per file.
    void savedAway(const QString& path);
    void failed(const QString& sentence);
    /// Another window saved bookmarks of the same snapshot meanwhile; the list holds both.
    void merged();

private:
    struct Entry {
        std::vector<pipeline::Bookmark> list; ///< As the person wants it.
        std::vector<pipeline::Bookmark> saved; ///< As it was last read or written.
        bool is_told_away = false;
    };
    Entry* entryOf(FileId id);
    void save(FileId id, Entry& entry);
    void forgetClosed();

    Session& m_session;
    std::map<FileId, Entry> m_entries;
};

} // namespace tidemark::ui
