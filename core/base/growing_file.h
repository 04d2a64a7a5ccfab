// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <utility>

namespace tidemark {

/// A file that one thread writes while another reads it.
class GrowingFile {
public:
    /// `path`: where it is until it is complete. `size`: bytes that it will tell of; 0: not known.
    GrowingFile(std::filesystem::path path, std::uint64_t size)
        : m_path(std::move(path))
        , m_size(size)
    {
    }

    [[nodiscard]] const std::filesystem::path& path() const
    {
        return m_path;
    }
    [[nodiscard]] std::uint64_t size() const
    {
        return m_size;
    }

    /// The writer: there is more in the file than before.
    void grow();
    /// The writer: no more will come, for whatever reason.
    void end();

    /// How often it has grown; `kEnded` once no more comes.
    [[nodiscard]] std::uint64_t growth() const;
    /// Waits until `growth()` is another.
    void waitBeyond(std::uint64_t growth) const;

    static constexpr std::uint64_t kEnded = ~std::uint64_t{0};

private:
    std::filesystem::path m_path;
    std::uint64_t m_size;
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_changed;
    std::uint64_t m_growth = 0; ///< Guarded.
};

} // namespace tidemark
