// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/view_link.h"

#include "ui/models/view_state.h"

#include <QtCore/QDir>
#include <QtCore/QUrl>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidemark::ui {
namespace {

const QString kBegin = QStringLiteral("tidemark:view?");
constexpr qsizetype kLongest = 16'384; ///< Of a link.
constexpr qsizetype kLongestText = 2'000; ///< Of a text in it; a path may be as long as paths are.
constexpr qsizetype kLongestPath = 4'096;

bool isPlain(const QString& text)
{
    return std::ranges::none_of(text, [](QChar c) {
        return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format
            || c.category() == QChar::Other_Surrogate || c.category() == QChar::Separator_Line
            || c.category() == QChar::Separator_Paragraph;
    });
}

std::optional<std::uint32_t> countFrom(const QString& text)
{
    bool is_number = false;
    const std::uint32_t number = text.toUInt(&is_number);
    return is_number && number < std::numeric_limits<std::uint32_t>::max() ? std::optional(number)
                                                                           : std::nullopt;
}

std::optional<double> coordinateFrom(const QString& text)
{
    bool is_number = false;
    const double number = text.toDouble(&is_number);
    return is_number && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// One key of a link; false where its value is none.
bool read(const QString& key, const QString& value, ViewLink& link)
{
    constexpr std::pair<const char*, QString ViewLink::*> kTexts[]{
        {"filter", &ViewLink::filter},
        {"whatif", &ViewLink::what_if},
        {"capacity", &ViewLink::capacity},
        {"note", &ViewLink::note},
    };
    for (const auto& [name, text] : kTexts) {
        if (key == QLatin1String(name)) {
            link.*text = value;
            return value.size() <= kLongestText;
        }
    }
    if (key == QStringLiteral("file")) {
        link.file = value;
        return QDir::isAbsolutePath(value) && value.size() <= kLongestPath;
    }
    if (key == QStringLiteral("axis")) {
        link.is_time = value == QStringLiteral("time");
        return link.is_time || value == QStringLiteral("event");
    }
    if (key == QStringLiteral("from") || key == QStringLiteral("to")) {
        const std::optional<double> at = coordinateFrom(value);
        if (at) {
            constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
            link.range = link.range.value_or(Interval<double>{kNone, kNone});
            (key == QStringLiteral("from") ? link.range->begin : link.range->end) = *at;
        }
        return at.has_value();
    }
    const std::optional<std::uint32_t> count = countFrom(value);
    if (!count) {
        return false;
    }
    if (key == QStringLiteral("device")) {
        link.device = *count;
    } else if (key == QStringLiteral("cursor")) {
        link.cursor = StateId{*count};
    } else if (key == QStringLiteral("first") || key == QStringLiteral("last")) {
        const StateId state{*count};
        link.selection = link.selection.value_or(Interval<StateId>{state, state});
        (key == QStringLiteral("first") ? link.selection->begin : link.selection->end) = state;
    } else if (key == QStringLiteral("allocation")) {
        link.allocation = AllocationId(*count);
    } else {
        return false;
    }
    return true;
}

} // namespace

ViewLink viewOf(const ViewState& state, const QString& file)
{
    ViewLink link;
    link.file = file;
    link.device = static_cast<std::uint32_t>(state.device());
    link.is_time = state.axis() == projection::Axis::time;
    const bool is_whole =
        state.range().begin <= state.extent().begin && state.range().end >= state.extent().end;
    if (!is_whole && state.axis() != projection::Axis::shared) {
        link.range = state.range();
    }
    link.cursor = state.cursor();
    link.selection = state.selectedRange();
    if (!state.selected().isNone()) {
        link.allocation = state.selected();
    }
    return link;
}

void showView(const ViewLink& link, ViewState& state)
{
    const StateId last = state.replay().lastState();
    state.setAxis(link.is_time ? projection::Axis::time : projection::Axis::event);
    const bool has_axis = (state.axis() == projection::Axis::time) == link.is_time;
    if (link.range && has_axis) {
        state.setRange(*link.range);
    }
    if (link.cursor) {
        state.setCursor(std::min(*link.cursor, last));
    }
    if (link.selection) {
        state.selectRange(Interval<StateId>{std::min(link.selection->begin, last),
                                            std::min(link.selection->end, last)});
    }
    if (link.allocation && link.allocation->index() < state.replay().allocations.count()) {
        state.select(*link.allocation);
    }
}

QString linkText(const ViewLink& link)
{
    QStringList parts;
    const auto add = [&](const char* key, const QString& value) {
        if (!value.isEmpty()) {
            parts << QLatin1String(key) % u'='
                    % QString::fromLatin1(QUrl::toPercentEncoding(value, "/:"));
        }
    };
    const auto exact = [](double number) { return QString::number(number, 'g', 17); };
    add("file", link.file);
    add("device", QString::number(link.device));
    if (link.is_time) {
        add("axis", QStringLiteral("time"));
    }
    if (link.range) {
        add("from", exact(link.range->begin));
        add("to", exact(link.range->end));
    }
    if (link.cursor) {
        add("cursor", QString::number(link.cursor->index()));
    }
    if (link.selection) {
        add("first", QString::number(link.selection->begin.index()));
        add("last", QString::number(link.selection->end.index()));
    }
    if (link.allocation) {
        add("allocation", QString::number(link.allocation->index()));
    }
    add("filter", link.filter);
    add("whatif", link.what_if);
    add("capacity", link.capacity);
    add("note", link.note);
    return kBegin % parts.join(u'&');
}

bool isLink(const QString& text)
{
    return text.trimmed().startsWith(QStringLiteral("tidemark:"), Qt::CaseInsensitive);
}

std::optional<ViewLink> linkFromText(const QString& text)
{
    const QString words = text.trimmed();
    if (!words.startsWith(kBegin, Qt::CaseInsensitive) || words.size() > kLongest) {
        return std::nullopt;
    }
    ViewLink link;
    for (const QString& part : words.mid(kBegin.size()).split(u'&', Qt::SkipEmptyParts)) {
        const QString value =
            QString::fromUtf8(QByteArray::fromPercentEncoding(part.section(u'=', 1).toUtf8()));
        if (!isPlain(value) || !read(part.section(u'=', 0, 0), value, link)) {
            return std::nullopt;
        }
    }
    const bool has_range =
        !link.range || link.range->begin < link.range->end; // NaN: one is missing.
    return link.file.isEmpty() || !has_range ? std::nullopt : std::optional(link);
}

} // namespace tidemark::ui
