// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QEvent>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>

#include <algorithm>

namespace tidemark::ui {

/// Fields of a dialog or a panel: as high as they want to be where there is room, else they scroll,
/// and what stands below them stays in sight. Never sideways.
class FieldsArea : public QScrollArea {
public:
    FieldsArea(QLayout* fields, QWidget* parent)
        : FieldsArea(new QWidget, parent)
    {
        widget()->setLayout(fields);
    }
    FieldsArea(QWidget* content, QWidget* parent)
        : QScrollArea(parent)
    {
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
