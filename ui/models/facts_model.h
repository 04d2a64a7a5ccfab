// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "ui/models/headed.h"

#include <QtCore/QAbstractTableModel>
#include <QtCore/QString>

#include <vector>

namespace tidemark::ui {

/// Names and values of what a file says about itself: path, format, devices, allocator settings.
struct Fact {
    QString section;
    QString name;
    QString value;
    QString tool_tip{};
};
/// Requires the snapshot; later parts add to it.
[[nodiscard]] std::vector<Fact> fileFacts(const diagnose::Analysis& analysis);

class FactsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setFacts(std::vector<Fact> facts);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    std::vector<Fact> m_facts;
};

/// What was odd in the input: how often, and what it means.
class NotesModel : public TableModel {
    Q_OBJECT
public:
    using TableModel::TableModel;
    /// Notes of the snapshot, of each device's replay and on the corrections.
    void setAnalysis(const diagnose::Analysis& analysis);
    void clear();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column != 1;
    }

    struct Row {
        QString where;
        QString count;
        QString words;
        QString code;
    };
    std::vector<Row> m_rows;
};

/// One row per device of the file, empty ones too.
class DevicesModel : public TableModel {
    Q_OBJECT
public:
    enum Column : int { Name, Events, Peak, Reserved, Ooms, Allocations, ColumnCount };
    using TableModel::TableModel;
    /// Requires the snapshot and the replay.
    void setAnalysis(const diagnose::Analysis& analysis);
    void clear();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Name;
    }

    diagnose::Analysis m_analysis;
    Bytes m_largest_peak; ///< Of all devices: its unit is that of the column.
    Bytes m_largest_reserved;
};

/// As `report::deviceName`.
[[nodiscard]] QString deviceName(const trace::Device& device);
/// "GPU 0 · peak 10.12 GiB", with a mark where it ran out of memory. Requires the replay.
[[nodiscard]] QString deviceSummary(const diagnose::Analysis& analysis, std::size_t device);
/// Indices of the devices that hold anything.
[[nodiscard]] std::vector<std::size_t> usedDevices(const diagnose::Analysis& analysis);

} // namespace tidemark::ui
