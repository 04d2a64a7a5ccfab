// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/text.h"

#include "core/base/format.h"

#include <QtCore/QFile>

namespace tidemark::ui {
namespace {

constexpr qsizetype kLongestUtf8 = 4;
constexpr char16_t kLoneByte = 0xDC00;

} // namespace

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
    const QByteArray bytes = QByteArray::fromStdString(path.native());
    QString words = QFile::decodeName(bytes);
    if (QFile::encodeName(words) == bytes) {
        return words;
    }
    words.clear();
    for (qsizetype i = 0; i < bytes.size();) {
        qsizetype length = 1;
        QString character = QFile::decodeName(bytes.mid(i, length));
        while (length < kLongestUtf8 && QFile::encodeName(character) != bytes.mid(i, length)) {
            ++length;
            character = QFile::decodeName(bytes.mid(i, length));
        }
        if (QFile::encodeName(character) == bytes.mid(i, length)) {
            words += character;
            i += length;
        } else {
            words += QChar(kLoneByte + static_cast<unsigned char>(bytes[i]));
            ++i;
        }
    }
    return words;
}

std::filesystem::path pathFrom(const QString& text)
{
    QByteArray bytes;
    qsizetype begin = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const char16_t unit = text[i].unicode();
        const bool is_half = i > 0 && text[i - 1].isHighSurrogate();
        if (unit >= kLoneByte + 0x80 && unit <= kLoneByte + 0xFF && !is_half) {
            bytes += QFile::encodeName(text.mid(begin, i - begin));
            bytes += static_cast<char>(unit - kLoneByte);
            begin = i + 1;
        }
    }
    bytes += QFile::encodeName(text.mid(begin));
    return std::filesystem::path(bytes.toStdString());
}

QString bytesText(Bytes bytes)
{
    return text(formatBytes(bytes));
}

QString knownText(const std::optional<Bytes>& bytes)
{
    return text(formatKnown(bytes));
}

QString columnText(Bytes bytes, Bytes largest)
{
    return text(tidemark::OneUnit(largest).cell(bytes));
}

QString columnText(Bytes least, Bytes most, Bytes largest)
{
    return least == most ? columnText(least, largest) : intervalText(least, most);
}

QString intervalText(Bytes best, Bytes least, Bytes most)
{
    return text(formatInterval(best, least, most));
}

QString intervalText(Bytes least, Bytes most)
{
    return text(formatInterval(least, most));
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
