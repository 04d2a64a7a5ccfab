// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/frames_model.h"

#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/label/stacks/stack_text.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

namespace tidemark::ui {

void FramesModel::setStack(std::shared_ptr<const trace::Snapshot> snapshot, StackId stack)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    m_frames = label::framesForPeople(*m_snapshot, stack);
    endResetModel();
}

void FramesModel::clear()
{
    beginResetModel();
    m_snapshot.reset();
    m_frames.clear();
    endResetModel();
}

namespace {

QString placeText(const Frame& frame, const QString& file)
{
    return frame.line > 0 ? QString(file % u':' % QString::number(frame.line)) : file;
}

} // namespace

/// As it is shown; `asText` and `placeAt` have all of it.
QString FramesModel::place(FrameId id) const
{
    const Frame& frame = m_snapshot->stacks.frame(id);
    constexpr std::size_t kMostCharacters = 300;
    return placeText(
        frame, text(shownName(shortenPath(m_snapshot->text(frame.filename), kMostCharacters))));
}

FramePlace FramesModel::placeAt(int row) const
{
    const Frame& frame = m_snapshot->stacks.frame(m_frames[static_cast<std::size_t>(row)]);
    return {text(m_snapshot->text(frame.filename)), text(m_snapshot->text(frame.name)),
            static_cast<int>(frame.line)};
}

QString FramesModel::asText() const
{
    QString lines;
    for (const FrameId id : m_frames) {
        const Frame& frame = m_snapshot->stacks.frame(id);
        lines += text(m_snapshot->text(frame.name)) % QStringLiteral("  ")
            % placeText(frame, text(m_snapshot->text(frame.filename))) % u'\n';
    }
    return lines;
}

int FramesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_frames.size());
}

int FramesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FramesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const FrameId id = m_frames[static_cast<std::size_t>(index.row())];
    const QString name = text(shownName(m_snapshot->text(m_snapshot->stacks.frame(id).name)));
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Function ? name : place(id);
    case Qt::ToolTipRole:
        return QString(name % u'\n' % place(id));
    case EmphasisRole: {
        const bool is_user = label::frameOrigin(*m_snapshot, id) == label::FrameOrigin::user;
        return static_cast<int>(!is_user                         ? Emphasis::secondary
                                    : index.column() == Function ? Emphasis::strong
                                                                 : Emphasis::normal);
    }
    default:
        return {};
    }
}

QVariant FramesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    return section == Function ? tr("function") : tr("file");
}

} // namespace tidemark::ui
