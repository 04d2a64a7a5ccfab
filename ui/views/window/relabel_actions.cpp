// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/relabel_actions.h"

#include "core/pipeline/saved_rules.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/strips.h"
#include "ui/views/look/swatch.h"
#include "ui/views/panels/corrections_panel.h"
#include "ui/views/panels/model_panel.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/dimension_actions.h"
#include "ui/views/window/menu_row.h"

#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMenu>

#include <algorithm>

namespace tidemark::ui {
namespace {

/// For the file dialogs.
QString rulesFilter()
{
    return RelabelActions::tr("Rules (%1)").arg(QStringLiteral("*.tidemark-rules.json *.json"));
}

QString stepName(label::Bucket bucket)
{
    return RelabelActions::tr("Relabel as %1").arg(text(label::bucketName(bucket)));
}

} // namespace

RelabelActions::RelabelActions(Session& session, ViewState& state, AnalysisPage& page,
                               NoticeStrip& notices, QObject* parent)
    : QObject(parent)
    , m_session(session)
    , m_state(state)
    , m_page(page)
    , m_notices(notices)
    , m_corrector(session)
    , m_dimensions(
          new DimensionActions(state, m_corrector, page.panel<ModelPanel>().dimensions(), page))
{
    wirePage(page);
    connect(&m_session, &Session::loaded, this, &RelabelActions::tellOfSaved);
    connect(&m_corrector, &Corrector::savedAway, this, [this](const QString& path) {
        m_notices.showNotice(
            tr("The snapshot's folder is read-only; corrections are saved in %1.").arg(path));
    });
    connect(&m_corrector, &Corrector::merged, this, [this] {
        m_notices.showNotice(tr("Merged with the corrections saved from another window."));
    });
    connect(&m_corrector, &Corrector::saveFailed, &m_notices, &NoticeStrip::showFailure);
    connect(&m_corrector, &Corrector::notYetPossible, &m_notices, &NoticeStrip::showNotice);
}

void RelabelActions::wirePage(AnalysisPage& page)
{
    connect(&page, &AnalysisPage::menuRequested, this, &RelabelActions::showMenu);
    connect(&page, &AnalysisPage::relabelRequested, this,
            [this](quint32 allocation, quint32 stack) {
                ask({m_state.device(), AllocationId(std::uint32_t{allocation}),
                     StackId(std::uint32_t{stack})});
            });
    CorrectionsPanel& list = page.panel<CorrectionsPanel>();
    connect(&list, &CorrectionsPanel::editRequested, this, &RelabelActions::edit);
    connect(&list, &CorrectionsPanel::removeRequested, this, &RelabelActions::remove);
    connect(&list, &CorrectionsPanel::moveRequested, this, &RelabelActions::move);
    connect(&list, &CorrectionsPanel::loadRequested, this, &RelabelActions::chooseRules);
    connect(&list, &CorrectionsPanel::saveRequested, this, &RelabelActions::choosePath);
}

void RelabelActions::setCurrent(FileId id)
{
    m_current = id;
    m_corrector.setCurrent(id);
    m_dimensions->setCurrent(id);
}

void RelabelActions::relabelSelected()
{
    if (!m_state.hasDevice()) {
        return;
    }
    const AllocationId id = m_state.selected();
    if (id.isNone()) {
        m_notices.showNotice(
            tr("Select an allocation first: in a list, the memory map or the timeline."));
        return;
    }
    ask({m_state.device(), id, m_state.replay().allocations.stack[id.index()]});
}

void RelabelActions::showMenu(const QPoint& place)
{
    const AllocationId id = m_state.selected();
    if (id.isNone()) {
        return;
    }
    auto* menu = new QMenu(&m_page);
    menu->setObjectName(QStringLiteral("allocationMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const trace::Snapshot& snapshot = *m_state.analysis().snapshot;
    addBuckets(
        *menu, tr("Label &Allocation As"),
        label::matchOfAllocation(snapshot, *m_state.analysis().replay, m_state.device(), id));
    const auto stack =
        label::matchOfStack(snapshot, m_state.replay().allocations.stack[id.index()]);
    if (stack) {
        addBuckets(*menu, tr("Label &Stack As"), *stack);
    }
    menu->addSeparator();
    QAction* dialog = menu->addAction(tr("Re&label…"));
    dialog->setShortcut(keyText(m_page, "relabel"));
    dialog->setShortcutContext(Qt::WidgetShortcut); // Shown here; the key is the menu bar's.
    connect(dialog, &QAction::triggered, this, &RelabelActions::relabelSelected);
    menu->popup(place);
}

void RelabelActions::addBuckets(QMenu& menu, const QString& title,
                                const label::CorrectionMatch& match)
{
    QMenu* buckets = menu.addMenu(title);
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const label::Bucket bucket = label::bucketAt(i);
        QAction* action = buckets->addAction(bucketIcon(bucket), text(label::bucketName(bucket)));
        connect(action, &QAction::triggered, this, [this, match, bucket, id = m_current] {
            label::Correction rule;
            rule.match = match;
            rule.bucket = bucket;
            m_corrector.add(id, {rule}, stepName(bucket));
        });
    }
}

void RelabelActions::ask(RelabelDialog::Subject subject)
{
    auto* dialog = new RelabelDialog(m_state.analysis(), subject, m_page.window());
    connect(dialog, &QDialog::accepted, this, [this, dialog, id = m_current] {
        if (const auto rule = dialog->correction()) {
            m_corrector.add(id, {*rule}, stepName(rule->bucket));
        }
    });
    dialog->open();
}

bool RelabelActions::isListCurrent() const
{
    const auto& shown = m_state.analysis().corrections;
    const auto wanted = m_corrector.rules(m_current);
    return shown != nullptr && std::ranges::equal(shown->rules, wanted);
}

void RelabelActions::edit(int row)
{
    if (!isListCurrent()) {
        return;
    }
    const auto index = static_cast<std::size_t>(row);
    if (m_corrector.rules(m_current)[index].dimension) {
        m_dimensions->edit(index);
        return;
    }
    auto* dialog = new RelabelDialog(m_state.analysis(), index, m_page.window());
    connect(dialog, &QDialog::accepted, this, [this, dialog, index, id = m_current] {
        if (const auto rule = dialog->correction()) {
            m_corrector.replace(id, index, *rule);
        }
    });
    dialog->open();
}

void RelabelActions::remove(const QList<int>& rows)
{
    if (isListCurrent()) {
        m_corrector.remove(m_current, std::vector<std::size_t>(rows.begin(), rows.end()));
    }
}

void RelabelActions::move(const QList<int>& rows, int before)
{
    if (isListCurrent() && before >= 0) {
        m_corrector.move(m_current, std::vector<std::size_t>(rows.begin(), rows.end()),
                         static_cast<std::size_t>(before));
    }
}

void RelabelActions::chooseRules()
{
    const QString path = QFileDialog::getOpenFileName(&m_page, tr("Load rules"), {},
                                                      rulesFilter() % tr(";;All files (*)"));
    if (!path.isEmpty()) {
        loadRules(path);
    }
}

void RelabelActions::choosePath()
{
    const QString path = QFileDialog::getSaveFileName(
        &m_page, tr("Save rules"), QStringLiteral("labels.tidemark-rules.json"), rulesFilter());
    if (!path.isEmpty()) {
        saveRules(path);
    }
}

void RelabelActions::loadRules(const QString& path)
{
    const auto rules = pipeline::readRulesFile(pathFrom(path));
    if (!rules.has_value()) {
        m_notices.showFailure(text(rules.error().message));
        return;
    }
    const auto count = static_cast<std::int64_t>(rules.value().size());
    m_corrector.add(m_current, rules.value(), tr("Load Rules"));
    m_notices.showNotice(
        tr("Applied %Ln rule from %1.|Applied %Ln rules from %1.", nullptr, plural(count))
            .arg(QFileInfo(path).fileName()));
}

void RelabelActions::saveRules(const QString& path)
{
    const auto written = pipeline::writeRulesFile(pathFrom(path), m_corrector.rules(m_current));
    m_notices.showResult(written, tr("Rules saved to %1").arg(path));
}

QStringList RelabelActions::withoutRulesFiles(const QStringList& paths)
{
    QStringList others;
    for (const QString& path : paths) {
        if (!path.endsWith(QStringLiteral(".tidemark-rules.json"))) {
            others << path;
        } else if (m_state.hasDevice()) {
            loadRules(path);
        } else {
            m_notices.showFailure(
                tr("%1 has label rules; open a snapshot first.").arg(QFileInfo(path).fileName()));
        }
    }
    return others;
}

void RelabelActions::tellOfSaved(FileId id)
{
    const OpenFile* file = m_session.find(id);
    if (file == nullptr || !file->analysis.corrections) {
        return;
    }
    for (const char* code : {"saved-rules", "saved-rules-damaged"}) {
        if (const trace::InputNote* note = file->analysis.corrections->notes.find(code)) {
            m_notices.showNotice(text(note->text));
        }
    }
}

} // namespace tidemark::ui
