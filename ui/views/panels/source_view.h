// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/frames_model.h"
#include "ui/models/source_places.h"

#include <QtWidgets/QWidget>

#include <optional>

class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace tidemark::ui {

/// The lines around a frame where the recording carries its file or it is found on this machine,
/// else the frame and why there are none.
class SourceView : public QWidget {
    Q_OBJECT
public:
    /// `places` outlives it.
    explicit SourceView(SourcePlaces& places, QWidget* parent = nullptr);
    /// Nullopt: nothing.
    void setPlace(std::optional<FramePlace> place);
    /// A person found the shown frame's file here: it and others of its folder are found from now
    /// on. False: it has another name.
    bool locate(const QString& path);
    /// Asks which program opens files, and opens this one with it.
    void askForCommand();

Q_SIGNALS:
    void failed(const QString& sentence);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void showLines(const SourceLines& source);
    void chooseFile();
    void open(SourcePlaces::Editor editor);
    void fillMenu();

    SourcePlaces& m_places;
    std::optional<FramePlace> m_place;
    QString m_path; ///< Of the file here; empty: there is none.
    QLabel* m_words;
    QToolButton* m_open;
    QToolButton* m_find;
    QPlainTextEdit* m_code;
};

} // namespace tidemark::ui
