// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>
#include <QtWidgets/QLabel>

#include <map>

namespace tidemark::ui {

/// A label of several lines that remembers how high it is at a width. Layouts ask for that dozens
/// of times whenever anything in the window changes, and a label whose text can be selected breaks
/// all of it into lines each time.
class WrappedText : public QLabel {
    Q_OBJECT
public:
    explicit WrappedText(QWidget* parent);
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    bool event(QEvent* event) override;

private:
    mutable QString m_text; ///< What the heights are of.
    mutable std::map<int, int> m_heights; ///< By width.
};

} // namespace tidemark::ui
