// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/input_bytes.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace tidemark::reader {
namespace {

constexpr std::size_t kReadStep = std::size_t{4} << 20;
constexpr std::size_t kReleaseStep = std::size_t{4} << 20;

Error memoryError(std::size_t size)
{
    return {ErrorCode::outOfMemory,
            say("Not enough memory for {} bytes of input; close other programs or use a larger "
                "machine.",
                size)};
}

} // namespace

InputBytes::InputBytes(InputBytes&& other) noexcept
    : m_owned(std::exchange(other.m_owned, {}))
    , m_bytes(std::exchange(other.m_bytes, {}))
    , m_released(std::exchange(other.m_released, 0))
{
}

InputBytes& InputBytes::operator=(InputBytes&& other) noexcept
{
    std::swap(m_owned, other.m_owned);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_released, other.m_released);
    return *this;
}

InputBytes::~InputBytes()
{
    if (!m_owned.empty()) {
        ::munmap(m_owned.data(), m_owned.size());
    }
}

InputBytes InputBytes::view(std::span<const std::byte> bytes)
{
    InputBytes result;
    result.m_bytes = bytes;
    return result;
}

Result<InputBytes> InputBytes::allocate(std::size_t size)
{
    InputBytes result;
    if (size == 0) {
        return result;
    }
    if (!result.grow(size)) {
        return memoryError(size);
    }
    result.m_bytes = result.m_owned;
    return result;
}

bool InputBytes::grow(std::size_t size)
{
    void* pages = m_owned.empty()
        ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        : ::mremap(m_owned.data(), m_owned.size(), size, MREMAP_MAYMOVE);
    if (pages == MAP_FAILED) {
        return false;
    }
    m_owned = {static_cast<std::byte*>(pages), size};
    return true;
}

Result<InputBytes> InputBytes::fromSource(ByteSource& source, std::uint64_t most,
                                          ProgressSink& progress, const std::stop_token& stop)
{
    InputBytes result;
    const std::size_t expected = source.size().value_or(0);
    std::size_t filled = 0;
    while (true) {
        if (stop.stop_requested()) {
            return Error{ErrorCode::cancelled, say("Reading was cancelled.")};
        }
        progress.report(
            "opening",
            expected == 0
                ? 0.0
                : std::min(1.0, static_cast<double>(filled) / static_cast<double>(expected)));
        // One byte more than expected shows the end without a further step.
        const std::size_t wanted =
            std::max(filled < expected ? expected + 1 : filled * 2, kReadStep);
        if (filled == result.m_owned.size() && !result.grow(wanted)) {
            return memoryError(wanted);
        }
        const Result<std::size_t> got = source.read(
            result.m_owned.subspan(filled, std::min(kReadStep, result.m_owned.size() - filled)));
        const bool is_cut_off = !got.has_value() && got.error().code == ErrorCode::damaged;
        if (!got.has_value() && !is_cut_off) {
            return got.error();
        }
        if (is_cut_off || got.value() == 0) {
            break;
        }
        filled += got.value();
        if (filled > most) {
            return Error{ErrorCode::tooLarge,
                         say("This file's content exceeds {}, out of proportion to its size; if it "
                             "is a snapshot, unpack it yourself and open the result.",
                             Bytes{static_cast<std::int64_t>(most)})};
        }
    }
    result.m_bytes = std::span(result.m_owned).first(filled);
    return result;
}

void InputBytes::releaseBefore(std::size_t offset)
{
    if (m_owned.empty() || offset < m_released + kReleaseStep) {
        return;
    }
    const std::size_t end = std::min(offset, m_owned.size()) / kReleaseStep * kReleaseStep;
    ::madvise(m_owned.data() + m_released, end - m_released, MADV_DONTNEED);
    m_released = end;
}

} // namespace tidemark::reader
