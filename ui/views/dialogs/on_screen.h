// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QEvent>
#include <QtGui/QScreen>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>

#include <algorithm>

namespace tidemark::ui {

/// Gives a dialog a size, of which no more than finds room on its screen, a frame around it.
inline void resizeOnScreen(QWidget& dialog, QSize wanted)
{
    constexpr QSize kFrame(16, 48);
    dialog.resize(wanted.boundedTo(dialog.screen()->availableGeometry().size() - kFrame));
}

/// The fields of a dialog: as high as they want to be where there is room, else they scroll, and
/// what stands below them stays in sight. Never sideways.
class FieldsArea : public QScrollArea {
public:
    explicit FieldsArea(QLayout* fields, QWidget* parent)
        : QScrollArea(parent)
    {
        auto* content = new QWidget(this);
        content->setLayout(fields);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setWidgetResizable(true);
        setFocusPolicy(Qt::NoFocus);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
        setWidget(content);
        viewport()->setAutoFillBackground(false);
        content->setAutoFillBackground(false);
    }
    [[nodiscard]] QSize sizeHint() const override
    {
        return widget()->sizeHint() + QSize(barWidth(), 0);
    }
    [[nodiscard]] QSize minimumSizeHint() const override
    {
        constexpr int kFewestLines = 6;
        const QSize least = widget()->minimumSizeHint();
        return {least.width() + barWidth(),
                std::min(least.height(), fontMetrics().height() * kFewestLines)};
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) {
            updateGeometry();
        }
        return QScrollArea::eventFilter(watched, event);
    }

private:
    [[nodiscard]] int barWidth() const
    {
        return verticalScrollBar()->sizeHint().width();
    }
};

} // namespace tidemark::ui
