// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/simulations_model.h"
#include "ui/models/simulator.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QGridLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableView;
class QToolButton;

namespace tidemark::ui {

/// Replays the shown run under other allocator settings: those that are typed, or all that are
/// worth trying. The chosen outcome is drawn over the timeline and laid out in the memory map.
class SimulatePanel : public QWidget {
    Q_OBJECT
public:
    explicit SimulatePanel(ViewState& state, QWidget* parent = nullptr);
    /// Whether a run is being replayed, or is going to be as soon as the panel is looked at.
    [[nodiscard]] bool isBusy() const;
    /// What is simulated is drawn while this panel can be seen, or one of those.
    void drawBeside(QWidget& other);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeForm();
    void hideColumns();
    QWidget* makeResults();
    void addInputs(QGridLayout& grid);
    void reset();
    /// Tries all settings for a run that died, replays the recorded ones for another, once it can
    /// and is being looked at.
    void startUnasked();
    [[nodiscard]] bool wantsStart() const;
    enum class What : std::uint8_t { typed, recorded, all };
    void start(What what);
    void checkSettings();
    void showStudy(const std::shared_ptr<const report::SimulatedDevice>& device);
    void choose(int row);
    [[nodiscard]] bool isSpokenOf() const;
    void drawSoon();
    void draw();
    /// Selects the best outcome, once per study, as soon as it can be seen.
    void chooseBest();
    /// Starts and selects unless the panel is hidden again at once.
    void lookSoon();
    void setBusy(bool busy);
    void showProblem(const QString& sentence);
    [[nodiscard]] bool canSimulate() const;

    ViewState& m_state;
    QLineEdit* m_settings;
    QLineEdit* m_capacity;
    QPushButton* m_replay;
    QPushButton* m_search;
    QLabel* m_problem;
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    QLabel* m_verdict;
    QLabel* m_baseline;
    QLabel* m_limits;
    QTableView* m_table;
    QLabel* m_empty;
    SimulationsModel m_model;
    std::vector<QWidget*> m_beside;
    std::shared_ptr<const SimulatedRun> m_run; ///< What is chosen; null: the recorded one.
    bool m_is_chosen = false; ///< A row of the study.
    bool m_was_started = false; ///< By itself, for the device shown.
    bool m_searches = false; ///< What is under way is a search.
    bool m_has_many = false; ///< A search was made, for the device shown.
    std::optional<Bytes> m_studied_capacity; ///< As it was asked for; unset: as it was.
    Simulator m_simulator; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
