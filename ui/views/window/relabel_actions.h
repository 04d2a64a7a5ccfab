// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/corrector.h"
#include "ui/models/view_state.h"
#include "ui/views/dialogs/relabel_dialog.h"

#include <QtCore/QObject>
#include <QtCore/QStringList>

class QMenu;

namespace tidemark::ui {

class AnalysisPage;
class DimensionActions;
class NoticeStrip;

/// What a person can do about labels in the window: undo and redo, the menu of an allocation, the
/// dialog, the list of corrections and rules files.
class RelabelActions : public QObject {
    Q_OBJECT
public:
    /// All outlive it; dialogs open over the window of the page.
    RelabelActions(Session& session, ViewState& state, AnalysisPage& page, NoticeStrip& notices,
                   QObject* parent);

    /// The file whose corrections are meant from now on.
    void setCurrent(FileId id);
    /// Undo and redo of the file that is shown.
    [[nodiscard]] QUndoGroup& undoGroup()
    {
        return m_corrector.undoGroup();
    }
    void chooseRules(); ///< Asks for a file and loads it.
    void choosePath(); ///< Asks for a file and saves there.
    /// Asks about the selected allocation; says so where there is none.
    void relabelSelected();
    /// Adds the rules of a file; a notice says how it went.
    void loadRules(const QString& path);
    void saveRules(const QString& path);
    /// Loads what is named like a rules file into the current file; returns the other paths.
    QStringList withoutRulesFiles(const QStringList& paths);

private:
    void wirePage(AnalysisPage& page);
    void showMenu(const QPoint& place);
    void addBuckets(QMenu& menu, const QString& title, const label::CorrectionMatch& match);
    void ask(RelabelDialog::Subject subject);
    void edit(int row);
    void remove(const QList<int>& rows);
    void move(const QList<int>& rows, int before);
    void tellOfSaved(FileId id);
    /// Whether the list that is shown is the one that is wanted by now.
    [[nodiscard]] bool isListCurrent() const;

    Session& m_session;
    ViewState& m_state;
    QWidget& m_page;
    NoticeStrip& m_notices;
    Corrector m_corrector;
    DimensionActions* m_dimensions;
    FileId m_current = 0;
};

} // namespace tidemark::ui
