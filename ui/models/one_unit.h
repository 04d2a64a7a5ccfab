// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"

#include <QtCore/QString>

#include <initializer_list>

namespace tidemark::ui {

/// core's `OneUnit` in Qt's strings.
class OneUnit {
public:
    OneUnit() = default;
    explicit OneUnit(Bytes largest);
    OneUnit(std::initializer_list<Bytes> compared);
    explicit OneUnit(const tidemark::OneUnit& unit);
    [[nodiscard]] QString text(Bytes bytes) const; ///< "0.27 GiB"; "0".
    [[nodiscard]] QString bare(Bytes bytes) const; ///< "0.27" of two that are compared.
    [[nodiscard]] QString difference(Bytes bytes) const; ///< "+0.27 GiB", "−0.27 GiB"; "0".
    /// Under a heading with the unit's name: "0.27", "< 0.01", "0".
    [[nodiscard]] QString number(Bytes bytes) const;
    [[nodiscard]] QString signedNumber(Bytes bytes) const;
    /// Of a column whose heading does not have it: "0.27 GiB", "< 0.01 GiB", "0".
    [[nodiscard]] QString cell(Bytes bytes) const;
    [[nodiscard]] QString signedCell(Bytes bytes) const;
    [[nodiscard]] QString name() const;

private:
    tidemark::OneUnit m_unit;
};

/// As `columnText`: "+1.20 GiB", "−0.03 GiB", "0".
[[nodiscard]] QString signedColumnText(Bytes bytes, Bytes largest);
/// "+1.20 GiB", "−281 MiB", each in its own unit; "0 B".
[[nodiscard]] QString signedBytesText(Bytes bytes);

/// What became of an amount: "new", "gone", "equal", "+37 %", "−4.2 %", "×64". Neither is negative.
[[nodiscard]] QString changeText(Bytes from, Bytes to);
/// "×8", "−50 %".
[[nodiscard]] QString factorText(double factor);

} // namespace tidemark::ui
