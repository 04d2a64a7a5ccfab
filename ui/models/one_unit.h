// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <QtCore/QString>

#include <cstdint>

namespace tidemark::ui {

/// All bytes of a view in the unit that suits its largest ones, so that they can be compared by
/// eye. What would round to nothing keeps a unit of its own.
class OneUnit {
public:
    OneUnit() = default;
    explicit OneUnit(Bytes largest);
    [[nodiscard]] QString text(Bytes bytes) const; ///< "0.27 GiB"; "0".
    [[nodiscard]] QString difference(Bytes bytes) const; ///< "+0.27 GiB", "−0.27 GiB"; "0".
    /// Under a heading with the unit's name: "0.27", "< 0.01", "0".
    [[nodiscard]] QString number(Bytes bytes) const;
    [[nodiscard]] QString signedNumber(Bytes bytes) const;
    [[nodiscard]] const QString& name() const
    {
        return m_name;
    }

private:
    std::int64_t m_bytes = 1;
    QString m_name = QStringLiteral("B");
};

/// As `columnText`: "+1.20 GiB", "−0.03 GiB", "0.00 GiB".
[[nodiscard]] QString signedColumnText(Bytes bytes, Bytes largest);
/// "+1.20 GiB", "−280.79 MiB", each in its own unit; "0".
[[nodiscard]] QString signedBytesText(Bytes bytes);

/// What became of an amount: "new", "gone", "equal", "+37 %", "−4.2 %", and from ten times on a
/// factor: "× 64", "× 1/16". Neither is negative.
[[nodiscard]] QString changeText(Bytes from, Bytes to);
/// "× 8", "× 1/8", "× 1.33".
[[nodiscard]] QString factorText(double factor);

} // namespace tidemark::ui
