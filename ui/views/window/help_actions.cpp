// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/help_actions.h"

#include "core/reader/reader.h"
#include "core/report/document.h"
#include "ui/models/text.h"
#include "ui/views/compare/align_band.h"
#include "ui/views/dialogs/help_dialog.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/memory_map/memory_map_view.h"
#include "ui/views/panels/code_link.h"
#include "ui/views/panels/fixes_panel.h"
#include "ui/views/panels/icicle_view.h"
#include "ui/views/panels/query_edit.h"
#include "ui/views/timeline/legend_bar.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/window/start_page.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QSet>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QDesktopServices>
#include <QtGui/QShortcut>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QMessageBox>

#include <utility>

namespace tidemark::ui {
namespace {

void addActions(const QList<QAction*>& actions, KeyGroup& group, QSet<const QAction*>& seen)
{
    for (const QAction* action : actions) {
        if (seen.contains(action)) {
            continue;
        }
        seen.insert(action);
        for (const QKeySequence& key : action->shortcuts()) {
            group.keys.push_back({key[0], {}, plainTitle(action->text())});
        }
        if (action->menu() != nullptr) {
            addActions(action->menu()->actions(), group, seen);
        }
    }
}

using Pairs = std::vector<std::pair<QString, QString>>;

report::Section sectionOf(const QString& title, const Pairs& pairs)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto& [first, second] : pairs) {
        rows.push_back({utf8(first), utf8(second)});
    }
    return {utf8(title), {report::factTable(std::move(rows))}};
}

QString pageOf(std::vector<report::Section> sections)
{
    const QString page = text(report::toMarkdown({"Help", std::move(sections)}));
    return page.mid(page.indexOf(u'\n') + 1); // The tab is the title.
}

QString keysPage(const std::vector<KeyGroup>& groups)
{
    std::vector<report::Section> sections;
    for (const KeyGroup& group : groups) {
        Pairs rows;
        for (const KeyHelp& help : group.keys) {
            rows.emplace_back(help.hasKey()
                                  ? QKeySequence(help.key).toString(QKeySequence::NativeText)
                                  : help.gesture,
                              help.words);
        }
        sections.push_back(sectionOf(group.title, rows));
    }
    return pageOf(std::move(sections));
}

QString wordsPage()
{
    const Pairs allocator{
        {HelpActions::tr("segment"),
         HelpActions::tr("A contiguous range reserved from the driver. The allocator splits it "
                         "into blocks for tensors.")},
        {HelpActions::tr("allocated"),
         HelpActions::tr("In use by the program, from the allocation to the free.")},
        {HelpActions::tr("active"),
         HelpActions::tr("Allocated, plus freed blocks that another stream may still use. The "
                         "colored bands; the peak is their highest point.")},
        {HelpActions::tr("cached"),
         HelpActions::tr("Freed, but kept by the allocator for later requests; gray. No other "
                         "process can use it.")},
        {HelpActions::tr("reserved"),
         HelpActions::tr("Active plus cached: all segments, the dashed line. nvidia-smi shows this "
                         "plus the CUDA context.")},
        {HelpActions::tr("pool"),
         HelpActions::tr(
             "Segments that share free blocks: per stream, one pool for small and one for large "
             "requests. CUDA graphs and MemPools have private pools; dotted.")},
        {HelpActions::tr("fragmentation"),
         HelpActions::tr("Enough is cached, but no free block is large enough for the request.")},
        {HelpActions::tr("capacity"),
         HelpActions::tr("The most this process can get: the red line. Less than the GPU has if "
                         "other processes use it.")}};
    const Pairs purposes{
        {HelpActions::tr("parameters, gradients, optimizer state"),
         HelpActions::tr("Set by the model, independent of the batch.")},
        {HelpActions::tr("activations"),
         HelpActions::tr("Saved in forward for backward; grow with batch and sequence.")},
        {HelpActions::tr("temporaries, workspace"),
         HelpActions::tr("Freed within an operation, but part of the peak.")},
        {HelpActions::tr("KV cache"),
         HelpActions::tr("Keys and values of earlier tokens, kept during generation.")},
        {HelpActions::tr("unknown"),
         HelpActions::tr("No label inferred; never counted in another bucket.")}};
    const Pairs moments{
        {HelpActions::tr("event"),
         HelpActions::tr("One trace entry: an allocation, a free or a segment operation.")},
        {HelpActions::tr("phase, step"),
         HelpActions::tr("Forward, backward, optimizer; a step is one training iteration.")},
        {HelpActions::tr("peak"), HelpActions::tr("The first moment with the most active bytes.")}};
    return pageOf({sectionOf(HelpActions::tr("Allocator"), allocator),
                   sectionOf(HelpActions::tr("Buckets"), purposes),
                   sectionOf(HelpActions::tr("Time"), moments)});
}

QString recordingPage()
{
    std::vector<std::string> lines;
    for (const QString& line : StartPage::recordingLines().trimmed().split(u'\n')) {
        lines.push_back(utf8(line));
    }
    return pageOf(
        {{"",
          {report::Paragraph{
               utf8(HelpActions::tr(
                   "Wrap your training loop in one of these. On OOM it writes a snapshot: drop "
                   "that on this window. The start page saves the capture module.")),
               report::Emphasis::none},
           report::Code{{}, std::move(lines)}}}});
}

} // namespace

QString plainTitle(QString words)
{
    words.remove(u'&').remove(QStringLiteral("…"));
    return words;
}

std::vector<KeyGroup> keysOf(const QWidget& window)
{
    std::vector<KeyGroup> groups;
    QSet<const QAction*> seen;
    for (const QMenuBar* bar : window.findChildren<QMenuBar*>()) {
        for (const QAction* action : bar->actions()) {
            if (action->menu() != nullptr) {
                groups.push_back({plainTitle(action->text()), {}});
                addActions(action->menu()->actions(), groups.back(), seen);
            }
        }
    }
    KeyGroup others{HelpActions::tr("Window"), {}};
    addActions(window.findChildren<QAction*>(), others, seen);
    for (const QShortcut* shortcut : window.findChildren<QShortcut*>()) {
        others.keys.push_back({shortcut->key()[0], {}, shortcut->whatsThis()});
    }
    groups.push_back(std::move(others));
    groups.push_back({HelpActions::tr("Timeline"), TimelinePlot::keyHelp()});
    groups.push_back({HelpActions::tr("Legend"), LegendBar::keyHelp()});
    groups.push_back({HelpActions::tr("Fixes"), FixesPanel::keyHelp()});
    groups.push_back({HelpActions::tr("Code"), CodeLink::keyHelp()});
    groups.push_back({HelpActions::tr("Filter"), QueryEdit::keyHelp()});
    groups.push_back({HelpActions::tr("Memory Map"), MemoryMapView::keyHelp()});
    groups.push_back({HelpActions::tr("Stacks"), IcicleView::keyHelp()});
    groups.push_back({HelpActions::tr("Comparison"), AlignBand::keyHelp()});
    groups.push_back({HelpActions::tr("Job"), RankBands::keyHelp()});
    std::erase_if(groups, [](const KeyGroup& group) { return group.keys.empty(); });
    return groups;
}

QString documentationPage(const QString& program_folder)
{
    QString folder = QDir::cleanPath(program_folder);
    const QString site =
        QDir::cleanPath(folder % QStringLiteral("/../share/doc/tidemark/html/index.html"));
    if (QFileInfo(site).isFile()) {
        return site;
    }
    constexpr int kDeep = 6; // build/PRESET/app/tidemark
    for (int i = 0; i < kDeep; ++i) {
        const QString page = folder % QStringLiteral("/docs/index.md");
        if (QFileInfo(page).isFile()
            && QFileInfo(QString(folder % QStringLiteral("/packaging/mkdocs.yml"))).isFile()) {
            return page;
        }
        folder = QFileInfo(folder).path();
    }
    return {};
}

HelpActions::HelpActions(QWidget& window)
    : QObject(&window)
    , m_window(window)
{
}

HelpDialog& HelpActions::open(const QString& page)
{
    auto* dialog = m_window.findChild<HelpDialog*>();
    if (dialog == nullptr) {
        dialog = new HelpDialog(&m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setPages(
            {{QStringLiteral("words"), tr("Glossary"), wordsPage()},
             {QStringLiteral("keys"), tr("Keyboard and mouse"), keysPage(keysOf(m_window))},
             {QStringLiteral("recording"), tr("Recording"), recordingPage()}});
    }
    dialog->showPage(page);
    dialog->show();
    dialog->raise();
    return *dialog;
}

void HelpActions::openDocumentation()
{
    const QString page = documentationPage(QCoreApplication::applicationDirPath());
    if (page.isEmpty() || !QDesktopServices::openUrl(QUrl::fromLocalFile(page))) {
        Q_EMIT failed(page.isEmpty()
                          ? tr("No documentation installed; the Debian package tidemark has it.")
                          : tr("Nothing here opens %1.").arg(page));
    }
}

void HelpActions::showAbout()
{
    const reader::PythonInfo python = reader::pythonInfo();
    auto* box = new QMessageBox(&m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setObjectName(QStringLiteral("about"));
    box->setWindowTitle(tr("About Tidemark"));
    box->setIconPixmap(m_window.windowIcon().pixmap(64));
    box->setTextFormat(Qt::RichText);
    box->setText(tr("<b>Tidemark %1</b><br>Shows what filled the GPU in a PyTorch run, when, why, "
                    "and how to fix it.<br><br>Qt %2 · Python %3<br>Free software under the GNU "
                    "General Public License, version 3 or later.")
                     .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion()),
                          text(python.version).toHtmlEscaped()));
    box->open();
}

} // namespace tidemark::ui
