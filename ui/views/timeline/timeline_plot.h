// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "ui/models/view_history.h"
#include "ui/models/view_state.h"
#include "ui/views/look/key_help.h"
#include "ui/views/look/qcp.h"
#include "ui/views/timeline/cursor_overlay.h"
#include "ui/views/timeline/timeline_layers.h"
#include "ui/views/timeline/timeline_scene.h"

#include <filesystem>
#include <optional>
#include <span>

class QToolButton;

namespace tidemark::ui {

/// The stacked bands of one device with axes, marks, phases and cursor. What mouse and keys do is
/// listed by `keyHelp`.
class TimelinePlot : public QCustomPlot {
    Q_OBJECT
public:
    static constexpr int kRightMargin = 12; ///< Pixels beside the bands.

    /// `state` outlives the plot.
    explicit TimelinePlot(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] static std::vector<KeyHelp> keyHelp();

    /// Bytes at the upper edge that suit this device alone.
    [[nodiscard]] double naturalTop() const;
    /// Another upper edge, to give two plots one scale; nullopt for its own. With one the height
    /// cannot be zoomed.
    void setSharedTop(std::optional<double> top_bytes);
    /// Pixels left of the bands, to give several plots one axis; nullopt for what labels need.
    void setLeftMargin(std::optional<int> pixels);
    /// What stands below the bands.
    struct Below {
        bool axis_labels = true; ///< Events or times.
        bool only_phases = false; ///< Neither steps nor the program's own scopes.
        friend bool operator==(const Below&, const Below&) = default;
    };
    void setBelow(const Below& below);
    /// Pixels that a plot needs beside its bands: strips, labels, room above.
    [[nodiscard]] int heightBesideBands(const Below& below) const;
    /// Whether its minimum height leaves room for bands that can be read; it does at first.
    void setKeepsBands(bool keeps);
    /// Another run's total, drawn as a line; null for none.
    void setOutline(TimelineScene::Outline outline, const QColor& colour = {});
    /// Beside another run: the letter that its notes and its name for screen readers begin with.
    void setRun(const QString& letter);
    /// What is painted, for tests and for those who hang things beside the plot.
    [[nodiscard]] const TimelineScene& scene() const
    {
        return m_scene;
    }
    /// Rectangle of the bands, in widget coordinates.
    [[nodiscard]] QRect bandRect() const
    {
        return axisRect()->rect();
    }
    /// Writes the picture: PNG, PDF or SVG by the ending. `inputs` are left alone. Errors: those of
    /// `writeOutput`.
    [[nodiscard]] Result<Done> exportTo(const QString& path,
                                        std::span<const std::filesystem::path> inputs = {});
    [[nodiscard]] ViewHistory& history()
    {
        return m_history;
    }

Q_SIGNALS:
    void naturalTopChanged();
    void laidOut(); ///< `bandRect` may have changed.
    void stackRequested(); ///< The allocation that a click selected is to be shown with its stack.
    /// A menu for the allocation that is selected now, at a place of the screen.
    void menuRequested(const QPoint& place);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Press {
        QPointF at;
        Interval<double> range;
        bool has_moved = false;
        enum class Kind : std::uint8_t { pans, selects, boxes } kind = Kind::pans;
        Interval<double> height; ///< Bytes of the vertical axis, as it was.
    };
    [[nodiscard]] Interval<double> wholeHeight() const;
    void setHeight();
    /// Scales the vertical axis (below 1: closer) around a height that stays where it is.
    void zoomHeight(double bytes, double factor);
    void panHeight(double bytes);
    void zoomToBox(const QPointF& from, const QPointF& to);
    bool handleHeightKey(int key, Qt::KeyboardModifiers modifiers);
    [[nodiscard]] bool isOverHeightAxis(const QPointF& position) const;
    void refresh();
    void followLayout();
    void setUpAxes();
    void addLayers();
    void restyle();
    void updateDevice();
    void updateRange();
    void updateTop();
    void repaintCursor();
    void updateSelectionNote();
    void hoverAt(const QPointF& position);
    void endDrag();
    [[nodiscard]] QString wordsAt(const QPointF& position) const;
    [[nodiscard]] bool isOverBands(const QPointF& position) const;
    [[nodiscard]] double coordinateAt(double x) const;
    bool handleKey(int key, Qt::KeyboardModifiers modifiers);
    bool handleRangeKey(int key, Qt::KeyboardModifiers modifiers);
    [[nodiscard]] bool showsBands() const;
    TimelineScene* sceneFor(QCPPainter& painter);
    /// Of the legend above an exported picture.
    [[nodiscard]] int legendHeight() const;
    void paintPicture(QCPPainter& painter);
    [[nodiscard]] QByteArray svgPicture();
    [[nodiscard]] QByteArray pdfPicture();
    [[nodiscard]] QByteArray pngPicture();

    ViewState& m_state;
    TimelineScene m_scene;
    ViewHistory m_history;
    Pointer m_pointer;
    CursorOverlay* m_cursor = nullptr; ///< A child.
    std::optional<Press> m_press;
    std::optional<double> m_shared_top;
    QToolButton* m_height_note = nullptr; ///< A child: shown while the height is zoomed.
    QToolButton* m_selection_note = nullptr; ///< A child: what is selected, and by what.
    QString m_run; ///< Letter; empty: there is no other.
    Below m_below;
    bool m_keeps_bands = true;
    QRect m_band_rect; ///< As it was last laid out.
    bool m_is_refreshing = false; ///< A layout and a frame are on their way.
};

} // namespace tidemark::ui
