// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/stacks/attached_texts.h"
#include "ui/models/frames_model.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <utility>

class QLabel;
class QTableView;
class QSplitter;
class QToolButton;

namespace tidemark::ui {

class ElidedLabel;
class SourcePlaces;
class SourceView;

/// The selected allocation: what it is, why it is called that, when it lived, its whole stack, and
/// the lines around the chosen frame.
class StackPanel : public QWidget {
    Q_OBJECT
public:
    /// Both outlive it.
    StackPanel(ViewState& state, SourcePlaces& places, QWidget* parent = nullptr);
    /// Shows a stack that belongs to no single allocation, under a title.
    void showStack(const QString& title, StackId stack);

Q_SIGNALS:
    void failed(const QString& sentence);
    void copied(const QString& words); ///< What was put on the clipboard, in a few words.
    void editorRequested(const QString& file, int line);
    /// Of the selected allocation, or of the stack that is shown without one.
    void relabelRequested(quint32 allocation, quint32 stack);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void arrangeButtons();
    void arrangeParts();
    void fillMore();
    void setStack(StackId stack);
    void showSource();
    void showFrames();
    [[nodiscard]] QString attachedText(AllocationId id);
    [[nodiscard]] QString lifetimeText(AllocationId id) const;

    ViewState& m_state;
    ElidedLabel* m_title;
    QLabel* m_detail;
    QToolButton* m_birth;
    QToolButton* m_death;
    QToolButton* m_copy;
    QToolButton* m_relabel;
    QToolButton* m_libraries;
    QToolButton* m_more; ///< A menu in place of the four above where they find no room.
    bool m_has_lifetime = false;
    AllocationId m_allocation; ///< None: the stack stands for itself.
    StackId m_stack;
    label::AttachedTexts m_attached; ///< Of the device of `m_attached_of`.
    std::pair<const trace::Snapshot*, std::size_t> m_attached_of{};
    FramesModel m_frames; // Before the table that shows them.
    QSplitter* m_parts; ///< The frames and the source of one.
    QTableView* m_table;
    SourceView* m_source;
};

} // namespace tidemark::ui
