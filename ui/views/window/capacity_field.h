// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <QtCore/QString>
#include <QtWidgets/QLineEdit>

#include <optional>

namespace tidemark::ui {

/// How much memory the process could get: the one place of the window to say it. Empty it shows
/// what the file or the message tells; an amount or a card's name (`plan::parseCapacity`, completed
/// while one types) takes its place, and clearing it goes back.
class CapacityField : public QLineEdit {
    Q_OBJECT
public:
    explicit CapacityField(QWidget* parent = nullptr);

    struct Capacity {
        std::optional<Bytes> said; ///< By the person.
        std::optional<Bytes> holds; ///< What the diagnosis counts with.
        Bytes unsure{}; ///< How much more it may be.
        QString source; ///< A sentence: where that comes from, or what is missing.
        friend bool operator==(const Capacity&, const Capacity&) = default;
    };
    void setCapacity(const Capacity& capacity);

Q_SIGNALS:
    /// Nullopt: what the file tells counts again.
    void chosen(std::optional<tidemark::Bytes> capacity);
    /// What was typed is neither an amount nor a card, and the field shows again what counts; a
    /// sentence.
    void refused(const QString& sentence);

protected:
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void accept();
    void showSaid();
    void restore();

    Capacity m_capacity;
};

} // namespace tidemark::ui
