// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>
#include <QtWidgets/QDialog>

#include <vector>

class QTabWidget;

namespace tidemark::ui {

/// Pages to read beside the window. It keeps what it was given; it knows nothing of the window.
class HelpDialog : public QDialog {
    Q_OBJECT
public:
    explicit HelpDialog(QWidget* parent = nullptr);

    struct Page {
        QString name; ///< For `showPage`.
        QString title;
        QString markdown; ///< As `report::toMarkdown` made it.
    };
    void setPages(const std::vector<Page>& pages);
    /// False for a name that does not exist.
    bool showPage(const QString& name);

private:
    QTabWidget* m_tabs;
};

} // namespace tidemark::ui
