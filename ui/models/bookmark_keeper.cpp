// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/bookmark_keeper.h"

#include "ui/models/text.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {

BookmarkKeeper::BookmarkKeeper(Session& session, QObject* parent)
    : QObject(parent)
    , m_session(session)
{
    connect(&m_session, &Session::filesChanged, this, &BookmarkKeeper::forgetClosed);
}

BookmarkKeeper::Entry* BookmarkKeeper::entryOf(FileId id)
{
    const OpenFile* file = m_session.find(id);
    if (file == nullptr) {
        return nullptr;
    }
    const auto [entry, is_new] = m_entries.try_emplace(id);
    if (is_new && m_session.ruleOptions().use_saved) {
        pipeline::SavedBookmarks saved =
            pipeline::loadBookmarks(file->analysis.file, m_session.ruleOptions().folder);
        entry->second.saved = saved.list;
        entry->second.list = std::move(saved.list);
        if (!saved.problem.empty()) {
            Q_EMIT failed(text(saved.problem));
        }
    }
    return &entry->second;
}

std::span<const pipeline::Bookmark> BookmarkKeeper::marks(FileId id)
{
    const Entry* entry = entryOf(id);
    return entry == nullptr ? std::span<const pipeline::Bookmark>() : std::span(entry->list);
}

void BookmarkKeeper::set(FileId id, const pipeline::Bookmark& mark)
{
    Entry* entry = entryOf(id);
    if (entry == nullptr) {
        return;
    }
    // The first of one moment counts.
    entry->list.insert(entry->list.begin(), mark);
    pipeline::tidyBookmarks(entry->list);
    save(id, *entry);
}

void BookmarkKeeper::remove(FileId id, std::size_t device, StateId state)
{
    Entry* entry = entryOf(id);
    if (entry != nullptr
        && std::erase_if(entry->list,
                         [&](const pipeline::Bookmark& mark) {
                             return mark.device == device && mark.state == state;
                         })
            > 0) {
        save(id, *entry);
    }
}

void BookmarkKeeper::save(FileId id, Entry& entry)
{
    if (!m_session.ruleOptions().use_saved) {
        Q_EMIT changed(id);
        return;
    }
    auto saved = pipeline::saveBookmarks(m_session.find(id)->analysis.file,
                                         m_session.ruleOptions().folder, entry.list, entry.saved);
    if (!saved.has_value()) {
        Q_EMIT changed(id); // They are there as long as the file is open.
        Q_EMIT failed(text(saved.error().message));
        return;
    }
    const bool is_merged = saved.value().list != entry.list;
    entry.list = std::move(saved.value().list);
    entry.saved = entry.list;
    Q_EMIT changed(id);
    if (is_merged) {
        Q_EMIT merged();
    }
    if (!saved.value().where.is_beside && !std::exchange(entry.is_told_away, true)) {
        Q_EMIT savedAway(pathText(saved.value().where.file));
    }
}

void BookmarkKeeper::forgetClosed()
{
    std::erase_if(m_entries,
                  [this](const auto& entry) { return m_session.find(entry.first) == nullptr; });
}

} // namespace tidemark::ui
