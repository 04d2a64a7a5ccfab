// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "ui/report/page_flow.h"

#include <QtCore/QByteArray>
#include <QtCore/QDateTime>
#include <QtCore/QString>

#include <span>

namespace tidemark::ui::report {

/// What a reader of the document shows beside its pages.
struct DocumentFacts {
    QString title;
    QString creator; ///< Program and version.
    QDateTime date;
};

/// Gives a PDF written by Qt its bookmarks, its properties with the given date, and an identifier
/// that follows from its content; numbers its objects in the order of the pages. The same input
/// gives the same bytes. Errors: internal, if the PDF cannot be read.
Result<QByteArray> withOutline(const QByteArray& pdf, std::span<const Bookmark> bookmarks,
                               double page_height, const DocumentFacts& facts);

} // namespace tidemark::ui::report
