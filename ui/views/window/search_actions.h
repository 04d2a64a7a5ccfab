// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/search_entries.h"

#include <QtCore/QObject>

#include <functional>

class QWidget;

namespace tidemark::ui {

class AnalysisPage;
class ViewState;

/// The search of the window: commands of its menus, and of the run that is shown peaks, OOMs,
/// events, times, steps, addresses, lines of code, functions, files, buckets, and allocations by
/// any query.
class SearchActions : public QObject {
    Q_OBJECT
public:
    /// `go_to` moves the cursor to an event or a time in words, `show_page` leaves what hides the
    /// page.
    SearchActions(QWidget& window, ViewState& state, AnalysisPage& page,
                  std::function<void(const QString&)> go_to, std::function<void()> show_page);

    void open();

private:
    [[nodiscard]] std::vector<SearchEntry> answer(const QString& typed) const;
    [[nodiscard]] std::vector<SearchEntry> commands() const;
    [[nodiscard]] std::vector<SearchEntry> inRun(const QString& typed) const;
    void addMoments(std::vector<SearchEntry>& entries, const QString& typed) const;
    void addSteps(std::vector<SearchEntry>& entries, const QString& typed) const;
    void addAddress(std::vector<SearchEntry>& entries, const QString& typed) const;
    void addLine(std::vector<SearchEntry>& entries, const QString& typed) const;
    void addNames(std::vector<SearchEntry>& entries, const QString& typed) const;
    [[nodiscard]] SearchEntry allocations(const QString& title, const QString& detail,
                                          const QString& query) const;
    [[nodiscard]] SearchEntry moment(const QString& title, StateId state, int score) const;
    void go(StateId state) const;
    void showAllocation(AllocationId allocation) const;
    void showAllocations(const QString& query) const;

    QWidget& m_window;
    ViewState& m_state;
    AnalysisPage& m_page;
    std::function<void(const QString&)> m_go_to;
    std::function<void()> m_show_page;
    CodeNames m_names; ///< Of the run that is shown while the palette is open.
};

} // namespace tidemark::ui
