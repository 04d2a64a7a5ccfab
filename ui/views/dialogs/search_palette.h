// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/search_entries.h"

#include <QtCore/QPointer>
#include <QtWidgets/QDialog>

#include <functional>
#include <vector>

class QFrame;
class QLineEdit;
class QTreeWidget;

namespace tidemark::ui {

/// One line to type into and what it leads to, by groups, over the window with a shadow around it.
/// Up and Down choose while one types, Return goes there, Escape and a click beside it close.
class SearchPalette : public QDialog {
    Q_OBJECT
public:
    using Offer = std::function<std::vector<SearchEntry>(const QString& typed)>;

    /// `offer` is asked whenever the line changes; it answers within a frame. It lies over
    /// `window`, and follows its size.
    SearchPalette(Offer offer, const QString& placeholder, QWidget& window);

    bool eventFilter(QObject* watched, QEvent* event) override;
    void done(int result) override;

protected:
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void place();
    void refresh();
    void runCurrent();

    Offer m_offer;
    QFrame* m_card;
    QLineEdit* m_line;
    QTreeWidget* m_list;
    QPointer<QWidget> m_before; ///< Had the focus, and gets it back.
    std::vector<SearchEntry> m_entries;
};

} // namespace tidemark::ui
