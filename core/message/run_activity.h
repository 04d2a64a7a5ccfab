// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark::diagnose {

/// What ran when memory ran out, as far as a text says it.
enum class RunActivity : std::uint8_t {
    unknown,
    training,
    evaluation, ///< Of a model that is trained, too.
    inference,
};

/// By the traceback before `error_at`, an offset, where it says so; else by the words of a post.
/// O(text), of the first `kPostedText` bytes.
RunActivity runActivity(std::string_view text, std::size_t error_at);

} // namespace tidemark::diagnose
