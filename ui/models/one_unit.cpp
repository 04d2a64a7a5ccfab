// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/one_unit.h"

#include "ui/models/numbers.h"
#include "ui/models/text.h"

#include <QtCore/QCoreApplication>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tidemark::ui {
namespace {

/// The context of these texts for translators.
struct OneUnitTexts {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::OneUnit)
};

const QString kMinus = QStringLiteral("−");
const QString kPlus = QStringLiteral("+");

/// Three significant digits, without zeros at the end.
QString ratioText(double ratio)
{
    const double unit = std::pow(10.0, std::floor(std::log10(ratio)) - 2);
    return numberText(ratio >= 100 ? std::round(ratio) : std::round(ratio / unit) * unit);
}

} // namespace

OneUnit::OneUnit(Bytes largest)
{
    static constexpr std::array<std::pair<const char*, std::int64_t>, 3> kUnits{
        {{"GiB", 1LL << 30}, {"MiB", 1LL << 20}, {"KiB", 1LL << 10}}};
    for (const auto& [name, bytes] : kUnits) {
        if (std::abs(largest.value) >= bytes) {
            m_name = QString::fromLatin1(name);
            m_bytes = bytes;
            return;
        }
    }
}

QString OneUnit::text(Bytes bytes) const
{
    const double units = static_cast<double>(bytes.value) / static_cast<double>(m_bytes);
    if (bytes.value == 0) {
        return QStringLiteral("0");
    }
    if (m_bytes == 1 || std::abs(units) < 0.005) {
        return bytesText(bytes);
    }
    return numberText(units, 2) % u' ' % m_name;
}

QString OneUnit::difference(Bytes bytes) const
{
    const QString size = text({std::abs(bytes.value)});
    return bytes.value == 0 ? size : (bytes.value < 0 ? kMinus : kPlus) % size;
}

QString OneUnit::number(Bytes bytes) const
{
    const double units = static_cast<double>(bytes.value) / static_cast<double>(m_bytes);
    if (bytes.value == 0) {
        return QStringLiteral("0");
    }
    if (m_bytes == 1) {
        return countText(bytes.value);
    }
    constexpr double kFewDecimals = 100; ///< From here on one is enough beside three digits.
    return std::abs(units) < 0.005 ? QString(QStringLiteral("< ") % numberText(0.01, 2))
                                   : numberText(units, std::abs(units) < kFewDecimals ? 2 : 1);
}

QString OneUnit::signedNumber(Bytes bytes) const
{
    const QString size = number({std::abs(bytes.value)});
    if (size.startsWith(u'<')) {
        return bytes.value < 0 ? QString(QStringLiteral("> ") % kMinus % size.mid(2)) : size;
    }
    return bytes.value == 0 ? size : (bytes.value < 0 ? kMinus : kPlus) % size;
}

QString signedColumnText(Bytes bytes, Bytes largest)
{
    const QString size = columnText({std::abs(bytes.value)}, largest);
    const bool is_zero = size == columnText({}, largest);
    return is_zero ? size : (bytes.value < 0 ? kMinus : kPlus) % size;
}

QString signedBytesText(Bytes bytes)
{
    return bytes.value == 0
        ? QStringLiteral("0")
        : QString((bytes.value < 0 ? kMinus : kPlus) % bytesText({std::abs(bytes.value)}));
}

QString factorText(double factor)
{
    const double inverse = 1 / factor;
    return factor < 1 && std::abs(inverse - std::round(inverse)) < 1e-6 * inverse
        ? QString(QStringLiteral("× 1/") % numberText(std::round(inverse), 0))
        : QString(QStringLiteral("× ") % ratioText(factor));
}

QString changeText(Bytes from, Bytes to)
{
    constexpr double kFactorFrom = 11; ///< + 1,000 %.
    if (from == to) {
        return OneUnitTexts::tr("equal");
    }
    if (from.value == 0 || to.value == 0) {
        return from.value == 0 ? OneUnitTexts::tr("new") : OneUnitTexts::tr("gone");
    }
    const double ratio = static_cast<double>(to.value) / static_cast<double>(from.value);
    if (ratio >= kFactorFrom) {
        return factorText(ratio);
    }
    if (ratio <= 1 / kFactorFrom) {
        return QStringLiteral("× 1/") % ratioText(1 / ratio);
    }
    const double percent = std::abs(ratio - 1) * 100;
    if (percent < 0.1) {
        return OneUnitTexts::tr("under %1 %").arg(numberText(0.1, 1));
    }
    return (ratio < 1 ? kMinus : kPlus) % numberText(percent, percent < 9.95 ? 1 : 0)
        % QStringLiteral(" %");
}

} // namespace tidemark::ui
