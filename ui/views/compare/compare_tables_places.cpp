// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The tab of the differences, place by place.
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/pieces.h"

#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kWherePlaceIs = 1; ///< The column that takes what is left.
constexpr int kOperationColumn = 2;
constexpr int kWhyColumn = 7;
constexpr int kNarrowTables = 190; ///< Average letters.
constexpr int kSwatchWidth = 30;
constexpr int kPlaceLetters = 38; ///< "record_runs.py:117 <lambda>  × 4 blocks"

QString chipTitle(PlaceFilter filter, const QString& base, const QString& against)
{
    switch (filter) {
    case PlaceFilter::differing:
        return CompareTables::tr("all differences");
    case PlaceFilter::only_base:
        return CompareTables::tr("only in %1").arg(base);
    case PlaceFilter::only_against:
        return CompareTables::tr("only in %1").arg(against);
    case PlaceFilter::grew:
        return CompareTables::tr("grew");
    case PlaceFilter::shrank:
        return CompareTables::tr("shrank");
    case PlaceFilter::moved_phase:
        return CompareTables::tr("moved phase");
    case PlaceFilter::relabelled:
        return CompareTables::tr("relabeled");
    case PlaceFilter::equal:
        return CompareTables::tr("equal");
    }
    return {};
}

} // namespace

QWidget* CompareTables::makeDifferences()
{
    auto* page = new QWidget(m_pages);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* row = new QWidget(page);
    new FlowLayout(row, 6);
    for (int i = 0; i <= static_cast<int>(PlaceFilter::equal); ++i) {
        const auto filter = static_cast<PlaceFilter>(i);
        QToolButton* const chip = makeChip(row, chipTitle(filter, {}, {}));
        chip->setObjectName(QStringLiteral("placeFilter%1").arg(i));
        chip->setCheckable(true);
        chip->setChecked(filter == m_filter);
        m_filters->addButton(chip, i);
        row->layout()->addWidget(chip);
    }
    column->addWidget(row);
    m_nothing = makeSecondaryText(page, QStringLiteral("noPlaces"));
    m_nothing->hide();
    column->addWidget(m_nothing);
    m_places_table = addTable(page, QStringLiteral("comparePlaces"), differences, m_places);
    column->setStretchFactor(m_places_table, 1);
    connect(m_filters, &QButtonGroup::idClicked, this,
            [this](int id) { setFilter(static_cast<PlaceFilter>(id)); });
    connect(m_places_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (m_is_filling) {
                    return;
                }
                if (!current.isValid()) {
                    Q_EMIT placeLetGo();
                    return;
                }
                const TextRow& chosen =
                    m_places.table().rows[static_cast<std::size_t>(current.row())];
                if (chosen.source != TextRow::kNone) {
                    Q_EMIT placeChosen(chosen.source);
                } else {
                    Q_EMIT placeLetGo();
                }
            });
    return page;
}

void CompareTables::setFilter(PlaceFilter filter)
{
    m_filter = filter;
    m_filters->button(static_cast<int>(filter))->setChecked(true);
    if (m_runs) {
        refreshDifferences();
    }
}

/// What would list nothing is not there to be chosen.
void CompareTables::countChips()
{
    for (QAbstractButton* chip : m_filters->buttons()) {
        const auto filter = static_cast<PlaceFilter>(m_filters->id(chip));
        const auto count = countPlaces(*m_runs, filter);
        chip->setText(chipTitle(filter, m_runs->base.letter, m_runs->against.letter)
                      % QStringLiteral("  ") % countText(count));
        chip->setVisible(count > 0 || filter == PlaceFilter::differing);
    }
    if (m_filters->checkedButton()->isHidden()) {
        setFilter(PlaceFilter::differing);
    }
}

void CompareTables::refreshDifferences()
{
    m_is_filling = true;
    m_places.setTable(placesTable(*m_runs, m_filter, m_pins));
    m_places_table->clearSelection();
    m_places_table->setCurrentIndex({});
    m_places_table->scrollToTop();
    m_is_filling = false;
    Q_EMIT placeLetGo();
    fitDifferences();
    m_nothing->setVisible(m_places.rowCount() == 0);
    m_nothing->setText(tr("Nothing of this kind here."));
}

/// The place is what a row is about: where there is little room the swatch stands for the bucket.
void CompareTables::fitDifferences()
{
    if (m_places.rowCount() == 0) {
        return;
    }
    const bool is_narrow = width() < fontMetrics().averageCharWidth() * kNarrowTables;
    m_places.setColumnTitle(0, is_narrow ? QString() : tr("bucket"));
    fitColumns(*m_places_table, kWherePlaceIs, {kOperationColumn, kWhyColumn}, {kPlaceLetters, {}});
    if (is_narrow) {
        m_places_table->setColumnWidth(0, kSwatchWidth);
    }
}

void CompareTables::togglePin()
{
    const int row = m_places_table->currentIndex().row();
    if (m_runs == nullptr || row < 0) {
        return;
    }
    const std::size_t place = m_places.table().rows[static_cast<std::size_t>(row)].source;
    if (place == TextRow::kNone) {
        return;
    }
    const QString pin = pinOf(*m_runs, place);
    if (m_pins.removeAll(pin) == 0) {
        m_pins << pin;
    }
    refreshDifferences();
    selectRow(*m_places_table, m_places, place);
}

void CompareTables::stepPlace(int rows)
{
    const std::vector<TextRow>& all = m_places.table().rows;
    const auto count = static_cast<int>(std::ranges::count_if(
        all, [](const TextRow& row) { return row.source != TextRow::kNone; }));
    if (count == 0) {
        return;
    }
    showTab(differences);
    const int now = m_places_table->currentIndex().row();
    const int next = now < 0 ? (rows > 0 ? 0 : count - 1) : (now + rows + count) % count;
    m_places_table->setCurrentIndex(m_places.index(std::min(next, count - 1), 0));
    m_places_table->selectRow(std::min(next, count - 1));
}

} // namespace tidemark::ui
