// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "ui/models/headed.h"
#include "ui/models/stack_texts.h"

#include <cstddef>
#include <optional>

namespace tidemark::ui {

/// The trace of one device as it was recorded, an event a row. Texts are made for the rows that are
/// looked at, so the length of the trace costs nothing.
class EventsModel : public TableModel {
    Q_OBJECT
public:
    enum Column : int {
        Number,
        Time,
        Action,
        Size,
        Active, ///< Requested bytes that live after it.
        Reserved,
        Address,
        Stream,
        Bucket,
        Line,
        ColumnCount
    };
    using TableModel::TableModel;

    /// Requires snapshot, replay and labels.
    void setDevice(const diagnose::Analysis& analysis, std::size_t device);
    void setLabels(const diagnose::Analysis& analysis);
    void clear();
    /// That an event begins or ends; none for events of segments and others.
    [[nodiscard]] AllocationId allocationOf(int row) const;
    /// Of the line that a row names; none without one.
    [[nodiscard]] FrameId shownFrame(int row) const;
    [[nodiscard]] bool hasTimes() const;
    [[nodiscard]] bool hasStreams() const; ///< More than the default stream.
    /// The next row in a direction (1 or −1) whose action, bucket or line holds some words, or
    /// whose address they are ("0x7f…"); nullopt: none. O(rows + stacks).
    [[nodiscard]] std::optional<int> find(const QString& words, int from, int step) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] QString titleTip(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Action || column == Bucket || column == Line;
    }

    [[nodiscard]] const trace::Events& events() const;
    [[nodiscard]] QString display(std::size_t event, int column) const;
    [[nodiscard]] QString actionText(std::size_t event) const;
    /// What the program attached to it; empty for nothing.
    [[nodiscard]] QString attached(std::size_t event) const;

    std::optional<diagnose::Analysis> m_analysis;
    std::size_t m_device = 0;
    StackTexts m_texts;
    bool m_has_streams = false;
    Bytes m_largest; ///< Of an event: its unit is that of the column.
};

} // namespace tidemark::ui
