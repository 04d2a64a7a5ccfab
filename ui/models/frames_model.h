// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <QtCore/QAbstractTableModel>
#include <QtCore/QString>

#include <memory>
#include <string>
#include <vector>

namespace tidemark::ui {

/// Where a frame lies.
struct FramePlace {
    QString file; ///< As it was recorded.
    QString function;
    int line = 0; ///< 0: not known.
    std::shared_ptr<const std::string> source =
        nullptr; ///< Text of the file; null: not in the recording.
};

[[nodiscard]] FramePlace placeOf(const trace::Snapshot& snapshot, FrameId frame);

/// The frames of one stack for people: the user's own first, then the libraries', each innermost
/// first.
class FramesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : int { Function, File, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void setStack(std::shared_ptr<const trace::Snapshot> snapshot, StackId stack);
    void clear();
    /// Whether those of libraries are listed, too, where the user has any. Of no effect otherwise.
    void setShowsLibraries(bool shows);
    /// How many that leaves out.
    [[nodiscard]] int libraryCount() const;
    [[nodiscard]] FrameId frameAt(int row) const
    {
        return m_frames[static_cast<std::size_t>(row)];
    }
    /// All frames as text, one per line, for the clipboard.
    [[nodiscard]] QString asText() const;
    [[nodiscard]] FramePlace placeAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    [[nodiscard]] QString place(FrameId frame) const;
    [[nodiscard]] bool isUser(FrameId frame) const;
    void list();

    std::shared_ptr<const trace::Snapshot> m_snapshot;
    std::vector<FrameId> m_all;
    std::vector<FrameId> m_frames; ///< Those that are listed: the first of them.
    bool m_shows_libraries = true;
};

} // namespace tidemark::ui
