// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/search_actions.h"

#include "core/label/bucket.h"
#include "core/label/runs/step_numbers.h"
#include "core/query/query.h"
#include "core/query/words.h"
#include "ui/models/place_text.h"
#include "ui/models/text.h"
#include "ui/models/view_state.h"
#include "ui/views/dialogs/search_palette.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/help_actions.h"

#include <QtCore/QRegularExpression>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>

#include <iterator>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kMostCommands = 12;
constexpr std::size_t kMostNames = 8;

void addCommands(const QString& path, const QList<QAction*>& actions,
                 std::vector<SearchEntry>& entries)
{
    for (QAction* action : actions) {
        if (action->isSeparator() || !action->isEnabled()) {
            continue;
        }
        const QString title = (path.isEmpty() ? QString() : path % QStringLiteral(" › "))
            % plainTitle(action->text());
        if (action->menu() != nullptr) {
            addCommands(title, action->menu()->actions(), entries);
        } else {
            entries.push_back({title, action->shortcut().toString(QKeySequence::NativeText),
                               [action] { action->trigger(); }});
        }
    }
}

void append(std::vector<SearchEntry>& entries, std::vector<SearchEntry> others)
{
    entries.insert(entries.end(), std::make_move_iterator(others.begin()),
                   std::make_move_iterator(others.end()));
}

} // namespace

SearchActions::SearchActions(QWidget& window, ViewState& state, AnalysisPage& page,
                             std::function<void(const QString&)> go_to,
                             std::function<void()> show_page)
    : QObject(&window)
    , m_window(window)
    , m_state(state)
    , m_page(page)
    , m_go_to(std::move(go_to))
    , m_show_page(std::move(show_page))
{
}

void SearchActions::fillMenu(QMenu& menu)
{
    menu.addSeparator();
    QAction* find = menu.addAction(tr("&Find…"));
    find->setShortcut(QKeySequence::Find);
    connect(find, &QAction::triggered, this, [this] { open(First::run); });
    QAction* command = menu.addAction(tr("Run Comman&d…"));
    command->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_K));
    connect(command, &QAction::triggered, this, [this] { open(First::commands); });
}

void SearchActions::open(First first)
{
    m_names = m_state.hasDevice() ? CodeNames(*m_state.analysis().snapshot) : CodeNames();
    auto* palette = new SearchPalette(
        [this, first](const QString& typed) {
            std::vector<SearchEntry> entries;
            if (first == First::run) {
                entries = inRun(typed);
            }
            append(entries, bestEntries(commands(), typed, kMostCommands));
            if (first == First::commands) {
                append(entries, inRun(typed));
            }
            return entries;
        },
        m_state.hasDevice()
            ? tr("Function, file, size>100MiB, address, event, step 3, bucket or command")
            : tr("Command"),
        &m_window);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    const QPoint middle(m_window.width() / 2 - palette->width() / 2, m_window.height() / 8);
    palette->move(m_window.mapToGlobal(middle));
    palette->show();
}

std::vector<SearchEntry> SearchActions::commands() const
{
    std::vector<SearchEntry> entries;
    for (const QMenuBar* bar : m_window.findChildren<QMenuBar*>()) {
        addCommands({}, bar->actions(), entries);
    }
    return entries;
}

std::vector<SearchEntry> SearchActions::inRun(const QString& typed) const
{
    std::vector<SearchEntry> entries;
    const QString sought = typed.trimmed();
    if (!m_state.hasDevice() || sought.isEmpty()) {
        return entries;
    }
    addPlaces(entries, sought);
    addNames(entries, sought);
    const bool is_address = sought.startsWith(QLatin1String("0x"), Qt::CaseInsensitive);
    const QString query = is_address ? QStringLiteral("addr:") % sought : sought;
    if (query::parse(utf8(query)).has_value()) {
        entries.push_back(allocations(tr("Allocations: %1").arg(sought), tr("whole run"), query));
    }
    return entries;
}

void SearchActions::addPlaces(std::vector<SearchEntry>& entries, const QString& typed) const
{
    if (stateFromText(typed, m_state.traceDevice())) {
        entries.push_back(
            {tr("Go to %1").arg(typed), tr("event or time"), [this, typed] { m_go_to(typed); }});
    }
    static const QRegularExpression step(QStringLiteral("^(?:step\\s*)?#?(\\d+)$"),
                                         QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = step.match(typed);
    if (!match.hasMatch()) {
        return;
    }
    const label::DeviceLabels& labels = m_state.labels();
    const label::StepNumbers numbers(*m_state.analysis().snapshot, m_state.traceDevice(), labels);
    const std::vector<label::Step> begun = labels.stepsBegun();
    for (std::size_t i = 0; i < begun.size(); ++i) {
        if (numbers.of(static_cast<std::uint32_t>(i + 1)) == match.captured(1).toLongLong()) {
            const auto event = static_cast<qulonglong>(begun[i].first_event.index());
            entries.push_back({tr("Step %1").arg(match.captured(1)),
                               tr("from event %1").arg(countText(static_cast<std::int64_t>(event))),
                               [this, event, step = begun[i]] {
                                   m_go_to(QString::number(event));
                                   constexpr double kRoom =
                                       0.5; // So that it is seen where it lies.
                                   m_state.zoomTo({StateId::before(step.first_event),
                                                   StateId::after(step.last_event)},
                                                  kRoom);
                               }});
        }
    }
}

void SearchActions::addNames(std::vector<SearchEntry>& entries, const QString& typed) const
{
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const auto bucket = static_cast<label::Bucket>(i);
        const QString name = text(label::bucketName(bucket));
        if (name.startsWith(typed, Qt::CaseInsensitive)) {
            entries.push_back(allocations(
                name, tr("bucket"), QStringLiteral("bucket:") % text(label::bucketId(bucket))));
        }
    }
    for (const CodeNames::Name& name : m_names.holding(typed, kMostNames)) {
        entries.push_back(
            allocations(name.text, name.is_file ? tr("file") : tr("function"),
                        (name.is_file ? QStringLiteral("file=") : QStringLiteral("function="))
                            % text(query::quoted(utf8(name.text)))));
    }
}

SearchEntry SearchActions::allocations(const QString& title, const QString& detail,
                                       const QString& query) const
{
    return {title, detail, [this, query] { showAllocations(query); }};
}

void SearchActions::showAllocations(const QString& query) const
{
    m_show_page();
    m_page.panel<AllocationsPanel>().setScope(AllocationsPanel::Scope::run);
    m_page.panel<AllocationsPanel>().setFilter(query);
    m_page.showPanel(QStringLiteral("allocations"));
}

} // namespace tidemark::ui
