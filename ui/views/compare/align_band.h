// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/alignment.h"
#include "ui/models/view_state.h"
#include "ui/views/look/key_help.h"

#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace tidemark::ui {

/// Lines between two lanes from where passes of one run begin, turn and end to the same of the
/// other. The lower end of a line can be dragged to where it belongs.
class AlignBand : public QWidget {
    Q_OBJECT
public:
    /// Both outlive it.
    AlignBand(const ViewState& base, const ViewState& against, QWidget* parent);
    [[nodiscard]] static std::vector<KeyHelp> keyHelp();

    /// Rising in both runs. Lines that a person has set are told apart.
    void setMoments(std::vector<compare::MatchedMoment> moments,
                    std::vector<compare::MatchedMoment> by_hand);
    /// Pixels left and right of the lanes' axis.
    void setInsets(int left, int right);
    /// Coordinates in pixels of a line's ends; nullopt out of sight.
    [[nodiscard]] std::optional<QLineF> lineOf(std::size_t moment) const;
    [[nodiscard]] const std::vector<compare::MatchedMoment>& moments() const
    {
        return m_moments;
    }
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    /// A person says that these lie beside each other.
    void aligned(const compare::MatchedMoment& moment);
    /// All of it as it was found again.
    void restored();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// Calls `visit(index, line)` for the lines in sight, from the left. O(log moments + lines in
    /// sight · log knots between two of them).
    template <class Visit>
    void forEachVisible(const Visit& visit) const;
    [[nodiscard]] double xOf(const ViewState& state, StateId at, std::size_t& knot) const;
    [[nodiscard]] StateId againstAt(double x) const;
    /// The line whose lower end is nearest, within reach.
    [[nodiscard]] std::optional<std::size_t> nearest(double x) const;
    void choose(std::optional<std::size_t> moment);
    void step(int moments);

    const ViewState& m_base;
    const ViewState& m_against;
    std::vector<compare::MatchedMoment> m_moments;
    std::vector<compare::MatchedMoment> m_by_hand;
    std::optional<std::size_t> m_chosen;
    std::optional<double> m_dragged_to; ///< Pixels, while the chosen line is dragged.
    int m_left = 0;
    int m_right = 0;
};

} // namespace tidemark::ui
