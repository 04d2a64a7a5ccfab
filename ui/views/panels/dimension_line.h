// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program.h"

#include <QtCore/QString>
#include <QtWidgets/QLabel>
#include <QtWidgets/QWidget>

#include <vector>

class QMenu;
class QToolButton;

namespace tidemark::ui {

class FlowLayout;

/// Some words of the line, with the evidence as tool tip. A double click or Return asks for another
/// value, the menu has what else there is to do.
class DimensionChip : public QLabel {
    Q_OBJECT
public:
    explicit DimensionChip(QWidget* parent);

Q_SIGNALS:
    void valueRequested();
    void menuRequested(const QPoint& place);

protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
};

/// What the program was, in one line: "4 × 1,024 tokens · hidden 1,024 · 16 heads · 24 layers", or
/// why it is not known. What a person wants of a dimension is asked for by signals.
class DimensionLine : public QWidget {
    Q_OBJECT
public:
    explicit DimensionLine(QWidget* parent);
    /// `said`: what corrections say of it. Null: nothing is known yet.
    void setProgram(const program::Program* program,
                    const std::vector<program::SaidDimension>& said);

Q_SIGNALS:
    /// A value is to be asked for.
    void valueRequested(tidemark::program::DimensionName name);
    void valueChosen(tidemark::program::DimensionName name, qint64 value);
    /// What corrections say of a dimension is to be taken back.
    void resetRequested(tidemark::program::DimensionName name);
    void resetAllRequested();

private:
    void addChip(const QString& words, const std::vector<program::DimensionName>& names);
    void fillMenu(QMenu& menu, const std::vector<program::DimensionName>& names);
    void showMenu(const QPoint& place, const std::vector<program::DimensionName>& names);
    [[nodiscard]] bool isUserSet(program::DimensionName name) const;

    program::Program m_program; ///< Its dimensions and sentence; nothing else.
    std::vector<program::SaidDimension> m_said;
    QWidget* m_words; ///< The chips, in a row that wraps.
    FlowLayout* m_flow;
    QLabel* m_why;
    QToolButton* m_correct;
    QToolButton* m_reset;
};

} // namespace tidemark::ui
