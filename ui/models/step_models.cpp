// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/step_models.h"

#include "core/base/format.h"
#include "ui/models/language.h"
#include "ui/models/numbers.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

/// 0: not known well enough to divide by.
std::int64_t knownDimension(const program::Program& program, program::DimensionName name)
{
    constexpr double kLikely = 0.5;
    const program::Dimension* const found = program.find(name);
    return found == nullptr || found->confidence < kLikely ? 0 : found->value;
}

} // namespace

QString perTokenText(const diagnose::Analysis& analysis, std::size_t device)
{
    using program::DimensionName;
    if (analysis.programs == nullptr || analysis.curves == nullptr) {
        return {};
    }
    const program::Program& program = analysis.program(device);
    const std::int64_t batch = knownDimension(program, DimensionName::batch);
    const std::int64_t whole = knownDimension(program, DimensionName::tokens);
    const std::int64_t tokens =
        whole > 0 ? whole : batch * knownDimension(program, DimensionName::sequence);
    if (tokens <= 0) {
        return {};
    }
    const label::BucketBytes bytes =
        analysis.curves->devices[device].at(analysis.replay->devices[device].peak);
    QStringList lines;
    for (const label::Bucket bucket : {label::Bucket::activation, label::Bucket::kv_cache}) {
        const std::int64_t all = bytes[label::indexOf(bucket)];
        if (all < tokens) {
            continue; // Less than a byte says nothing.
        }
        const QString name = text(label::bucketName(bucket));
        lines << (batch > 1 ? PhasePeaksModel::tr(
                                  "%1 at the peak: %2 per token (%3), %4 per sequence (%5)")
                                  .arg(name, bytesText({all / tokens}), countText(tokens),
                                       bytesText({all / batch}), countText(batch))
                            : PhasePeaksModel::tr("%1 at the peak: %2 per token (%3)")
                                  .arg(name, bytesText({all / tokens}), countText(tokens)));
    }
    return lines.join(u'\n');
}

void PhasePeaksModel::setPeaks(const curves::PhasePeaks& peaks, const label::StepNumbers& numbers)
{
    beginResetModel();
    m_phases.clear();
    m_rows.clear();
    m_largest = {};
    Row all;
    for (const curves::PhasePeak& peak : peaks.by_phase) {
        m_phases.push_back(peak.phase);
        all.cells.emplace_back(peak);
        m_largest = std::max(m_largest, Bytes{peak.requested.bytes});
    }
    if (!m_phases.empty()) {
        m_rows.push_back(std::move(all));
    }
    for (const curves::PhasePeak& peak : peaks.by_step) {
        if (peak.step == 0) {
            continue; // before the first step
        }
        if (m_rows.back().step != peak.step) {
            m_rows.push_back({peak.step, numbers.of(peak.step), {}});
            m_rows.back().cells.resize(m_phases.size());
        }
        const auto column = std::ranges::find(m_phases, peak.phase) - m_phases.begin();
        m_rows.back().cells[static_cast<std::size_t>(column)] = peak;
    }
    endResetModel();
}

void PhasePeaksModel::setMeasure(Measure measure)
{
    m_measure = measure;
    if (!m_rows.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int PhasePeaksModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PhasePeaksModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_phases.empty() ? 0 : 1 + static_cast<int>(m_phases.size());
}

const curves::PhasePeak* PhasePeaksModel::peakAt(const QModelIndex& index) const
{
    if (!index.isValid() || index.column() == 0) {
        return nullptr;
    }
    const auto& cell = m_rows[static_cast<std::size_t>(index.row())]
                           .cells[static_cast<std::size_t>(index.column() - 1)];
    return cell ? &*cell : nullptr;
}

const replay::Peak& PhasePeaksModel::measured(const curves::PhasePeak& peak) const
{
    switch (m_measure) {
    case Measure::blocks:
        return peak.blocks;
    case Measure::reserved:
        return peak.reserved;
    case Measure::requested:
        break;
    }
    return peak.requested;
}

std::optional<StateId> PhasePeaksModel::stateAt(const QModelIndex& index) const
{
    const curves::PhasePeak* const peak = peakAt(index);
    return peak == nullptr ? std::nullopt : std::optional(measured(*peak).state);
}

QString PhasePeaksModel::unit() const
{
    return OneUnit(m_largest).name();
}

QVariant PhasePeaksModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const curves::PhasePeak* const peak = peakAt(index);
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == 0) {
            return row.step == 0 ? tr("all steps") : countText(row.number);
        }
        return peak == nullptr ? QStringLiteral("–")
                               : OneUnit(m_largest).number({measured(*peak).bytes});
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case Qt::ToolTipRole: {
        if (peak == nullptr) {
            return {};
        }
        const replay::Peak& shown = measured(*peak);
        const bool is_range = m_measure == Measure::blocks && peak->blocks_upper != shown.bytes;
        return (is_range ? tr("%1 after %2; peak %3; click to go there")
                               .arg(exactBytesText({shown.bytes}),
                                    text(formatEventNumber(shown.state.eventNumber())),
                                    exactBytesText({peak->blocks_upper}))
                         : tr("%1 after %2; click to go there")
                               .arg(exactBytesText({shown.bytes}),
                                    text(formatEventNumber(shown.state.eventNumber()))));
    }
    case BytesRole:
        return peak == nullptr ? QVariant() : QVariant(qint64{measured(*peak).bytes});
    case EmphasisRole:
        return static_cast<int>(row.step == 0 ? Emphasis::strong : Emphasis::normal);
    default:
        return {};
    }
}

QString PhasePeaksModel::title(int column) const
{
    return column == 0
        ? tr("step")
        : inSentence(text(label::phaseName(m_phases[static_cast<std::size_t>(column - 1)])));
}

void GrowthModel::setGrowth(const std::shared_ptr<const trace::Snapshot>& snapshot,
                            std::vector<curves::StackGrowth> stacks)
{
    beginResetModel();
    m_texts = StackTexts(snapshot);
    m_stacks = std::move(stacks);
    std::erase_if(m_stacks, [](const curves::StackGrowth& stack) {
        return stack.last_bytes <= stack.first_bytes
            && stack.verdict != curves::GrowthVerdict::rising;
    });
    Bytes steepest;
    Bytes largest;
    for (const curves::StackGrowth& stack : m_stacks) {
        steepest.value =
            std::max<std::int64_t>(steepest.value, std::llround(std::abs(stack.bytes_per_step)));
        largest.value = std::max(largest.value, stack.last_bytes);
    }
    m_slopes = OneUnit(steepest);
    m_totals = OneUnit(largest);
    endResetModel();
}

int GrowthModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_stacks.size());
}

int GrowthModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString GrowthModel::textOf(const curves::StackGrowth& stack, int column) const
{
    switch (column) {
    case PerStep:
        return m_slopes.signedCell({std::llround(stack.bytes_per_step)});
    case Rises:
        return tr("%1 of %2").arg(countText(stack.rises), countText(stack.steps - 1));
    case Chance:
        return stack.p < 0.001 ? QString(QStringLiteral("< ") % numberText(0.001, 3))
                               : numberText(stack.p, 3);
    case Now:
        return m_totals.cell({stack.last_bytes});
    case Verdict:
        return stack.verdict == curves::GrowthVerdict::rising ? tr("rising")
            : stack.verdict == curves::GrowthVerdict::stopped ? tr("flat since")
                                                              : tr("unclear");
    default: {
        const QString line = m_texts.of(stack.stack).where();
        return line.isEmpty() ? tr("no stack") : line;
    }
    }
}

QString GrowthModel::tipOf(const curves::StackGrowth& stack, int column) const
{
    // Of the columns that a narrow window has no room for.
    const QString figures =
        u'\n' % tr("Rises: %1; p-value: %2").arg(textOf(stack, Rises), textOf(stack, Chance));
    switch (column) {
    case PerStep:
        return tr("Median slope of live bytes at step ends, from %1 to %2.")
            .arg(exactBytesText({stack.first_bytes}), exactBytesText({stack.last_bytes}));
    case Rises:
        return tr("From one step end to the next; falls: %1").arg(countText(stack.falls));
    case Chance:
        return tr("p-value of the rise (Mann–Kendall test).");
    case Now:
        return exactBytesText({stack.last_bytes});
    case Verdict:
        switch (stack.verdict) {
        case curves::GrowthVerdict::rising:
            return tr("Rises in every step: a leak.") % figures;
        case curves::GrowthVerdict::stopped:
            return tr("Rose, then flat: a full cache, or late state.") % figures;
        default:
            return tr("Up and down, or too few steps.") % figures;
        }
    default:
        return textOf(stack, column);
    }
}

QVariant GrowthModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const curves::StackGrowth& stack = m_stacks[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return textOf(stack, index.column());
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case Qt::ToolTipRole:
        return tipOf(stack, index.column());
    case BucketRole:
        return index.column() == Line ? QVariant(static_cast<int>(stack.bucket)) : QVariant();
    case EmphasisRole:
        return static_cast<int>(stack.verdict == curves::GrowthVerdict::rising
                                    ? Emphasis::strong
                                    : Emphasis::secondary);
    default:
        return {};
    }
}

QString GrowthModel::title(int column) const
{
    switch (column) {
    case PerStep:
        return tr("per step");
    case Rises:
        return tr("rises");
    case Chance:
        return tr("p-value");
    case Now:
        return tr("now");
    case Verdict:
        return tr("verdict");
    default:
        return tr("line");
    }
}

} // namespace tidemark::ui
