// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/facts_model.h"

#include "core/base/short_text.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/capture_facts.h"
#include "core/report/selection.h"
#include "ui/models/numbers.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <QtCore/QFileInfo>

#include <algorithm>

namespace tidemark::ui {
namespace {

QString yesNo(bool value)
{
    return value ? FactsModel::tr("yes") : FactsModel::tr("no");
}

void addFile(std::vector<Fact>& facts, const diagnose::Analysis& analysis)
{
    const QString section = FactsModel::tr("File");
    const trace::Snapshot& snapshot = *analysis.snapshot;
    const QString path = QFileInfo(pathText(analysis.file)).absoluteFilePath();
    facts.push_back({section, FactsModel::tr("path"), path, path});
    const Bytes size{static_cast<std::int64_t>(snapshot.file_bytes)};
    facts.push_back({section, FactsModel::tr("size"), bytesText(size), exactBytesText(size)});
    const QString route = text(snapshot.format.route);
    facts.push_back(
        {section, FactsModel::tr("format"),
         snapshot.format.protocol < 0
             ? route
             : FactsModel::tr("%1, protocol %2").arg(route).arg(snapshot.format.protocol)});
    facts.push_back({section, FactsModel::tr("read by"), text(snapshot.format.reader)});
    const std::size_t used = usedDevices(analysis).size();
    facts.push_back(
        {section, FactsModel::tr("devices"),
         used == snapshot.devices.size()
             ? QString::number(used)
             : FactsModel::tr("%1, memory on %2").arg(snapshot.devices.size()).arg(used)});
    facts.push_back({section, FactsModel::tr("distinct stacks"),
                     countText(static_cast<std::int64_t>(snapshot.stacks.stackCount()))});
    if (!snapshot.annotations.empty()) {
        facts.push_back({section, FactsModel::tr("annotations"),
                         countText(static_cast<std::int64_t>(snapshot.annotations.size()))});
    }
}

void addDiagnosis(std::vector<Fact>& facts, const diagnose::Analysis& analysis)
{
    if (!analysis.diagnosis || !analysis.replay || analysis.deviceCount() == 0) {
        return;
    }
    const std::size_t device = analysis.mainDevice();
    const diagnose::DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    const QString section = deviceName(analysis.snapshot->devices[device]);
    if (diagnosis.capacity) {
        facts.push_back({section, FactsModel::tr("capacity"), bytesText(*diagnosis.capacity),
                         exactBytesText(*diagnosis.capacity)});
    }
    if (!diagnosis.capacity_source.empty()) {
        facts.push_back(
            {section, FactsModel::tr("capacity from"), text(diagnosis.capacity_source)});
    }
    if (!diagnosis.recipe.text.empty()) {
        facts.push_back({section, FactsModel::tr("recipe"), text(diagnosis.recipe.text)});
    }
}

void addSettings(std::vector<Fact>& facts, const trace::AllocatorSettings& settings)
{
    const QString section = FactsModel::tr("Allocator");
    if (!settings.present) {
        facts.push_back({section, FactsModel::tr("settings"), FactsModel::tr("none recorded")});
        return;
    }
    facts.push_back(
        {section, QStringLiteral("PYTORCH_CUDA_ALLOC_CONF"),
         settings.conf.empty() ? FactsModel::tr("not set") : text(shownName(settings.conf))});
    if (settings.expandable_segments) {
        facts.push_back(
            {section, QStringLiteral("expandable_segments"), yesNo(*settings.expandable_segments)});
    }
    if (settings.max_split_size_bytes) {
        const std::int64_t size = *settings.max_split_size_bytes;
        facts.push_back({section, QStringLiteral("max_split_size"),
                         size < 0 ? FactsModel::tr("unlimited") : bytesText({size})});
    }
    if (settings.garbage_collection_threshold) {
        facts.push_back({section, QStringLiteral("garbage_collection_threshold"),
                         numberText(*settings.garbage_collection_threshold)});
    }
    for (const auto& [size, divisions] : settings.roundup_power2_divisions) {
        if (divisions != 0) {
            facts.push_back(
                {section,
                 QStringLiteral("roundup_power2_divisions, ") % text(size) % QStringLiteral(" MiB"),
                 QString::number(divisions)});
        }
    }
    for (const auto& [name, value] : settings.others) {
        facts.push_back({section, text(name), text(value)});
    }
}

void addCapture(std::vector<Fact>& facts, const std::optional<trace::Capture>& capture)
{
    if (capture) {
        for (const auto& [name, value] : report::captureFacts(*capture)) {
            facts.push_back({FactsModel::tr("Capture"), text(name), text(value)});
        }
    }
}

} // namespace

QString deviceName(const trace::Device& device)
{
    return text(report::deviceName(device));
}

QString deviceSummary(const diagnose::Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const QString name = deviceName(analysis.snapshot->devices[device]);
    const QString peak = bytesText(replay.activeAt(replay.peak));
    return (replay.ooms.empty() ? FactsModel::tr("%1 · peak %2")
                                : FactsModel::tr("%1 · peak %2 · OOM"))
        .arg(name, peak);
}

std::vector<std::size_t> usedDevices(const diagnose::Analysis& analysis)
{
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < analysis.deviceCount(); ++i) {
        if (!analysis.snapshot->devices[i].isEmpty()) {
            used.push_back(i);
        }
    }
    return used;
}

std::vector<Fact> fileFacts(const diagnose::Analysis& analysis)
{
    std::vector<Fact> facts;
    addFile(facts, analysis);
    addDiagnosis(facts, analysis);
    addSettings(facts, analysis.snapshot->settings);
    addCapture(facts, analysis.snapshot->capture);
    return facts;
}

void FactsModel::setFacts(std::vector<Fact> facts)
{
    beginResetModel();
    m_facts = std::move(facts);
    endResetModel();
}

int FactsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_facts.size());
}

int FactsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 3;
}

QVariant FactsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const auto row = static_cast<std::size_t>(index.row());
    const Fact& fact = m_facts[row];
    if (role == EmphasisRole) {
        return static_cast<int>(index.column() == 1       ? Emphasis::secondary
                                    : index.column() == 0 ? Emphasis::strong
                                                          : Emphasis::normal);
    }
    if (role == Qt::ToolTipRole && index.column() == 2) {
        return fact.tool_tip.isEmpty() ? fact.value : fact.tool_tip;
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
    case 0:
        // Said once, beside the first row of the section.
        return row > 0 && m_facts[row - 1].section == fact.section ? QString() : fact.section;
    case 1:
        return fact.name;
    default:
        return fact.value;
    }
}

QVariant FactsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    return section == 0 ? tr("section") : section == 1 ? tr("name") : tr("value");
}

void NotesModel::setAnalysis(const diagnose::Analysis& analysis)
{
    beginResetModel();
    m_rows.clear();
    const auto add = [this](const QString& where, const trace::InputNotes& notes) {
        for (const trace::InputNote& note : notes.all()) {
            m_rows.push_back({where, countText(note.count), text(note.text), text(note.code)});
        }
    };
    add(tr("file"), analysis.snapshot->notes);
    if (analysis.replay) {
        for (std::size_t i = 0; i < analysis.deviceCount(); ++i) {
            add(deviceName(analysis.snapshot->devices[i]), analysis.replay->devices[i].notes);
        }
    }
    if (analysis.labels) {
        for (std::size_t i = 0; i < analysis.deviceCount(); ++i) {
            add(deviceName(analysis.snapshot->devices[i]), analysis.labels->devices[i].notes);
        }
    }
    if (analysis.corrections) {
        add(tr("corrections"), analysis.corrections->notes);
    }
    endResetModel();
}

void NotesModel::clear()
{
    beginResetModel();
    m_rows.clear();
    endResetModel();
}

int NotesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int NotesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 3;
}

QVariant NotesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == 0 ? row.where : index.column() == 1 ? row.count : row.words;
    case Qt::ToolTipRole:
        return QString(row.words % u'\n' % row.code);
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case EmphasisRole:
        return static_cast<int>(index.column() == 2 ? Emphasis::normal : Emphasis::secondary);
    default:
        return {};
    }
}

QString NotesModel::title(int column) const
{
    return column == 0 ? tr("where") : column == 1 ? tr("count") : tr("note");
}

} // namespace tidemark::ui
