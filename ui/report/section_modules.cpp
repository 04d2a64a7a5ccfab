// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/module_bytes.h"
#include "core/label/modules/details.h"
#include "ui/models/modules_model.h"
#include "ui/models/numbers.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

#include <algorithm>
#include <memory>

namespace tidemark::ui::report {
namespace {

constexpr int kMostOfABucket = 8;

/// What the rows of a bucket beyond the first ones hold together.
struct Rest {
    int rows = 0;
    std::int64_t bytes = 0;
};

class ModuleTable {
public:
    ModuleTable(const ModulesModel& model, Bytes largest)
        : m_model(model)
        , m_largest(largest)
        , m_has_layers(model.hasAny(ModulesModel::Layers))
        , m_has_shapes(model.hasAny(ModulesModel::Shape))
    {
        m_table.row_padding = 1.8;
        m_table.columns = {{ReportWords::tr("Bucket, module or line")},
                           {ReportWords::tr("Live"), 62, TextBlock::Align::right},
                           {ReportWords::tr("Share"), 36, TextBlock::Align::right},
                           {ReportWords::tr("Count"), 36, TextBlock::Align::right}};
        if (m_has_layers) {
            m_table.columns.push_back({ReportWords::tr("Layers"), 48, TextBlock::Align::right});
        }
        if (m_has_shapes) {
            m_table.columns.push_back({ReportWords::tr("Likely shape"), 104});
        }
    }

    Table build() &&
    {
        int of_bucket = 0;
        Rest rest;
        for (int row = 0; row < m_model.rowCount(); ++row) {
            const bool is_bucket = m_model.index(row, 0).data(BucketRole).isValid();
            if (is_bucket) {
                addRest(rest);
                rest = {};
                of_bucket = 0;
            } else if (++of_bucket > kMostOfABucket) {
                ++rest.rows;
                rest.bytes += bytesOf(row);
                continue;
            }
            addRow(row, is_bucket);
        }
        addRest(rest);
        return std::move(m_table);
    }

private:
    [[nodiscard]] std::int64_t bytesOf(int row) const
    {
        return m_model.index(row, ModulesModel::Live).data(BytesRole).toLongLong();
    }
    [[nodiscard]] QString words(int row, int column) const
    {
        return m_model.index(row, column).data().toString().trimmed();
    }

    void addRow(int row, bool is_bucket)
    {
        const TextStyle style = is_bucket ? kBold : TextStyle{8.5, false, false, kInk};
        const QString module = words(row, ModulesModel::Module);
        const auto end = is_bucket ? module.indexOf(QStringLiteral("   ")) : -1;
        Cell name = cell(shown(utf8(end < 0 ? module : module.left(end))), style);
        if (end >= 0) { // What the bucket's modules share.
            name.runs.push_back({QStringLiteral("   ") % shown(utf8(module.mid(end + 3))), kSmall});
        }
        if (is_bucket) {
            const auto bucket = m_model.index(row, 0).data(BucketRole).toInt();
            name.swatch = Swatch{bucketColour(static_cast<label::Bucket>(bucket))};
        }
        TableRow line;
        line.is_heading = is_bucket;
        line.cells = {std::move(name), cell(columnText({bytesOf(row)}, m_largest), style),
                      cell(words(row, ModulesModel::Share), style),
                      cell(words(row, ModulesModel::Count), style)};
        if (m_has_layers) {
            line.cells.push_back(cell(words(row, ModulesModel::Layers), style));
        }
        if (m_has_shapes) {
            line.cells.push_back(cell(words(row, ModulesModel::Shape), kSmall));
        }
        m_table.rows.push_back(std::move(line));
    }

    void addRest(const Rest& rest)
    {
        if (rest.rows == 0) {
            return;
        }
        TableRow line;
        line.cells.resize(m_table.columns.size());
        line.cells[0] = cell(ReportWords::tr("and %Ln more|"
                                             "and %Ln more",
                                             nullptr, plural(static_cast<std::int64_t>(rest.rows))),
                             kSmall);
        line.cells[1] = cell(columnText({rest.bytes}, m_largest), kSmall);
        m_table.rows.push_back(std::move(line));
    }

    const ModulesModel& m_model;
    Bytes m_largest;
    bool m_has_layers;
    bool m_has_shapes;
    Table m_table;
};

} // namespace

void addModules(PageFlow& flow, const RunView& run, int level)
{
    if (run.isEmpty() || run.curves == nullptr) {
        return;
    }
    const auto details = std::make_shared<const label::Details>(label::findDetails(
        *run.snapshot, *run.analysis->replay, *run.analysis->labels, run.analysis->programs.get()));
    const StateId peak = run.replay->peak;
    const auto rows = curves::moduleBytes(*run.replay, *run.labels,
                                          details->devices[run.device_index].modules, peak);
    const bool any = std::ranges::any_of(
        rows, [](const curves::ModuleBytes& row) { return !row.module.isNone(); });
    if (!any) {
        return; // No stacks: the table of buckets says all there is.
    }
    ModulesModel model;
    model.setRows(details, run.device_index, rows);
    addHeading(flow, ReportWords::tr("Modules at the peak"), level, 110);
    addParagraph(flow,
                 ReportWords::tr("What is live at %1, by the module or line that made it, the "
                                 "largest %2 of each bucket.")
                     .arg(stateText(peak))
                     .arg(kMostOfABucket),
                 TextStyle{8.5, false, false, kGrey});
    addTable(flow, ModuleTable(model, run.largest()).build());
}

} // namespace tidemark::ui::report
