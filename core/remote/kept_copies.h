// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/remote/address.h"
#include "core/remote/mark_finder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::remote {

/// What a file was when it was copied.
struct FarStamp {
    std::uint64_t size = 0;
    std::int64_t modified = 0; ///< Seconds since 1970.
    bool operator==(const FarStamp&) const = default;
};

/// The user's folder of copies: $XDG_CACHE_HOME/tidemark/remote, or below ~/.cache. Empty: there is
/// no home.
std::filesystem::path userCopiesFolder();

/// The line broke off: how much of the file a copy holds, and can be continued from.
struct KeptPart {
    Packer packer = Packer::none;
    Whole whole;
    bool operator==(const KeptPart&) const = default;
};

/// What a copy is of.
struct Origin {
    std::string address; ///< Address::text().
    FarStamp stamp;
    std::optional<KeptPart> part; ///< None: it is all there.
};

/// Of a file that `KeptCopies` keeps; none for any other.
std::optional<Origin> originOf(const std::filesystem::path& copy);

/// Copies of far files, one folder each, readable by their owner alone:
///
///     <folder>/gpu7-1f0c…/run.pickle        the bytes as they came, packed or not
///     <folder>/gpu7-1f0c…/.tidemark-origin  size, time and address there, and how much came
///
/// When they are more than `most_bytes` together, those used longest ago go. Corrections beside a
/// copy stay.
class KeptCopies {
public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{20} << 30;

    explicit KeptCopies(std::filesystem::path folder, std::uint64_t most_bytes = kMostBytes);

    /// The copy of this file, as it is there now; used just now.
    [[nodiscard]] std::optional<std::filesystem::path> find(const Address& address,
                                                            const FarStamp& stamp) const;
    /// The part of this file that came before the line broke off: what to ask for, and what is
    /// here. All bytes of `whole` are there.
    struct Begun {
        std::filesystem::path file;
        FarStamp stamp;
        KeptPart part;
    };
    [[nodiscard]] std::optional<Begun> begun(const Address& address) const;
    /// Where a new copy goes; its folder is there. Error: cannotWrite.
    [[nodiscard]] Result<std::filesystem::path> place(const Address& address) const;
    /// The copy at `place` is about to become another one: nothing is known of it meanwhile.
    void forget(const Address& address) const;
    /// Says what the copy at `place` is, and makes room by removing others.
    void keep(const Address& address, const FarStamp& stamp,
              const std::optional<KeptPart>& part = {}) const;
    /// Whose copies there are, as texts, those used last first.
    [[nodiscard]] std::vector<std::string> addresses() const;

private:
    [[nodiscard]] std::filesystem::path folderOf(const Address& address) const;

    std::filesystem::path m_folder;
    std::uint64_t m_most_bytes;
};

} // namespace tidemark::remote
