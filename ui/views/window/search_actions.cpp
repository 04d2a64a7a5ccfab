// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/search_actions.h"

#include "core/label/bucket.h"
#include "core/query/query.h"
#include "core/query/words.h"
#include "core/replay/peaks.h"
#include "ui/models/numbers.h"
#include "ui/models/place_text.h"
#include "ui/models/text.h"
#include "ui/models/view_state.h"
#include "ui/views/dialogs/search_palette.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/help_actions.h"

#include <QtCore/QPointer>
#include <QtCore/QRegularExpression>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kMostCommands = 12;
constexpr std::size_t kMostNames = 8;
constexpr std::size_t kMostOffered = 5;

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
                               [action = QPointer<QAction>(action)] {
                                   if (action) { // Recent files come and go meanwhile.
                                       action->trigger();
                                   }
                               },
                               SearchGroup::commands});
        }
    }
}

QString sharesText(const Shares& shares)
{
    const QString allocations =
        SearchActions::tr("%Ln allocation|%Ln allocations", nullptr, plural(shares.count));
    return shares.live == 0
        ? SearchActions::tr("%1 · none at the cursor").arg(allocations)
        : SearchActions::tr("%1 · %2 at the cursor, %3")
              .arg(allocations, countText(shares.live), bytesText(shares.bytes));
}

/// Counts an allocation that a name or a line stands for.
void add(const replay::Allocations& all, AllocationId a, StateId moment, Shares& shares)
{
    ++shares.count;
    if (all.isLive(a, moment)) {
        ++shares.live;
        shares.bytes += all.requested[a.index()];
    }
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

void SearchActions::open()
{
    if (m_window.findChild<SearchPalette*>() != nullptr) {
        return;
    }
    m_names = m_state.hasDevice()
        ? CodeNames(*m_state.analysis().snapshot, m_state.replay(), m_state.shownState())
        : CodeNames();
    auto* palette = new SearchPalette(
        [this](const QString& typed) { return answer(typed); },
        m_state.hasDevice()
            ? tr("Function, file.py:24, 0x7f…, event 5000, step 3, peak, size>100MiB or command")
            : tr("Command"),
        m_window);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    // What it lists is of this device: the keys of the window below still close and change files.
    connect(&m_state, &ViewState::deviceChanged, palette, [palette] {
        if (palette->isVisible()) { // Else it is closed already, and what it ran did this.
            palette->reject();
        }
    });
    palette->show();
    palette->raise();
}

std::vector<SearchEntry> SearchActions::answer(const QString& typed) const
{
    std::vector<SearchEntry> entries = inRun(typed.trimmed());
    for (SearchEntry& command : bestEntries(commands(), typed, kMostCommands)) {
        entries.push_back(std::move(command));
    }
    sortByGroup(entries);
    return entries;
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
    if (!m_state.hasDevice()) {
        return entries;
    }
    addMoments(entries, typed);
    if (typed.isEmpty()) {
        return entries;
    }
    addSteps(entries, typed);
    addAddress(entries, typed);
    addLine(entries, typed);
    addNames(entries, typed);
    const bool is_address = typed.startsWith(QLatin1String("0x"), Qt::CaseInsensitive);
    const QString query = is_address ? QStringLiteral("addr:") % typed : typed;
    if (query::parse(utf8(query)).has_value()) {
        entries.push_back(allocations(tr("Allocations: %1").arg(typed), tr("whole run"), query));
    }
    return entries;
}

SearchEntry SearchActions::moment(const QString& title, StateId state, int score) const
{
    return {title,
            tr("event %1 · %2 allocated")
                .arg(countText(state.eventNumber()), bytesText(m_state.replay().activeAt(state))),
            [this, state] { go(state); }, SearchGroup::places, score};
}

/// Peaks and OOMs, and what is named by a number or a time.
void SearchActions::addMoments(std::vector<SearchEntry>& entries, const QString& typed) const
{
    const auto scoreOf = [&](const QString& name) {
        return typed.isEmpty() ? kWholeWord : matchScore(typed, name);
    };
    const replay::DeviceReplay& replay = m_state.replay();
    const QString peak = tr("Peak");
    if (const int score = scoreOf(peak); score >= kWordBegins) {
        constexpr std::size_t kPeaks = 3;
        const auto peaks =
            replay::highestPeaks(replay.active, typed.isEmpty() ? std::size_t{1} : kPeaks);
        for (std::size_t i = 0; i < peaks.size(); ++i) {
            entries.push_back(moment(i == 0 ? peak : tr("Peak %1").arg(i + 1), peaks[i].state,
                                     score - static_cast<int>(i)));
        }
    }
    if (const int score = scoreOf(tr("OOM")); score >= kWordBegins) {
        for (std::size_t i = 0; i < std::min(kMostOffered, replay.ooms.size()); ++i) {
            entries.push_back(moment(i == 0 ? tr("OOM") : tr("OOM %1").arg(i + 1),
                                     StateId::before(replay.ooms[i]), score - static_cast<int>(i)));
        }
    }
    if (const auto state = stateFromText(typed, m_state.traceDevice())) {
        entries.push_back({tr("Go to %1").arg(typed),
                           tr("%1 allocated").arg(bytesText(replay.activeAt(*state))),
                           [this, typed] { m_go_to(typed); }, SearchGroup::places, kWholeText});
    }
}

void SearchActions::addSteps(std::vector<SearchEntry>& entries, const QString& typed) const
{
    static const QRegularExpression form(QStringLiteral("^(?:(\\p{L}+)\\s*)?#?(\\d+)$"));
    const QRegularExpressionMatch match = form.match(typed);
    const QString word = match.captured(1);
    if (!match.hasMatch()
        || (!word.isEmpty() && word.compare(QStringLiteral("step"), Qt::CaseInsensitive) != 0
            && word.compare(tr("step"), Qt::CaseInsensitive) != 0)) {
        return;
    }
    const label::DeviceLabels& labels = m_state.labels();
    const std::vector<label::Step> begun = labels.stepsBegun();
    const replay::DeviceReplay& replay = m_state.replay();
    for (std::size_t i = 0; i < begun.size(); ++i) {
        if (labels.numbers.of(static_cast<std::uint32_t>(i + 1))
            != match.captured(2).toLongLong()) {
            continue;
        }
        const StateId first = StateId::after(begun[i].first_event);
        const StateId last = StateId::after(begun[i].last_event);
        const auto at = [&](StateId state) {
            return replay.active.begin() + static_cast<std::ptrdiff_t>(state.index());
        };
        const std::int64_t peak = *std::max_element(at(first), std::next(at(last)));
        entries.push_back(
            {tr("Step %1").arg(match.captured(2)),
             tr("from event %1 · peak %2")
                 .arg(countText(static_cast<std::int64_t>(begun[i].first_event.index())),
                      bytesText(Bytes{peak})),
             [this, first, last] {
                 go(first);
                 constexpr double kRoom = 0.5; // So that it is seen where it lies.
                 m_state.zoomTo({first, last}, kRoom);
             },
             SearchGroup::steps, kWholeText});
    }
}

void SearchActions::addAddress(std::vector<SearchEntry>& entries, const QString& typed) const
{
    bool is_number = false;
    const Address address = typed.toULongLong(&is_number, 16);
    if (!is_number || !typed.startsWith(QLatin1String("0x"), Qt::CaseInsensitive)) {
        return;
    }
    // What is there at the cursor, then what comes after it, then what was before.
    const replay::DeviceReplay& replay = m_state.replay();
    const StateId now = m_state.cursor();
    std::vector<AllocationId> found = allocationsAtAddress(replay, address);
    std::ranges::stable_sort(found, {}, [&](AllocationId a) {
        return replay.allocations.isLive(a, now)        ? 0
            : now < replay.allocations.begin[a.index()] ? 1
                                                        : 2;
    });
    for (std::size_t i = 0; i < std::min(kMostOffered, found.size()); ++i) {
        const AllocationId a = found[i];
        const auto state = [&](StateId s) { return countText(s.eventNumber()); };
        const Interval<StateId> life = replay.allocations.lifetime(a);
        const QString events = life.end > replay.lastState()
            ? tr("from event %1").arg(state(life.begin))
            : tr("events %1–%2").arg(state(life.begin), state(life.end));
        entries.push_back(
            {tr("%1 in %2").arg(typed, bytesText(replay.allocations.requested[a.index()])),
             replay.allocations.isLive(a, now) ? tr("at the cursor · %1").arg(events) : events,
             [this, a] { showAllocation(a); }, SearchGroup::allocations,
             kWholeText - static_cast<int>(i)});
    }
}

void SearchActions::addLine(std::vector<SearchEntry>& entries, const QString& typed) const
{
    const std::optional<query::CodeLine> line = query::codeLineOf(utf8(typed));
    if (!line) {
        return;
    }
    const replay::DeviceReplay& replay = m_state.replay();
    const std::vector<AllocationId> found =
        allocationsAtLine(*m_state.analysis().snapshot, replay.allocations, *line);
    if (found.empty()) {
        return;
    }
    Shares shares;
    for (const AllocationId a : found) {
        add(replay.allocations, a, m_state.shownState(), shares);
    }
    const auto largest = found.front();
    entries.push_back(
        {typed, sharesText(shares),
         [this, words = QString(QStringLiteral("stack:") % text(query::quoted(utf8(typed)))),
          largest] {
             showAllocations(words);
             m_state.select(largest);
             if (!m_state.replay().allocations.isLive(largest, m_state.cursor())) {
                 go(m_state.replay().allocations.begin[largest.index()]);
             }
         },
         SearchGroup::files, kWholeText});
}

void SearchActions::addNames(std::vector<SearchEntry>& entries, const QString& typed) const
{
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const auto bucket = static_cast<label::Bucket>(i);
        const QString name = text(label::bucketName(bucket));
        const int score = matchScore(typed, name);
        if (score < kWordBegins) {
            continue;
        }
        Shares shares;
        const std::vector<label::Bucket>& buckets = m_state.labels().bucket;
        for (std::size_t a = 0; a < buckets.size(); ++a) {
            if (buckets[a] == bucket) {
                add(m_state.replay().allocations, AllocationId(static_cast<std::uint32_t>(a)),
                    m_state.shownState(), shares);
            }
        }
        if (shares.count > 0) {
            entries.push_back(
                allocations(name, sharesText(shares),
                            QStringLiteral("bucket:") % text(label::bucketId(bucket))));
            entries.back().score = score;
        }
    }
    for (const CodeNames::Name& name : m_names.holding(typed, kMostNames)) {
        SearchEntry entry =
            allocations(name.text, sharesText(name.shares),
                        (name.is_file ? QStringLiteral("file=") : QStringLiteral("function="))
                            % text(query::quoted(utf8(name.text))));
        entry.group = name.is_file ? SearchGroup::files : SearchGroup::allocations;
        entry.score = name.score;
        entries.push_back(std::move(entry));
    }
}

SearchEntry SearchActions::allocations(const QString& title, const QString& detail,
                                       const QString& query) const
{
    return {title, detail, [this, query] { showAllocations(query); }, SearchGroup::allocations, 0};
}

void SearchActions::go(StateId state) const
{
    m_show_page();
    m_state.setCursor(state);
    m_state.reveal(state);
}

void SearchActions::showAllocation(AllocationId allocation) const
{
    if (!m_state.replay().allocations.isLive(allocation, m_state.cursor())) {
        go(m_state.replay().allocations.begin[allocation.index()]);
    }
    m_show_page();
    m_state.select(allocation);
    m_page.showPanel(QStringLiteral("stack"));
}

void SearchActions::showAllocations(const QString& query) const
{
    m_show_page();
    m_page.panel<AllocationsPanel>().setScope(AllocationsPanel::Scope::run);
    m_page.panel<AllocationsPanel>().setFilter(query);
    m_page.showPanel(QStringLiteral("allocations"));
}

} // namespace tidemark::ui
