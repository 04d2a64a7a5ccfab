// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/text.h"

#include "core/base/format.h"

#include <QtCore/QFile>

namespace tidemark::ui {

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

std::string utf8(const QString& text)
{
    return text.toStdString();
}

QString pathText(const std::filesystem::path& path)
{
    return QFile::decodeName(QByteArray::fromStdString(path.native()));
}

std::filesystem::path pathFrom(const QString& text)
{
    return std::filesystem::path(QFile::encodeName(text).toStdString());
}

QString bytesText(Bytes bytes)
{
    return text(formatBytes(bytes));
}

QString gibText(Bytes bytes)
{
    return text(formatGiB(bytes));
}

QString exactBytesText(Bytes bytes)
{
    return text(formatExactBytes(bytes));
}

QString countText(std::int64_t count)
{
    return text(formatCount(count));
}

QString percentText(double ratio)
{
    return text(formatPercent(ratio));
}

QString durationText(Duration duration)
{
    return text(formatDuration(duration));
}

QString fileName(const std::filesystem::path& path)
{
    return pathText(path.filename());
}

} // namespace tidemark::ui
