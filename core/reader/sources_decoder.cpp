// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/sources_decoder.h"

#include <algorithm>
#include <cstddef>

namespace tidemark::reader {

std::vector<trace::SourceFile> decodeSources(TreeAccess& access, ValueTree::Node dict)
{
    std::vector<trace::SourceFile> sources;
    if (access.tree().value(dict).kind != NodeKind::dict) {
        access.noteWrong(Place::top, Key::source_code);
        return sources;
    }
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    while (!access.isOverspent() && access.tree().nextEntry(dict, position, entry)) {
        const ValueTree::Value name = access.tree().value(entry.key);
        trace::SourceFile file;
        if (name.kind == NodeKind::text) {
            file.name = name.text;
        }
        const ValueTree::Value words = access.tree().value(entry.value);
        if (file.name.empty() || words.kind != NodeKind::text) {
            access.noteWrong(Place::top, Key::source_code);
            continue;
        }
        file.text = words.text;
        access.spend(sizeof file + file.name.size() + file.text.size());
        sources.push_back(std::move(file));
    }
    std::ranges::sort(sources, {}, &trace::SourceFile::name);
    return sources;
}

} // namespace tidemark::reader
