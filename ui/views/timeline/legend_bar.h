// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/view_state.h"
#include "ui/views/look/key_help.h"

#include <QtWidgets/QWidget>

#include <utility>
#include <vector>

class QToolButton;

namespace tidemark::ui {

class BandGrouper;
class ChipCombo;

/// The bands that occur on the shown device, the lowest first; each is a switch for its band. What
/// they are, buckets or groups of another kind, where that can be chosen. And whether the timeline
/// stacks them or single allocations, and the lines over them, a what-if's and a simulation's, each
/// with an ✕ that takes it away.
class LegendBar : public QWidget {
    Q_OBJECT
public:
    explicit LegendBar(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] static std::vector<KeyHelp> keyHelp();
    /// Lists what occurs on another shown device, too. It outlives the bar.
    void alsoFor(ViewState& other);
    /// Lets people choose what the bands are. It outlives the bar.
    void chooseWith(BandGrouper& grouper);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    using Button = std::pair<label::Bucket, QToolButton*>;
    void rebuild();
    [[nodiscard]] std::vector<label::Bucket> occurring() const;
    void makeButtons();
    void refresh();
    void refreshLines();
    [[nodiscard]] QToolButton* makeLineButton(const char* name);
    void fitWords();

    [[nodiscard]] std::int64_t largestOf(label::Bucket band) const;
    void addBand(label::Bucket band);
    void setTip(const Button& button);
    void refreshChoice();

    ViewState& m_state;
    ViewState* m_other = nullptr;
    std::vector<Button> m_buttons;
    bool m_are_buckets = true; ///< What the buttons are of.
    int m_words_width = 0; ///< Of these buttons with their words.
    BandGrouper* m_grouper = nullptr;
    ChipCombo* m_choice = nullptr; ///< Null: bands are buckets.
    QToolButton* m_show_all;
    QToolButton* m_ghost; ///< The curve of a what-if, while there is one.
    QToolButton* m_simulated; ///< The line of a simulation, while there is one.
    QToolButton* m_single; ///< Every allocation by itself, instead of bands.
};

} // namespace tidemark::ui
