// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/dimension_actions.h"

#include "ui/models/text.h"
#include "ui/views/dialogs/dimension_dialog.h"
#include "ui/views/panels/dimension_line.h"

#include <vector>

namespace tidemark::ui {

using program::DimensionName;
using program::SaidDimension;

DimensionActions::DimensionActions(ViewState& state, Corrector& corrector, DimensionLine& line,
                                   QWidget& window)
    : QObject(&window)
    , m_state(state)
    , m_corrector(corrector)
    , m_window(window)
{
    connect(&line, &DimensionLine::valueRequested, this, &DimensionActions::ask);
    connect(&line, &DimensionLine::valueChosen, this, [this](DimensionName name, qint64 value) {
        say({name, value}, {});
    });
    connect(&line, &DimensionLine::resetRequested, this,
            [this](DimensionName name) { reset(name); });
    connect(&line, &DimensionLine::resetAllRequested, this, [this] { reset(std::nullopt); });
}

std::int32_t DimensionActions::device() const
{
    return m_state.analysis().snapshot->devices[m_state.device()].index;
}

void DimensionActions::ask(DimensionName name)
{
    if (!m_state.hasDevice()) {
        return;
    }
    auto* dialog = new DimensionDialog(m_state.analysis().program(m_state.device()), {name, 0}, {},
                                       m_window.window());
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        if (const auto dimension = dialog->dimension()) {
            say(*dimension, dialog->note());
        }
    });
    dialog->open();
}

void DimensionActions::edit(std::size_t index)
{
    const label::Correction rule = m_corrector.rules(m_current)[index];
    auto* dialog = new DimensionDialog(m_state.analysis().program(m_state.device()),
                                       *rule.dimension, text(rule.note), m_window.window());
    connect(dialog, &QDialog::accepted, this, [this, dialog, rule, index, id = m_current] {
        const auto dimension = dialog->dimension();
        const auto present = m_corrector.rules(id);
        if (dimension && index < present.size() && present[index] == rule) {
            label::Correction changed = rule;
            changed.dimension = dimension;
            changed.note = utf8(dialog->note());
            m_corrector.replace(id, index, changed);
        }
    });
    dialog->open();
}

/// In place of what was said of it before.
void DimensionActions::say(const SaidDimension& dimension, const QString& note)
{
    label::Correction rule;
    rule.dimension = dimension;
    rule.note = utf8(note);
    if (m_state.analysis().deviceCount() > 1) {
        rule.match.device = device();
    }
    const auto present = m_corrector.rules(m_current);
    for (std::size_t i = present.size(); i-- > 0;) {
        const bool is_same = present[i].dimension && present[i].dimension->name == dimension.name
            && present[i].match == rule.match;
        if (is_same) {
            m_corrector.replace(m_current, i, rule);
            return;
        }
    }
    m_corrector.add(m_current, {rule},
                    tr("Correct %1 to %2")
                        .arg(text(program::nameOf(dimension.name)), countText(dimension.value)));
}

void DimensionActions::reset(std::optional<DimensionName> name)
{
    std::vector<std::size_t> rows;
    const auto present = m_corrector.rules(m_current);
    for (std::size_t i = 0; i < present.size(); ++i) {
        const bool is_meant = present[i].dimension && (!name || present[i].dimension->name == *name)
            && (!present[i].match.device || *present[i].match.device == device());
        if (is_meant) {
            rows.push_back(i);
        }
    }
    m_corrector.remove(m_current, std::move(rows));
}

} // namespace tidemark::ui
