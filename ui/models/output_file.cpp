// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/output_file.h"

#include "core/base/language.h"
#include "core/base/new_file.h"
#include "ui/models/text.h"

#include <string_view>

namespace tidemark::ui {

Result<Done> writeOutput(const QString& path, const QByteArray& bytes, OutputKind kind,
                         std::span<const std::filesystem::path> inputs)
{
    const std::filesystem::path file = pathFrom(path);
    const Result<Done> allowed = checkOutput(file, kind, inputs);
    if (!allowed.has_value()) {
        return allowed;
    }
    const Result<Done> written = writeNewFile(
        file, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    if (written.has_value()) {
        return written;
    }
    return Error{written.error().code,
                 say("Cannot write {} ({}); choose another folder or name.", utf8(path),
                     written.error().message),
                 {}};
}

} // namespace tidemark::ui
