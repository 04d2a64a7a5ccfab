// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/look/known_heights.h"

#include <QtWidgets/QPlainTextEdit>

namespace tidemark::ui {

/// Lines to read and to copy, in a fixed font, wrapped anywhere and as high as they need: nothing
/// scrolls inside. Of long code the first lines are shown until all are asked for.
///
/// The height follows from the width and the text alone. One that is set when the widget gets its
/// size comes too late for what lays it out: a scroll area then goes from a width with a scroll bar
/// to one without and back for ever.
class CodeBlock : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit CodeBlock(QWidget* parent);
    void setCode(const QString& code);
    [[nodiscard]] const QString& code() const ///< All of it.
    {
        return m_code;
    }
    [[nodiscard]] int lineCount() const; ///< Of all of it.
    [[nodiscard]] bool isCut() const;
    void showAll(); ///< Until other code is set.
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    [[nodiscard]] int heightOfLines(int lines) const;
    [[nodiscard]] int linesAt(int width) const;

    void showLines(const QString& lines);

    QString m_code;
    int m_around = 0; ///< Pixels beside the lines, from both sides.
    mutable KnownHeights m_heights;
};

} // namespace tidemark::ui
