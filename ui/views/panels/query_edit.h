// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/look/key_help.h"

#include <QtWidgets/QLineEdit>

#include <vector>

class QCompleter;
class QStandardItemModel;

namespace tidemark::ui {

/// A line for a query of allocations that offers keys, and values where a key has a few, while one
/// types; Down and Ctrl+Space ask for them.
class QueryEdit : public QLineEdit {
    Q_OBJECT
public:
    explicit QueryEdit(QWidget* parent = nullptr);
    [[nodiscard]] static std::vector<KeyHelp> keyHelp();
    [[nodiscard]] QCompleter& completer() const
    {
        return *m_completer;
    }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void offer(bool is_asked_for);
    void take(const QString& candidate);

    QCompleter* m_completer;
    QStandardItemModel* m_candidates;
};

} // namespace tidemark::ui
