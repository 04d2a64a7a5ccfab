// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/archive_source.h"
#include "core/reader/printable.h"
#include "tests/fuzz/fuzz_input.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

using namespace tidemark;

namespace {

constexpr int kDeepest = 3;

/// The input in pieces of a size that its last byte decides.
class PieceSource final : public reader::ByteSource {
public:
    explicit PieceSource(std::span<const std::byte> bytes)
        : m_bytes(bytes)
        , m_piece(bytes.empty() ? 1 : std::to_integer<std::size_t>(bytes.back()) * 16 + 1)
    {
    }
    Result<std::size_t> read(std::span<std::byte> target) override
    {
        const std::size_t size = std::min({target.size(), m_piece, m_bytes.size()});
        std::copy_n(m_bytes.begin(), size, target.begin());
        m_bytes = m_bytes.subspan(size);
        return size;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return {};
    }

private:
    std::span<const std::byte> m_bytes;
    std::size_t m_piece;
};

void checkError(const Error& error)
{
    if (!error.message.ends_with('.') || error.code == ErrorCode::internal) {
        std::abort();
    }
}

void unpack(std::unique_ptr<reader::ByteSource> packed, int depth);

void readEntry(reader::ArchiveSource& archive, int depth)
{
    auto peeked = std::make_unique<reader::PeekedSource>(archive);
    const auto head = peeked->head();
    if (head.has_value() && depth < kDeepest
        && reader::isPackedKind(reader::contentKind(head.value()))) {
        unpack(std::move(peeked), depth + 1);
        return;
    }
    std::vector<std::byte> buffer(5000);
    for (;;) {
        const auto got = peeked->read(buffer);
        if (!got.has_value()) {
            checkError(got.error());
            return;
        }
        if (got.value() > buffer.size()) {
            std::abort();
        }
        if (got.value() == 0) {
            return;
        }
    }
}

void unpack(std::unique_ptr<reader::ByteSource> packed, int depth)
{
    const auto opened = reader::ArchiveSource::open(std::move(packed), fuzz::limits());
    if (!opened.has_value()) {
        checkError(opened.error());
        return;
    }
    reader::ArchiveSource& archive = *opened.value();
    for (int entry = 0;; ++entry) {
        const auto next = archive.nextEntry();
        if (!next.has_value()) {
            checkError(next.error());
            return;
        }
        if (!next.value()) {
            return;
        }
        static_cast<void>(reader::printable(archive.entryName()));
        static_cast<void>(archive.size());
        // Every third is skipped.
        if (entry % 3 != 2) {
            readEntry(archive, depth);
        }
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    unpack(std::make_unique<PieceSource>(bytes), 1);
    fuzz::readWhole(bytes);
    return 0;
}
