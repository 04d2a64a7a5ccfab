// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/frames_model.h"
#include "ui/views/look/key_help.h"

#include <QtCore/QObject>

#include <functional>
#include <optional>

class QModelIndex;
class QTableView;

namespace tidemark::ui {

/// Makes a column of a table lead into the editor: Ctrl+click, or Ctrl+Enter in the row. Other
/// clicks stay the table's.
class CodeLink : public QObject {
    Q_OBJECT
public:
    using PlaceOf = std::function<std::optional<FramePlace>(const QModelIndex&)>;
    /// The table owns it.
    CodeLink(QTableView& table, int column, PlaceOf place_of);
    /// Of every line of code that is shown, in tables and beside sentences.
    [[nodiscard]] static std::vector<KeyHelp> keyHelp();

Q_SIGNALS:
    void opened(const QString& file, int line);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool open(const QModelIndex& index);

    QTableView& m_table;
    int m_column;
    PlaceOf m_place_of;
};

} // namespace tidemark::ui
