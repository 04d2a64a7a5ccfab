// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/content_kind.h"

#include "core/base/ascii.h"
#include "core/base/language.h"

#include <algorithm>
#include <string_view>

namespace tidemark::reader {
namespace {

using namespace std::string_view_literals;

bool isTextByte(char c)
{
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x20 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
}

/// The opcodes a snapshot of protocol 0 or 1 can begin with: MARK (then DICT, LIST or a value), an
/// empty list or dictionary; and GLOBAL, so that a file which asks for one is refused by its name.
bool looksLikeOldPickle(std::string_view head)
{
    if (head.size() < 2) {
        return false;
    }
    const std::string_view after_container = "q.(p02"sv;
    switch (head.front()) {
    case '(':
        return true;
    case ']':
    case '}':
        return after_container.find(head[1]) != std::string_view::npos;
    case 'c': {
        const auto is_name = [](char c) {
            return c == '_' || c == '.' || isDigit(c) || isLetter(c);
        };
        const std::size_t first = head.find('\n');
        const std::size_t second =
            first == std::string_view::npos ? first : head.find('\n', first + 1);
        return second != std::string_view::npos && first > 1 && second > first + 1
            && std::all_of(head.begin() + 1, head.begin() + static_cast<std::ptrdiff_t>(first),
                           is_name)
            && std::all_of(head.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                           head.begin() + static_cast<std::ptrdiff_t>(second), is_name);
    }
    default:
        return false;
    }
}

/// A header with its own check sum, which leaves out the field it stands in (offset 148).
bool isTarHeader(std::string_view head)
{
    constexpr std::size_t kSum = 148;
    constexpr std::size_t kSumSize = 8;
    if (head.size() < kContentHead || head.front() == '\0') {
        return false;
    }
    std::uint32_t said = 0;
    std::size_t at = head.find_first_not_of(' ', kSum);
    for (; at < kSum + kSumSize && head[at] >= '0' && head[at] <= '7'; ++at) {
        said = said * 8 + static_cast<std::uint32_t>(head[at] - '0');
    }
    std::uint32_t sum = kSumSize * ' ';
    for (std::size_t i = 0; i < kContentHead; ++i) {
        const bool is_sum = i >= kSum && i < kSum + kSumSize;
        sum += is_sum ? 0U : static_cast<unsigned char>(head[i]);
    }
    return sum == said;
}

/// torch.save's zip holds `<archive name>/data.pkl` as its first entry.
ContentKind zipKind(std::string_view head)
{
    return head.find("/data.pkl"sv) != std::string_view::npos ? ContentKind::torch_checkpoint
                                                              : ContentKind::zip;
}

} // namespace

ContentKind contentKind(std::span<const std::byte> bytes)
{
    std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                          std::min(bytes.size(), kContentHead));
    if (head.starts_with('\x80') && head.size() > 1 && head[1] >= 0 && head[1] < 32) {
        return ContentKind::pickle;
    }
    if (isTarHeader(head)) {
        return ContentKind::tar;
    }
    // The second is what a zip without files begins with.
    if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv)) {
        return zipKind(head);
    }
    constexpr std::pair<std::string_view, ContentKind> kMagic[] = {
        {"\x1f\x8b"sv, ContentKind::gzip},
        {"\xfd\x37zXZ\0"sv, ContentKind::xz},
        {"\x28\xb5\x2f\xfd"sv, ContentKind::zstd},
        // The frame without data that pzstd writes first.
        {"\x50\x2a\x4d\x18"sv, ContentKind::zstd},
        {"\x04\x22\x4d\x18"sv, ContentKind::lz4},
        {"BZh"sv, ContentKind::bzip2},
        {"7z\xbc\xaf\x27\x1c"sv, ContentKind::seven_zip}};
    for (const auto& [magic, kind] : kMagic) {
        if (head.starts_with(magic)) {
            return kind;
        }
    }
    if (looksLikeOldPickle(head)) {
        return ContentKind::old_pickle;
    }
    const bool is_text = std::all_of(head.begin(), head.end(), isTextByte);
    if (head.starts_with("\xef\xbb\xbf"sv)) {
        head.remove_prefix(3);
    }
    const std::size_t first = head.find_first_not_of(" \t\r\n\f"sv);
    const char c = first == std::string_view::npos ? '\0' : head[first];
    if (is_text && c == '<') {
        return ContentKind::html;
    }
    if (is_text && (c == '{' || c == '[')) {
        return ContentKind::json;
    }
    return is_text ? ContentKind::text : ContentKind::binary;
}

bool isPackedKind(ContentKind kind)
{
    switch (kind) {
    case ContentKind::gzip:
    case ContentKind::xz:
    case ContentKind::zstd:
    case ContentKind::bzip2:
    case ContentKind::lz4:
    case ContentKind::zip:
    case ContentKind::tar:
        return true;
    default:
        return false;
    }
}

std::string_view packedKindName(ContentKind kind)
{
    switch (kind) {
    case ContentKind::gzip:
        return "gzip";
    case ContentKind::xz:
        return "xz";
    case ContentKind::zstd:
        return "Zstandard";
    case ContentKind::bzip2:
        return "bzip2";
    case ContentKind::lz4:
        return "LZ4";
    case ContentKind::zip:
        return "zip";
    case ContentKind::tar:
        return "tar";
    case ContentKind::seven_zip:
        return "7-Zip";
    default:
        return "packed";
    }
}

Error unreadableKindError(ContentKind kind)
{
    const auto packed = [kind](std::string_view how) {
        return Error{
            ErrorCode::notASnapshot,
            isPackedKind(kind)
                ? say(
                    "This {} file is nested too deep to unpack: run `{} FILE` and open the result.",
                    packedKindName(kind), how)
                : say("This {} file is not supported: run `{} FILE` and open the result.",
                      packedKindName(kind), how)};
    };
    switch (kind) {
    case ContentKind::gzip:
        return packed("gunzip");
    case ContentKind::zip:
        return packed("unzip");
    case ContentKind::xz:
        return packed("unxz");
    case ContentKind::zstd:
        return packed("unzstd");
    case ContentKind::bzip2:
        return packed("bunzip2");
    case ContentKind::lz4:
        return packed("unlz4");
    case ContentKind::tar:
        return packed("tar -xf");
    case ContentKind::seven_zip:
        return packed("7z x");
    case ContentKind::torch_checkpoint:
        return {
            ErrorCode::notASnapshot,
            say("This is a PyTorch checkpoint (torch.save), not a memory snapshot; make one with "
                "torch.cuda.memory._dump_snapshot(\"snapshot.pickle\").")};
    case ContentKind::text:
        return {ErrorCode::notASnapshot,
                say("This is a text file, not a memory snapshot; open the file that "
                    "torch.cuda.memory._dump_snapshot wrote.")};
    default:
        return {ErrorCode::notASnapshot,
                say("This is not a memory snapshot: unknown first bytes; open the file that "
                    "torch.cuda.memory._dump_snapshot wrote.")};
    }
}

} // namespace tidemark::reader
