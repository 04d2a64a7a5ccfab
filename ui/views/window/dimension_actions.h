// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/corrector.h"
#include "ui/models/view_state.h"

#include <QtCore/QObject>

#include <optional>

namespace tidemark::ui {

class DimensionLine;

/// What a person can do about dimensions in the window: say one, take it back, change what was said
/// before.
class DimensionActions : public QObject {
    Q_OBJECT
public:
    /// All outlive it; dialogs open over the window.
    DimensionActions(ViewState& state, Corrector& corrector, DimensionLine& line, QWidget& window);

    /// The file whose corrections are meant from now on.
    void setCurrent(FileId id)
    {
        m_current = id;
    }
    /// Asks about one of the file's corrections, which is about a dimension.
    void edit(std::size_t index);

private:
    void ask(program::DimensionName name);
    void say(const program::SaidDimension& dimension, const QString& note);
    void reset(std::optional<program::DimensionName> name);
    /// CUDA index of the device that is shown.
    [[nodiscard]] std::int32_t device() const;

    ViewState& m_state;
    Corrector& m_corrector;
    QWidget& m_window;
    FileId m_current = 0;
};

} // namespace tidemark::ui
