// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/frames_model.h"

#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/label/stacks/stack_text.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>

namespace tidemark::ui {

void FramesModel::setStack(std::shared_ptr<const trace::Snapshot> snapshot, StackId stack)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    m_all = label::framesForPeople(*m_snapshot, stack);
    list();
    endResetModel();
}

void FramesModel::clear()
{
    beginResetModel();
    m_snapshot.reset();
    m_all.clear();
    m_frames.clear();
    endResetModel();
}

bool FramesModel::isUser(FrameId frame) const
{
    return label::frameOrigin(*m_snapshot, frame) == label::FrameOrigin::user;
}

void FramesModel::list()
{
    const auto own = std::ranges::find_if(m_all, [this](FrameId frame) { return !isUser(frame); });
    const bool has_own = own != m_all.begin();
    m_frames.assign(m_all.begin(), m_shows_libraries || !has_own ? m_all.end() : own);
}

void FramesModel::setShowsLibraries(bool shows)
{
    if (shows != m_shows_libraries) {
        beginResetModel();
        m_shows_libraries = shows;
        list();
        endResetModel();
    }
}

int FramesModel::libraryCount() const
{
    const auto own = std::ranges::find_if(m_all, [this](FrameId frame) { return !isUser(frame); });
    return own == m_all.begin() ? 0 : static_cast<int>(m_all.end() - own);
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
    FramePlace place = placeOf(*m_snapshot, frameAt(row));
    const std::string_view name = m_snapshot->text(m_snapshot->stacks.frame(frameAt(row)).filename);
    const auto file =
        std::ranges::lower_bound(m_snapshot->sources, name, {}, &trace::SourceFile::name);
    if (file != m_snapshot->sources.end() && file->name == name) {
        place.source = {m_snapshot, &file->text}; // For as long as the snapshot is there.
    }
    return place;
}

FramePlace placeOf(const trace::Snapshot& snapshot, FrameId id)
{
    const Frame& frame = snapshot.stacks.frame(id);
    return {text(snapshot.text(frame.filename)), text(snapshot.text(frame.name)),
            static_cast<int>(frame.line)};
}

QString FramesModel::asText() const
{
    QString lines;
    for (const FrameId id : m_all) {
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
        return static_cast<int>(!isUser(id)                      ? Emphasis::secondary
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
