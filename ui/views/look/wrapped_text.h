// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/look/known_heights.h"

#include <QtCore/QString>
#include <QtWidgets/QLabel>

namespace tidemark::ui {

/// A label of several lines that remembers how high it is at a width: one whose text can be
/// selected breaks all of it into lines each time.
class WrappedText : public QLabel {
    Q_OBJECT
public:
    explicit WrappedText(QWidget* parent);
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    bool event(QEvent* event) override;

private:
    mutable QString m_text; ///< What the heights are of.
    mutable KnownHeights m_heights;
};

} // namespace tidemark::ui
