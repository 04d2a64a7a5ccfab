// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemark::remote {

/// A file or folder on another machine.
struct Address {
    std::string
        host; ///< As ssh takes it: a name of its configuration, a name or a number; no user.
    std::string user; ///< Empty: whom ssh's configuration says.
    std::string port; ///< Digits; empty: as the configuration says.
    std::string path; ///< Absolute, or from the user's home. Never empty.

    bool operator==(const Address&) const = default;

    /// "user@host" or "host".
    [[nodiscard]] std::string login() const;
    /// "ssh://user@host:22/path" where there is a port, else "user@host:path".
    [[nodiscard]] std::string text() const;
    /// What the path ends in, safe as a file's name here; "snapshot" where there is none.
    [[nodiscard]] std::string fileName() const;
    /// A file of this folder.
    [[nodiscard]] Address in(std::string_view name) const;
};

/// Reads "ssh://user@host:22/path" (a URL: %XX stands for a byte, "/~/" for the home) and
/// "user@host:path" (as scp writes it). None: it is no such address, or its host could be taken for
/// an option. A name before the colon that holds a "/" is a path here; so is a single letter alone,
/// which is a drive elsewhere.
std::optional<Address> parseAddress(std::string_view text);

/// The same, unless something here is called so: what is here is meant first.
std::optional<Address> farAddress(const std::string& text);

} // namespace tidemark::remote
