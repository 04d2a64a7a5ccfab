// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/mark_finder.h"

#include <algorithm>
#include <charconv>

namespace tidemark::remote {
namespace {

constexpr std::size_t kDigits = 12;
constexpr std::size_t kGzipTrailer = 11; ///< End of the comment, an empty block, sum and size.

} // namespace

MarkFinder::MarkFinder(Packer packer, std::string_view key, Whole before)
    : m_words("tidemark " + std::string(key) + ' ')
    , m_after(packer == Packer::gzip ? kGzipTrailer : 0)
    , m_whole(before)
    , m_at(before.kept)
{
}

void MarkFinder::take(std::string_view bytes)
{
    m_rest += bytes;
    const std::size_t length = m_words.size() + kDigits + m_after;
    std::size_t from = 0;
    for (;;) {
        const std::size_t begin = m_rest.find(m_words, from);
        if (begin == std::string::npos) {
            // The last bytes may be the beginning of one.
            from = std::max(from, m_rest.size() - std::min(m_rest.size(), m_words.size() - 1));
            break;
        }
        from = begin;
        if (m_rest.size() - begin < length) {
            break;
        }
        const char* const number = m_rest.data() + begin + m_words.size();
        std::uint64_t blocks = 0;
        const auto [end, error] = std::from_chars(number, number + kDigits, blocks);
        if (error == std::errc() && end == number + kDigits) {
            m_whole = {m_at + begin + length, blocks * kBlockBytes};
        }
        from = begin + length;
    }
    m_at += from;
    m_rest.erase(0, from);
}

} // namespace tidemark::remote
