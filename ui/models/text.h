// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <QtCore/QString>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::ui {

// Core speaks UTF-8 and std::filesystem, Qt speaks QString; these are the only conversions.
// The figures come from core/base/format.h, so window, command line and reports read alike.

[[nodiscard]] QString text(std::string_view utf8);
[[nodiscard]] std::string utf8(const QString& text);
// A name of a file may be any bytes: those that are no UTF-8 become lone surrogates, U+DC80 to
// U+DCFF, as in Python, and bytes again on the way back.
[[nodiscard]] QString pathText(const std::filesystem::path& path);
[[nodiscard]] std::filesystem::path pathFrom(const QString& text);

[[nodiscard]] QString bytesText(Bytes bytes); ///< "358 MiB"
[[nodiscard]] QString knownText(const std::optional<Bytes>& bytes); ///< The same, or "unknown"
/// For figures of a view that are compared by eye, all in the unit of its `largest`: "0.35 GiB",
/// "< 0.01 GiB", "0".
[[nodiscard]] QString columnText(Bytes bytes, Bytes largest);
/// The same, or an interval where the ends differ.
[[nodiscard]] QString columnText(Bytes least, Bytes most, Bytes largest);
/// "6.3 GiB (6.0–7.5)"; one figure where both ends read the same.
[[nodiscard]] QString intervalText(Bytes best, Bytes least, Bytes most);
[[nodiscard]] QString intervalText(Bytes least, Bytes most); ///< "2.3–3.8 GiB"
[[nodiscard]] QString exactBytesText(Bytes bytes); ///< "375,390,208 B": for tooltips.
[[nodiscard]] QString countText(std::int64_t count);
[[nodiscard]] QString percentText(double ratio);
[[nodiscard]] QString durationText(Duration duration);

/// Last component of a path.
[[nodiscard]] QString fileName(const std::filesystem::path& path);

} // namespace tidemark::ui
