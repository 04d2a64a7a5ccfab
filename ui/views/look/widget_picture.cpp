// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/widget_picture.h"

#include "ui/models/output_file.h"
#include "ui/views/look/theme.h"

#include <QtCore/QBuffer>
#include <QtGui/QImage>
#include <QtGui/QPageLayout>
#include <QtGui/QPainter>
#include <QtGui/QPdfWriter>
#include <QtSvg/QSvgGenerator>
#include <QtWidgets/QWidget>

namespace tidemark::ui {
namespace {

constexpr int kPicturePixels = 2; ///< Of a picture, per pixel of the screen.
constexpr int kScreenDotsPerInch = 96; ///< Of a page: it is as large as the widget on a screen.

QByteArray png(QWidget& widget)
{
    QImage image(widget.size() * kPicturePixels, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPicturePixels);
    image.fill(currentColours().card);
    widget.render(&image);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    return image.save(&buffer, "PNG") ? bytes : QByteArray();
}

QByteArray svg(QWidget& widget)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(widget.size());
    generator.setViewBox(widget.rect());
    QPainter painter(&generator);
    widget.render(&painter);
    painter.end();
    return bytes;
}

QByteArray pdf(QWidget& widget)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(kScreenDotsPerInch);
    writer.setCreator(QStringLiteral("Tidemark"));
    const QSizeF inches = QSizeF(widget.size()) / kScreenDotsPerInch;
    writer.setPageLayout(
        QPageLayout(QPageSize(inches, QPageSize::Inch), QPageLayout::Portrait, QMarginsF()));
    QPainter painter(&writer);
    widget.render(&painter);
    painter.end();
    return bytes;
}

} // namespace

Result<Done> exportWidget(QWidget& widget, const QString& path,
                          std::span<const std::filesystem::path> inputs)
{
    const QString ending = path.section(u'.', -1).toLower();
    if (ending == QStringLiteral("svg")) {
        return writeOutput(path, svg(widget), OutputKind::svg, inputs);
    }
    return ending == QStringLiteral("pdf")
        ? writeOutput(path, pdf(widget), OutputKind::pdf, inputs)
        : writeOutput(path, png(widget), OutputKind::png, inputs);
}

} // namespace tidemark::ui
