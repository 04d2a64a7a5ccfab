// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/one_unit.h"
#include "ui/models/stack_texts.h"
#include "ui/models/view_state.h"

#include <QtCore/QAbstractListModel>

#include <map>
#include <utility>
#include <vector>

namespace tidemark::ui {

/// What is live in a state, by the place that allocated it: "softmax scenes.py:24 · 6 × 384 MiB";
/// the largest places of the largest allocations first. Where nothing says the place, those of one
/// size are together.
class LargestPlaces : public QAbstractListModel {
    Q_OBJECT
public:
    struct Place {
        AllocationId largest;
        std::int64_t bytes = 0; ///< Of all.
        std::int64_t most = 0; ///< Of the largest one.
        std::int64_t least = 0;
        std::int64_t count = 0;
    };

    using QAbstractListModel::QAbstractListModel;

    /// The view state's device, with its labels and bands; empty without one. `state` outlives it.
    void setDevice(const ViewState& state);
    /// Requires a device, unless that is empty. O(live) and, once per stack, its frames.
    void moveTo(StateId state);
    [[nodiscard]] const std::vector<Place>& places() const
    {
        return m_places;
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    /// Line and operation, as a number.
    [[nodiscard]] int placeOf(StackId stack);
    /// All of them, in no order.
    [[nodiscard]] std::vector<Place> placesAt(StateId state);
    [[nodiscard]] QString operationOf(const Place& place) const;
    [[nodiscard]] QString sizesOf(const Place& place) const;

    const ViewState* m_state = nullptr;
    StackTexts m_texts;
    std::vector<int> m_place_of; ///< Per stack, those that were asked for.
    std::map<std::pair<QString, QString>, int> m_numbers;
    std::vector<Place> m_places;
    OneUnit m_unit; ///< That of all that is live, unless it leaves too few digits.
};

} // namespace tidemark::ui
