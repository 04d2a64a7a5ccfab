// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/module_differences.h"

#include "core/curves/module_bytes.h"
#include "core/label/modules/details.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/numbers.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

namespace tidemark::ui {
namespace {

Bytes sumOf(const label::BucketBytes& bytes)
{
    return {std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})};
}

std::int64_t changeOf(const ModuleDifference& node)
{
    return std::abs((node.againstBytes() - node.baseBytes()).value);
}

/// All modules of both runs as a tree, with what is equal and every link of a chain.
class ModuleUnion {
public:
    ModuleUnion()
        : m_nodes(1)
    {
    }

    void add(const ComparedRun& run, StateId at, label::BucketBytes ModuleDifference::*side,
             const std::stop_token& stop)
    {
        const label::Details details = label::findDetails(
            *run.analysis.snapshot, *run.analysis.replay, *run.analysis.labels, nullptr, stop);
        if (stop.stop_requested()) {
            return;
        }
        for (const curves::ModuleBytes& module :
             curves::moduleBytes(run.analysis.replay->devices[run.device], run.labels(),
                                 details.devices[run.device].modules, at)) {
            std::uint32_t node = 0;
            hold(node, side, module);
            if (module.module.isNone()) {
                hold(childOf(node, {}), side, module);
                continue;
            }
            for (const std::string& part : details.paths.path(module.module).parts) {
                node = childOf(node, part);
                hold(node, side, module);
            }
        }
    }

    /// Without what is equal and with chains as one.
    void writeTo(ModuleDifferences& out)
    {
        // From the leaves up, children being behind their parents: a stack of a file may be so deep
        // that no other stack has the room to follow it.
        m_equal.resize(m_nodes.size());
        for (std::size_t i = m_nodes.size(); i-- > 0;) {
            m_equal[i] = !m_nodes[i].differs()
                && std::ranges::all_of(m_nodes[i].children,
                                       [this](std::uint32_t child) { return m_equal[child]; });
        }
        out.nodes.assign(1, m_nodes[0]);
        out.nodes[0].children.clear();
        ModuleDifference equal;
        copyChildren(0, 0, out, equal);
        if (out.equal_count > 0) {
            out.equal = static_cast<std::uint32_t>(out.nodes.size());
            out.nodes[0].children.push_back(out.equal);
            out.nodes.push_back(std::move(equal));
        }
    }

private:
    void hold(std::uint32_t node, label::BucketBytes ModuleDifference::*side,
              const curves::ModuleBytes& module)
    {
        (m_nodes[node].*side)[label::indexOf(module.bucket)] += module.bytes;
    }
    std::uint32_t childOf(std::uint32_t parent, const std::string& name)
    {
        const auto [at, is_new] =
            m_children.try_emplace({parent, name}, static_cast<std::uint32_t>(m_nodes.size()));
        if (is_new) {
            m_nodes[parent].children.push_back(at->second);
            m_nodes.push_back({name, parent, {}, {}, {}});
        }
        return at->second;
    }
    void copyChildren(std::uint32_t from, std::uint32_t to, ModuleDifferences& out,
                      ModuleDifference& equal) const
    {
        std::vector<std::uint32_t> children = m_nodes[from].children;
        std::ranges::stable_sort(children, std::ranges::greater{},
                                 [this](std::uint32_t child) { return changeOf(m_nodes[child]); });
        for (std::uint32_t child : children) {
            if (m_equal[child]) {
                ++out.equal_count;
                for (std::size_t i = 0; i < label::kBucketCount; ++i) {
                    equal.base[i] += m_nodes[child].base[i];
                    equal.against[i] += m_nodes[child].against[i];
                }
                continue;
            }
            ModuleDifference copy = m_nodes[child];
            while (m_nodes[child].children.size() == 1) {
                const ModuleDifference& only = m_nodes[m_nodes[child].children[0]];
                if (only.base != copy.base || only.against != copy.against) {
                    break;
                }
                child = m_nodes[child].children[0];
                copy.name += " › " + only.name;
            }
            copy.parent = to;
            copy.children.clear();
            const auto place = static_cast<std::uint32_t>(out.nodes.size());
            out.nodes[to].children.push_back(place);
            out.nodes.push_back(std::move(copy));
            copyChildren(child, place, out, equal);
        }
    }

    std::vector<ModuleDifference> m_nodes;
    std::vector<bool> m_equal; ///< Per node: whether it and all that is in it are.
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> m_children;
};

} // namespace

Bytes ModuleDifference::baseBytes() const
{
    return sumOf(base);
}

Bytes ModuleDifference::againstBytes() const
{
    return sumOf(against);
}

ModuleDifferences moduleDifferences(const ComparedRuns& runs, const std::stop_token& stop)
{
    ModuleDifferences found;
    found.unit = unitOf(runs);
    found.base = runs.base.letter;
    found.against = runs.against.letter;
    ModuleUnion all;
    all.add(runs.base, runs.difference.parts.at_a, &ModuleDifference::base, stop);
    all.add(runs.against, runs.difference.parts.at_b, &ModuleDifference::against, stop);
    all.writeTo(found);
    return found;
}

void ModuleDifferencesModel::setContent(std::shared_ptr<const ModuleDifferences> content)
{
    beginResetModel();
    m_content = std::move(content);
    endResetModel();
}

std::size_t ModuleDifferencesModel::nodeCount() const
{
    return m_content == nullptr ? 0 : m_content->nodes.size();
}

std::uint32_t ModuleDifferencesModel::parentOf(std::uint32_t node) const
{
    return m_content->nodes[node].parent;
}

const std::vector<std::uint32_t>& ModuleDifferencesModel::childrenOf(std::uint32_t node) const
{
    return m_content->nodes[node].children;
}

int ModuleDifferencesModel::columnCount(const QModelIndex& /*parent*/) const
{
    return ColumnCount;
}

QString ModuleDifferencesModel::nameOf(std::uint32_t node) const
{
    if (m_content->equal != 0 && node == m_content->equal) {
        return tr("%Ln module is equal|"
                  "%Ln modules are equal",
                  nullptr, plural(m_content->equal_count));
    }
    const std::string& name = m_content->nodes[node].name;
    return name.empty() ? tr("no module") : text(name);
}

/// Both runs by bucket.
QString ModuleDifferencesModel::tipOf(const ModuleDifference& node) const
{
    QStringList lines;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const Bytes base{node.base[i]};
        const Bytes against{node.against[i]};
        if (base.value != 0 || against.value != 0) {
            lines << QStringLiteral("%1: %2 %3, %4 %5")
                         .arg(text(label::bucketName(label::bucketAt(i))), m_content->base,
                              m_content->unit.text(base), m_content->against,
                              m_content->unit.text(against));
        }
    }
    return lines.join(u'\n');
}

QVariant ModuleDifferencesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const std::uint32_t at = nodeOf(index);
    const ModuleDifference& node = m_content->nodes[at];
    const Bytes base = node.baseBytes();
    const Bytes against = node.againstBytes();
    const std::array<Bytes, ColumnCount> bytes{{{}, base, against, against - base, {}}};
    const auto column = static_cast<std::size_t>(index.column());
    const bool is_bytes = index.column() > Module && index.column() < Change;
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Module ? nameOf(at)
            : index.column() == Change  ? changeText(base, against)
            : index.column() == Delta   ? m_content->unit.signedCell(bytes[column])
                                        : m_content->unit.cell(bytes[column]);
    case BytesRole:
        return is_bytes ? QVariant(static_cast<qint64>(bytes[column].value)) : QVariant();
    case Qt::ToolTipRole:
        return is_bytes ? exactBytesText(bytes[column]) : tipOf(node);
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case EmphasisRole:
        return static_cast<int>(node.differs() ? Emphasis::normal : Emphasis::secondary);
    default:
        return {};
    }
}

QString ModuleDifferencesModel::title(int column) const
{
    if (m_content == nullptr) {
        return {};
    }
    switch (column) {
    case Module:
        return tr("module");
    case Base:
        return m_content->base;
    case Against:
        return m_content->against;
    case Delta:
        return QString(m_content->against % QStringLiteral(" − ") % m_content->base);
    default:
        return tr("change");
    }
}

} // namespace tidemark::ui
