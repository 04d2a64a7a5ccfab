// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Which of the open files are compared.
#include "core/base/format.h"
#include "ui/models/distinct_names.h"
#include "ui/models/facts_model.h"
#include "ui/models/output_file.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_lanes.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/look/strips.h"
#include "ui/views/window/bookmark_actions.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QStackedWidget>

#include <algorithm>
#include <array>

namespace tidemark::ui {

bool MainWindow::isComparable(const OpenFile& file)
{
    return file.canDraw() && !usedDevices(file.analysis).empty();
}

/// The chosen file, else the first that can be compared.
const OpenFile* MainWindow::base() const
{
    const OpenFile* chosen = m_session.find(m_base);
    if (chosen != nullptr && isComparable(*chosen)) {
        return chosen;
    }
    const auto found = std::ranges::find_if(m_session.files(), [this](const OpenFile& file) {
        return file.id != m_against && isComparable(file);
    });
    return found == m_session.files().end() ? nullptr : &*found;
}

/// The chosen file, else the one that is looked at, else the first other one.
const OpenFile* MainWindow::against() const
{
    const OpenFile* const first = base();
    const auto fits = [first](const OpenFile* file) {
        return file != nullptr && first != nullptr && file->id != first->id && isComparable(*file);
    };
    for (const FileId id : {m_against, m_current}) {
        if (fits(m_session.find(id))) {
            return m_session.find(id);
        }
    }
    const auto found = std::ranges::find_if(m_session.files(),
                                            [&fits](const OpenFile& file) { return fits(&file); });
    return found == m_session.files().end() ? nullptr : &*found;
}

FileId MainWindow::baseFile() const
{
    const OpenFile* file = base();
    return file == nullptr ? 0 : file->id;
}

FileId MainWindow::againstFile() const
{
    const OpenFile* file = against();
    return file == nullptr ? 0 : file->id;
}

ComparedRun MainWindow::runOf(const OpenFile& file) const
{
    return {file.analysis, deviceOf(file), file.letter};
}

void MainWindow::compareFiles(FileId first, FileId second)
{
    const OpenFile* a = m_session.find(first);
    const OpenFile* b = m_session.find(second);
    if (a == nullptr || b == nullptr || first == second || !isComparable(*a) || !isComparable(*b)) {
        return;
    }
    m_base = first;
    m_against = second;
    setComparing(true);
}

/// What tells the files apart, in their order.
QStringList MainWindow::fileNames() const
{
    QStringList names;
    for (const OpenFile& file : m_session.files()) {
        names << fileName(file.analysis.file);
    }
    names = distinctNames(names);
    for (std::size_t i = 0; i < m_session.files().size(); ++i) {
        if (const auto& part = m_session.files()[i].part) {
            names[static_cast<qsizetype>(i)] +=
                QStringLiteral(" (") % text(formatPercent(part->share)) % u')';
        }
    }
    return names;
}

bool MainWindow::isComparing() const
{
    return m_is_comparing && base() != nullptr && against() != nullptr;
}

void MainWindow::setComparing(bool on)
{
    m_is_comparing = on;
    m_job->setShown(false);
    refresh();
}

void MainWindow::chooseCasePath()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save comparison as a case"),
                                                      proposedPath(QStringLiteral(".case.json")),
                                                      tr("Case (*.case.json)"));
    if (!path.isEmpty()) {
        saveCase(path);
    }
}

bool MainWindow::saveCase(const QString& path)
{
    const std::string words = m_compare_page->pairCase(QFileInfo(path).absolutePath());
    if (words.empty()) {
        m_notices->showNotice(tr("Still comparing; try again in a moment."));
        return false;
    }
    const std::array inputs{base()->analysis.file, against()->analysis.file};
    return m_notices->showResult(
        writeOutput(path, QByteArray::fromStdString(words), OutputKind::json, inputs),
        tr("Case saved to %1").arg(path));
}

void MainWindow::showComparison()
{
    m_compared = {baseFile(), againstFile()};
    m_compare_page->show(runOf(*base()), runOf(*against()));
    CompareLanes& lanes = m_compare_page->lanes();
    m_bookmarks->setCompared(baseFile(), lanes.baseState(), againstFile(), lanes.againstState());
    std::vector<ComparedFile> files;
    const QStringList names = fileNames();
    for (std::size_t i = 0; i < m_session.files().size(); ++i) {
        const OpenFile& file = m_session.files()[i];
        if (isComparable(file)) {
            files.push_back({file.id, file.letter, names[static_cast<qsizetype>(i)], file.path});
        }
    }
    m_compare_page->setFiles(files, baseFile(), againstFile());
    // The base first, then what is held against it.
    std::ranges::stable_sort(files, {}, [this](const ComparedFile& file) {
        return file.id == baseFile() ? 0 : file.id == againstFile() ? 1 : 2;
    });
    std::vector<NamedRun> runs;
    for (const ComparedFile& file : files) {
        runs.push_back({file.id, file.name, runOf(*m_session.find(file.id))});
    }
    m_compare_page->setRuns(runs);
    m_pages->setCurrentWidget(m_compare_page);
}

} // namespace tidemark::ui
