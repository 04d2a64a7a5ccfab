// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The timeline as a file: the plot as it is shown, with what its colours mean above it.
#include "ui/models/band_grouping.h"
#include "ui/models/output_file.h"
#include "ui/models/text.h"
#include "ui/views/timeline/timeline_figure.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtCore/QBuffer>
#include <QtGui/QPdfWriter>
#include <QtSvg/QSvgGenerator>

#include <cmath>

namespace tidemark::ui {
namespace {

constexpr double kPixelsPerUnit = 2; ///< Of a picture, per unit.
constexpr int kUnitsPerInch = 72; ///< Of a page: a unit is a point.
constexpr int kLegendMargin = 8; ///< Around the legend.

} // namespace

int TimelinePlot::legendHeight() const
{
    return !showsBands() ? 0
                         : kLegendMargin
            + static_cast<int>(std::ceil(paintLegend(nullptr, {}, width() - 2 * kLegendMargin,
                                                     m_state.bandCurves(), m_scene.style(),
                                                     m_state.bandGrouping().get())));
}

void TimelinePlot::paintPicture(QCPPainter& painter)
{
    const int above = legendHeight();
    painter.fillRect(QRect(0, 0, width(), height() + above), m_scene.style().colours.card);
    if (above > 0) {
        paintLegend(&painter, QPointF(kLegendMargin, kLegendMargin), width() - 2 * kLegendMargin,
                    m_state.bandCurves(), m_scene.style(), m_state.bandGrouping().get());
    }
    painter.translate(0, above);
    painter.setMode(QCPPainter::pmNoCaching);
    toPainter(&painter, width(), height());
}

QByteArray TimelinePlot::svgPicture()
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QRect page(0, 0, width(), height() + legendHeight());
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(page.size());
    generator.setViewBox(page);
    generator.setTitle(tr("Memory over the trace"));
    QCPPainter painter;
    if (!painter.begin(&generator)) {
        return {};
    }
    painter.setMode(QCPPainter::pmVectorized);
    paintPicture(painter);
    painter.end();
    return bytes;
}

QByteArray TimelinePlot::pdfPicture()
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QSizeF points(width(), height() + legendHeight());
    QPdfWriter writer(&buffer);
    writer.setResolution(kUnitsPerInch);
    writer.setCreator(QStringLiteral("Tidemark"));
    writer.setTitle(tr("Memory over the trace"));
    writer.setPageLayout(
        QPageLayout(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch),
                    QPageLayout::Portrait, QMarginsF()));
    QCPPainter painter;
    if (!painter.begin(&writer)) {
        return {};
    }
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNonCosmetic);
    paintPicture(painter);
    painter.end();
    return bytes;
}

QByteArray TimelinePlot::pngPicture()
{
    QImage image(QSize(width(), height() + legendHeight()) * kPixelsPerUnit, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPixelsPerUnit);
    QCPPainter painter;
    if (image.isNull() || !painter.begin(&image)) {
        return {};
    }
    painter.setRenderHint(QPainter::Antialiasing);
    paintPicture(painter);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    return image.save(&buffer, "PNG") ? bytes : QByteArray();
}

Result<Done> TimelinePlot::exportTo(const QString& path,
                                    std::span<const std::filesystem::path> inputs)
{
    const QString ending = path.section(u'.', -1).toLower();
    const OutputKind kind = ending == QStringLiteral("svg") ? OutputKind::svg
        : ending == QStringLiteral("pdf")                   ? OutputKind::pdf
                                                            : OutputKind::png;
    const QByteArray bytes = kind == OutputKind::svg ? svgPicture()
        : kind == OutputKind::pdf                    ? pdfPicture()
                                                     : pngPicture();
    if (bytes.isEmpty()) {
        return Error{ErrorCode::cannotWrite,
                     utf8(tr("Cannot draw the picture; make the window smaller.")),
                     {}};
    }
    return writeOutput(path, bytes, kind, inputs);
}

} // namespace tidemark::ui
