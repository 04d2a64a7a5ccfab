// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtWidgets/QWidget>

class QLabel;
class QProgressBar;

namespace tidemark::ui {

/// How much of another machine's file has come, above what is shown of it, with a button that ends
/// it; hidden while none comes.
class ArrivalStrip : public QWidget {
    Q_OBJECT
public:
    explicit ArrivalStrip(QWidget* parent = nullptr);
    /// `share`: of the file, 0 to 1.
    void show(const QString& words, double share);

Q_SIGNALS:
    void stopRequested();

private:
    QLabel* m_words;
    QProgressBar* m_bar;
};

} // namespace tidemark::ui
