// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/report/page_flow.h"

#include <QtCore/QByteArray>
#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <vector>

namespace tidemark::test {

// Looks at PDF files with the programs of poppler-utils, independently of what wrote them.

/// Whether pdftotext, pdftoppm, pdfimages, pdffonts and pdfinfo are installed.
[[nodiscard]] bool hasPdfTools();

/// Output of one of these programs; an empty array if it failed.
[[nodiscard]] QByteArray runTool(const QString& program, const QStringList& arguments);

/// The text of the pages as a person reads it, runs of white space as one space.
[[nodiscard]] QString textOf(const QString& pdf);

struct Word {
    QString text;
    int page = 0;
    QRectF box; ///< In points.
};
/// Every word with its place.
[[nodiscard]] std::vector<Word> wordsOf(const QString& pdf);

/// Words that reach over the margins of their page.
[[nodiscard]] QStringList wordsOutside(const QString& pdf, double margin);
/// Pairs of words of which one covers a good part of the other.
[[nodiscard]] QStringList overlappingWords(const QString& pdf);
/// Share of pixels that are not white, per page.
[[nodiscard]] std::vector<double> inkPerPage(const QString& pdf);

/// Writes laid out pages as they are, without header and footer.
[[nodiscard]] bool writePages(const ui::report::PageFlow& flow, const QString& pdf);

} // namespace tidemark::test

/// First statement of a test that needs poppler-utils.
#define TIDEMARK_NEED_PDF_TOOLS()                                                                  \
    QVERIFY2(::tidemark::test::hasPdfTools(),                                                      \
             "pdftotext and its kin are missing; install poppler-utils")
