// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/html_page.h"

#include "core/base/language.h"

#include <array>
#include <optional>
#include <span>

namespace tidemark::reader {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Reads a JSON list of objects whose values are all strings, in place; anything else ends it.
class FileListParser {
public:
    FileListParser(std::string_view page, std::size_t at)
        : m_page(page)
        , m_at(at)
    {
    }

    /// Empty when what stands here is not such a list.
    std::vector<PageFile> list()
    {
        std::vector<PageFile> files;
        if (!take('[')) {
            return {};
        }
        do {
            std::optional<PageFile> file = object();
            if (!file) {
                return {};
            }
            files.push_back(std::move(*file));
        } while (take(','));
        return take(']') ? files : std::vector<PageFile>();
    }

private:
    std::optional<PageFile> object()
    {
        PageFile file;
        bool has_bytes = false;
        if (!take('{')) {
            return {};
        }
        do {
            const std::optional<std::string_view> key = string();
            if (!key || !take(':')) {
                return {};
            }
            const std::optional<std::string_view> value = string();
            if (!value) {
                return {};
            }
            if (*key == "name") {
                file.name = *value;
            } else if (*key == "base64") {
                file.base64 = *value;
                file.offset = static_cast<std::uint64_t>(value->data() - m_page.data());
                has_bytes = true;
            }
        } while (take(','));
        return take('}') && has_bytes ? std::optional(file) : std::nullopt;
    }

    /// The text between quotes, escapes as they stand: base64 has none, names are only shown.
    std::optional<std::string_view> string()
    {
        if (!take('"')) {
            return {};
        }
        const std::size_t begin = m_at;
        std::size_t end = begin;
        do {
            end = m_page.find_first_of("\"\\", end);
            if (end == std::string_view::npos) {
                return {};
            }
            if (m_page[end] == '"') {
                break;
            }
            end += 2;
        } while (end < m_page.size());
        if (end >= m_page.size()) {
            return {};
        }
        m_at = end + 1;
        return m_page.substr(begin, end - begin);
    }

    bool take(char c)
    {
        m_at = m_page.find_first_not_of(kSpace, m_at);
        if (m_at == std::string_view::npos) {
            m_at = m_page.size();
            return false;
        }
        if (m_page[m_at] != c) {
            return false;
        }
        ++m_at;
        return true;
    }

    std::string_view m_page;
    std::size_t m_at;
};

constexpr std::uint8_t kInvalid = 0xff;
constexpr std::uint8_t kSkipped = 0xfe;
constexpr std::uint8_t kPadding = 0xfd;

constexpr std::array<std::uint8_t, 256> makeDigits()
{
    std::array<std::uint8_t, 256> digits{};
    digits.fill(kInvalid);
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
        digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    }
    for (const char c : kSpace) {
        digits[static_cast<unsigned char>(c)] = kSkipped;
    }
    digits[static_cast<unsigned char>('=')] = kPadding;
    return digits;
}
constexpr std::array<std::uint8_t, 256> kDigits = makeDigits();

} // namespace

std::vector<PageFile> findPageFiles(std::string_view page)
{
    for (std::size_t at = page.find('['); at != std::string_view::npos;
         at = page.find('[', at + 1)) {
        // Without this look ahead each "[{" of a long page would be read to its end.
        const std::size_t brace = page.find_first_not_of(kSpace, at + 1);
        if (brace == std::string_view::npos || page[brace] != '{') {
            continue;
        }
        std::vector<PageFile> files = FileListParser(page, at).list();
        if (!files.empty()) {
            return files;
        }
    }
    return {};
}

Result<InputBytes> decodeBase64(const PageFile& file)
{
    Result<InputBytes> result = InputBytes::allocate(file.base64.size() / 4 * 3 + 3);
    if (!result.has_value()) {
        return result;
    }
    const std::span<std::byte> target = result.value().writableBytes();
    std::size_t filled = 0;
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (std::size_t i = 0; i < file.base64.size(); ++i) {
        const std::uint8_t digit = kDigits[static_cast<unsigned char>(file.base64[i])];
        if (digit == kSkipped) {
            continue;
        }
        if (digit == kPadding) {
            break;
        }
        if (digit == kInvalid) {
            const std::uint64_t offset = file.offset + i;
            return Error{ErrorCode::damaged,
                         say("The page is damaged at byte {}, inside its snapshot; create it again "
                             "from the snapshot.",
                             offset),
                         offset};
        }
        bits = (bits << 6U) | digit;
        if (++count == 4) {
            target[filled++] = static_cast<std::byte>(bits >> 16U);
            target[filled++] = static_cast<std::byte>(bits >> 8U);
            target[filled++] = static_cast<std::byte>(bits);
            bits = 0;
            count = 0;
        }
    }
    if (count > 1) {
        target[filled++] = static_cast<std::byte>(bits >> (count == 2 ? 4U : 10U));
    }
    if (count > 2) {
        target[filled++] = static_cast<std::byte>(bits >> 2U);
    }
    result.value().shrink(filled);
    return result;
}

} // namespace tidemark::reader
