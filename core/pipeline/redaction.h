// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/diagnose/analysis.h"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace tidemark::pipeline {

/// Other names for what tells whose a run was: "user-1", "host-1" and "folder-1", the same for the
/// same name wherever it stands, numbered in the order of first sight. Folders of libraries that
/// the built-in rules name ("torch", "site-packages") stay, and so does the last component of a
/// path: labels and findings are the same afterwards. A user is known by a home folder
/// ("/home/ada") or "ada@gpu7"; a host by that, by the address of a file, by NCCL's lines and by
/// the names that dumps have by convention. Thread-safe.
class Redaction {
public:
    Redaction();

    /// Remembers users and hosts of a path, as a frame has it.
    void notePath(std::string_view path);
    /// The same of a dump, which may be on another machine.
    void noteFile(std::string_view path);
    /// The same of a text that somebody or some program wrote.
    void noteText(std::string_view text);
    void noteHost(std::string_view host);

    /// Of a text that is one path: folders, and users and hosts in the last component, too.
    std::string path(std::string_view path);
    /// Of any other text: paths in it, users and hosts, addresses of machines.
    std::string text(std::string_view text);
    /// Of a function's or a tensor's name: users and hosts alone. All three: O(text · lengths of
    /// known names).
    std::string name(std::string_view text);

    /// What was done, with how many names, in the language in use.
    [[nodiscard]] std::string sentence() const;

private:
    using Names = std::map<std::string, std::string, std::less<>>;
    /// A name in a text: its characters there and what is written for them.
    struct Known {
        std::size_t length = 0; ///< 0: no name.
        std::string other;
    };

    std::string named(Names& names, std::string_view word, std::string_view kind);
    std::string component(std::string_view word, std::string_view before);
    std::string pathUnlocked(std::string_view path);
    std::string withoutNames(std::string_view text);
    Known nameAt(std::string_view text, std::size_t at) const;
    void noteUser(std::string_view user);
    void notePathUnlocked(std::string_view path);
    void noteHostUnlocked(std::string_view host);

    mutable std::mutex m_mutex;
    std::set<std::string, std::less<>> m_kept; ///< Folders that are everybody's.
    Names m_users;
    Names m_hosts;
    Names m_folders;
    Names m_addresses;
    std::set<std::size_t, std::greater<>> m_lengths; ///< Of users and hosts that texts may have.
};

/// Where a note with this code is, names are hidden.
inline constexpr std::string_view kRedactedNote = "redacted";
[[nodiscard]] bool isRedacted(const diagnose::Analysis& analysis);

/// Gives runs that are shown together other names: those of all of them are known before the first
/// is changed. Labels are kept and the diagnosis is made again, so that no text has an old name.
/// O(strings + stacks), and a diagnosis. Errors: cancelled.
Result<Done> redact(std::span<diagnose::Analysis> runs, Redaction& names, ProgressSink& progress,
                    const std::stop_token& stop);

} // namespace tidemark::pipeline
