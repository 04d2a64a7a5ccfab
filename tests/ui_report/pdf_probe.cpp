// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/ui_report/pdf_probe.h"

#include <QtCore/QDir>
#include <QtCore/QProcess>
#include <QtCore/QStandardPaths>
#include <QtCore/QTemporaryDir>
#include <QtCore/QXmlStreamReader>
#include <QtGui/QImage>
#include <QtGui/QPageLayout>
#include <QtGui/QPainter>
#include <QtGui/QPdfWriter>

#include <algorithm>

namespace tidemark::test {

bool hasPdfTools()
{
    const QStringList programs{QStringLiteral("pdftotext"), QStringLiteral("pdftoppm"),
                               QStringLiteral("pdfimages"), QStringLiteral("pdffonts"),
                               QStringLiteral("pdfinfo")};
    return std::all_of(programs.begin(), programs.end(), [](const QString& program) {
        return !QStandardPaths::findExecutable(program).isEmpty();
    });
}

QByteArray runTool(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    const bool is_done = process.waitForFinished(60000);
    if (!is_done || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
        qWarning("%s failed: %s", qPrintable(program), process.readAllStandardError().constData());
        return {};
    }
    return process.readAllStandardOutput();
}

QString textOf(const QString& pdf)
{
    const QByteArray text =
        runTool(QStringLiteral("pdftotext"), {QStringLiteral("-layout"), pdf, QStringLiteral("-")});
    return QString::fromUtf8(text).simplified();
}

std::vector<Word> wordsOf(const QString& pdf)
{
    QXmlStreamReader xml(
        runTool(QStringLiteral("pdftotext"), {QStringLiteral("-bbox"), pdf, QStringLiteral("-")}));
    std::vector<Word> words;
    int page = 0;
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement()) {
            continue;
        }
        if (xml.name() == QStringLiteral("page")) {
            ++page;
        } else if (xml.name() == QStringLiteral("word")) {
            const auto number = [&](const char* name) {
                return xml.attributes().value(QLatin1String(name)).toDouble();
            };
            const QPointF from(number("xMin"), number("yMin"));
            const QPointF to(number("xMax"), number("yMax"));
            words.push_back({xml.readElementText(), page, QRectF(from, to)});
        }
    }
    return words;
}

QStringList wordsOutside(const QString& pdf, double margin)
{
    const QString info = QString::fromUtf8(runTool(QStringLiteral("pdfinfo"), {pdf}));
    const QStringList size =
        info.mid(info.indexOf(QStringLiteral("Page size:")) + 10).simplified().split(u' ');
    const QRectF page(0, 0, size.value(0).toDouble(), size.value(2).toDouble());
    const QRectF allowed = page.adjusted(margin, margin, -margin, -margin);
    QStringList outside;
    for (const Word& word : wordsOf(pdf)) {
        if (!allowed.contains(word.box)) {
            outside << QStringLiteral("page %1: %2").arg(word.page).arg(word.text);
        }
    }
    return outside;
}

QStringList overlappingWords(const QString& pdf)
{
    // Boxes have the height of the font's tallest and deepest letters, so neighbouring lines touch.
    constexpr double kMuch = 0.3;
    const std::vector<Word> words = wordsOf(pdf);
    QStringList pairs;
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::size_t j = i + 1; j < words.size() && words[j].page == words[i].page; ++j) {
            const QRectF both = words[i].box & words[j].box;
            const auto area = [](const QRectF& box) { return box.width() * box.height(); };
            if (area(both) > kMuch * std::min(area(words[i].box), area(words[j].box))) {
                pairs << QStringLiteral("page %1: %2 / %3")
                             .arg(words[i].page)
                             .arg(words[i].text, words[j].text);
            }
        }
    }
    return pairs;
}

std::vector<double> inkPerPage(const QString& pdf)
{
    QTemporaryDir folder;
    static_cast<void>(runTool(QStringLiteral("pdftoppm"),
                              {QStringLiteral("-r"), QStringLiteral("40"), pdf,
                               folder.filePath(QStringLiteral("page"))}));
    std::vector<double> shares;
    const QDir dir(folder.path());
    for (const QString& name : dir.entryList({QStringLiteral("*.ppm")}, QDir::Files, QDir::Name)) {
        const QImage image = QImage(dir.filePath(name)).convertToFormat(QImage::Format_Grayscale8);
        std::int64_t marked = 0;
        for (int y = 0; y < image.height(); ++y) {
            const uchar* line = image.constScanLine(y);
            marked +=
                std::count_if(line, line + image.width(), [](uchar grey) { return grey < 250; });
        }
        const double pixels = static_cast<double>(image.width()) * image.height();
        shares.push_back(pixels > 0 ? static_cast<double>(marked) / pixels : 0);
    }
    return shares;
}

bool writePages(const ui::report::PageFlow& flow, const QString& pdf)
{
    QPdfWriter writer(pdf);
    writer.setResolution(static_cast<int>(72 * ui::report::kGridPerPoint));
    writer.setPageLayout(QPageLayout(QPageSize(flow.pageSize(), QPageSize::Point),
                                     QPageLayout::Portrait, QMarginsF()));
    QPainter painter;
    if (!painter.begin(&writer)) {
        return false;
    }
    painter.scale(ui::report::kGridPerPoint, ui::report::kGridPerPoint);
    for (std::size_t page = 0; page < flow.pageCount(); ++page) {
        if (page > 0) {
            writer.newPage();
        }
        flow.paint(page, painter);
    }
    return painter.end();
}

} // namespace tidemark::test
