// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <QtCore/QPointer>
#include <QtCore/QString>
#include <QtWidgets/QFrame>
#include <QtWidgets/QLineEdit>

#include <optional>

namespace tidemark::plan {
struct GivenCapacity;
} // namespace tidemark::plan

namespace tidemark::ui {

/// How much memory the process could get: the one place of the window to say it. Empty it shows
/// what the file or the message tells; an amount or a GPU's name (`plan::parseCapacity`, completed
/// while one types) takes its place, and clearing it goes back. What it cannot take stays, marked,
/// with the value in use below it; a number that may be a GPU or an amount is asked about there.
class CapacityField : public QLineEdit {
    Q_OBJECT
public:
    explicit CapacityField(QWidget* parent = nullptr);
    ~CapacityField() override;

    struct Capacity {
        std::optional<Bytes> said; ///< By the person.
        std::optional<Bytes> holds; ///< What the diagnosis counts with.
        Bytes unsure{}; ///< How much more it may be.
        QString source; ///< A sentence: where that comes from, or what is missing.
        QString words{}; ///< How the person said it.
        friend bool operator==(const Capacity&, const Capacity&) = default;
    };
    void setCapacity(const Capacity& capacity);
    [[nodiscard]] bool isRefused() const
    {
        return !m_answer.isNull();
    }

Q_SIGNALS:
    void chosen(const tidemark::plan::GivenCapacity& capacity);
    void cleared(); ///< What the file tells counts again.

protected:
    void focusOutEvent(QFocusEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

private:
    void accept();
    void showSaid();
    void restore();
    void refuse(const QString& sentence, const QStringList& readings);
    void endRefusal();
    void placeAnswer(); ///< Below the field, wherever the bar lays it out.
    [[nodiscard]] QString inUse() const;

    Capacity m_capacity;
    QString m_said; ///< The words that `m_capacity.said` was given with.
    QPointer<QFrame> m_answer; ///< Over the window, below the field, while it is marked.
};

} // namespace tidemark::ui
