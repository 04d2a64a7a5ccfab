// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::label {

/// What the modules of libraries are called, from resources/rules/module_names.json, which is
/// embedded in the program. Immutable.
class ModuleNames {
public:
    /// Built once, thread-safe.
    static const ModuleNames& builtin();

    struct Entry {
        std::string file; ///< End of the path, with forward slashes.
        std::string name; ///< Of its `forward`; empty: the frame only passes the call on.
        std::string built_by; ///< Of its `__init__`; mostly the same.
        std::vector<std::pair<std::string, std::string>> functions; ///< Function → better name.

        /// `function` is the first one that the module calls; empty for none.
        [[nodiscard]] const std::string& nameFor(std::string_view function) const;
    };
    /// Null for a file that has none. O(entries).
    [[nodiscard]] const Entry* find(std::string_view filename) const;

private:
    explicit ModuleNames(std::string_view json);

    std::vector<Entry> m_entries;
};

} // namespace tidemark::label
