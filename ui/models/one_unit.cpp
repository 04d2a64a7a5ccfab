// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/one_unit.h"

#include "ui/models/text.h"

#include <QtCore/QCoreApplication>

namespace tidemark::ui {
namespace {

/// The context of these texts for translators.
struct OneUnitTexts {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::OneUnit)
};

} // namespace

OneUnit::OneUnit(Bytes largest)
    : m_unit(largest)
{
}

OneUnit::OneUnit(std::initializer_list<Bytes> compared)
    : m_unit(compared)
{
}

OneUnit::OneUnit(const tidemark::OneUnit& unit)
    : m_unit(unit)
{
}

QString OneUnit::text(Bytes bytes) const
{
    return ui::text(m_unit(bytes));
}

QString OneUnit::bare(Bytes bytes) const
{
    return ui::text(m_unit.bare(bytes));
}

QString OneUnit::difference(Bytes bytes) const
{
    return ui::text(m_unit.difference(bytes));
}

QString OneUnit::number(Bytes bytes) const
{
    return ui::text(m_unit.number(bytes));
}

QString OneUnit::signedNumber(Bytes bytes) const
{
    return ui::text(m_unit.signedNumber(bytes));
}

QString OneUnit::cell(Bytes bytes) const
{
    return ui::text(m_unit.cell(bytes));
}

QString OneUnit::signedCell(Bytes bytes) const
{
    return ui::text(m_unit.signedCell(bytes));
}

QString OneUnit::name() const
{
    return ui::text(m_unit.name());
}

QString signedColumnText(Bytes bytes, Bytes largest)
{
    return text(tidemark::OneUnit(largest).signedCell(bytes));
}

QString signedBytesText(Bytes bytes)
{
    return text(formatDifference(bytes));
}

QString factorText(double factor)
{
    return text(formatRatio(factor));
}

QString changeText(Bytes from, Bytes to)
{
    if (from == to) {
        return OneUnitTexts::tr("equal");
    }
    if (from.value == 0 || to.value == 0) {
        return from.value == 0 ? OneUnitTexts::tr("new") : OneUnitTexts::tr("gone");
    }
    return factorText(static_cast<double>(to.value) / static_cast<double>(from.value));
}

} // namespace tidemark::ui
