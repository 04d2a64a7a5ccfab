// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/log_text.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/reader/archive_source.h"
#include "core/reader/content_kind.h"
#include "core/reader/file_source.h"
#include "core/reader/text_encoding.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::reader {
namespace {

/// What all levels of one log work with.
struct Unpacking {
    const ReaderLimits& limits;
    const std::stop_token& stop;
    std::uint64_t most = 0; ///< Bytes that may come out in all.
    std::uint64_t left = 0; ///< Of those.
};

Error tooLongError(std::uint64_t most)
{
    return {ErrorCode::tooLarge,
            say("Unpacked, this file exceeds {}, out of proportion for a log; unpack it yourself "
                "and give the part with the message.",
                Bytes{static_cast<std::int64_t>(most)})};
}

/// What `unpacked` refuses whatever follows.
bool isNoText(ContentKind kind)
{
    return kind == ContentKind::pickle || kind == ContentKind::torch_checkpoint;
}

ContentKind kindOf(const std::string& bytes)
{
    const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
    return contentKind(all.first(std::min(all.size(), kContentHead)));
}

/// Adds the rest of the current entry to `bytes`, no more than the beginning of what is no text;
/// the error it ended with.
std::optional<Error> readEntry(ArchiveSource& archive, std::string& bytes, Unpacking& work)
{
    std::vector<std::byte> block(std::size_t{1} << 18);
    while (true) {
        if (work.stop.stop_requested()) {
            return Error{ErrorCode::cancelled, say("Reading was cancelled.")};
        }
        const Result<std::size_t> got = archive.read(block);
        if (!got.has_value()) {
            return got.error();
        }
        if (got.value() == 0) {
            return {};
        }
        if (got.value() > work.left) {
            return tooLongError(work.most);
        }
        work.left -= got.value();
        const bool was_short = bytes.size() < kContentHead;
        bytes.append(reinterpret_cast<const char*>(block.data()), got.value());
        if (was_short && isNoText(kindOf(bytes))) {
            return {};
        }
    }
}

Result<std::string> unpacked(std::string bytes, int level, Unpacking& work);

/// No matter of one file of an archive alone.
bool endsAll(ErrorCode code)
{
    return code == ErrorCode::tooLarge || code == ErrorCode::cancelled;
}

/// All files of an archive, each unpacked itself.
Result<std::string> textOfEntries(ArchiveSource& archive, int level, Unpacking& work)
{
    std::string text;
    std::optional<Error> error;
    std::optional<Error> first_refusal; ///< Of a file that is no text, or of which nothing came.
    while (!error) {
        const Result<bool> next = archive.nextEntry();
        if (!next.has_value()) {
            error = next.error();
            break;
        }
        if (!next.value()) {
            break;
        }
        std::string entry;
        error = readEntry(archive, entry, work);
        if (error && endsAll(error->code)) {
            break;
        }
        Result<std::string> part = unpacked(std::move(entry), level + 1, work);
        if (part.has_value() && text.empty()) {
            text = std::move(part).value(); // It may be long, and need not be there twice.
        } else if (part.has_value()) {
            text += text.ends_with('\n') ? "" : "\n";
            text += part.value();
        } else if (endsAll(part.error().code)) {
            error = part.error();
        } else if (!first_refusal) {
            first_refusal = part.error();
        }
    }
    if (!text.empty() && (!error || error->code == ErrorCode::damaged)) {
        return text;
    }
    error = error ? error : first_refusal;
    return error ? Result<std::string>(*error) : Result<std::string>(std::move(text));
}

Result<std::string> unpacked(std::string bytes, int level, Unpacking& work)
{
    const ContentKind kind = kindOf(bytes);
    if (isNoText(kind)) {
        return Error{ErrorCode::badArgument,
                     kind == ContentKind::pickle
                         ? say("This is a memory snapshot, not a log; open it as a snapshot.")
                         : say("This is a PyTorch checkpoint, not a log; give a log.")};
    }
    if (!isPackedKind(kind) || level == kDeepestPacking) {
        bytes = asUtf8(std::move(bytes));
        if (const std::string_view text = withoutHoles(bytes); text.size() < bytes.size()) {
            bytes = std::string(text);
        }
        if (isBinary(bytes)) {
            return Error{ErrorCode::badArgument,
                         say("This is not text; give the log or the message.")};
        }
        return bytes;
    }
    const Result<std::unique_ptr<ArchiveSource>> archive = ArchiveSource::open(
        std::make_unique<MemorySource>(std::as_bytes(std::span(std::as_const(bytes)))),
        work.limits);
    if (!archive.has_value()) {
        return archive.error();
    }
    return textOfEntries(*archive.value(), level, work);
}

} // namespace

bool beginsAsNoLog(std::string_view bytes)
{
    const std::string_view text = withoutHoles(bytes);
    if (text.starts_with('\0')) {
        return false; // All of it is; what follows may be the log.
    }
    std::string head(text.substr(0, kLogHead));
    const ContentKind kind = kindOf(head);
    return isNoText(kind) || (!isPackedKind(kind) && isBinary(asUtf8(std::move(head))));
}

Result<std::string> logText(std::string bytes, const ReaderLimits& limits,
                            const std::stop_token& stop)
{
    const std::uint64_t most = limits.logBytes(bytes.size());
    Unpacking work{limits, stop, most, most};
    return unpacked(std::move(bytes), 0, work);
}

} // namespace tidemark::reader
