// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtWidgets/QWidget>

namespace tidemark::ui {

/// The coloured edge of what belongs to a run, with its letter: beside a lane, before a name.
class RunEdge : public QWidget {
    Q_OBJECT
public:
    explicit RunEdge(QWidget* parent = nullptr);
    /// A colour that is not valid: the one of quiet text, for what belongs to both runs.
    void setRun(const QString& letter, const QColor& colour);
    [[nodiscard]] const QString& letter() const
    {
        return m_letter;
    }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_letter;
    QColor m_colour;
};

} // namespace tidemark::ui
