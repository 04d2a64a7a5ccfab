// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/search_entries.h"

#include <QtWidgets/QDialog>

#include <functional>
#include <vector>

class QLineEdit;
class QTreeWidget;

namespace tidemark::ui {

/// One line to type into and what it leads to, the best first. Up and Down choose while one types,
/// Return goes there, Escape closes.
class SearchPalette : public QDialog {
    Q_OBJECT
public:
    using Offer = std::function<std::vector<SearchEntry>(const QString& typed)>;

    /// `offer` is asked whenever the line changes; it answers within a frame.
    SearchPalette(Offer offer, const QString& placeholder, QWidget* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void runCurrent();

    Offer m_offer;
    QLineEdit* m_line;
    QTreeWidget* m_list;
    std::vector<SearchEntry> m_entries; ///< Row by row.
};

} // namespace tidemark::ui
