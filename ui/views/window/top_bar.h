// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/timeline.h"
#include "ui/models/session.h"

#include <QtCore/QString>
#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QMenuBar;
class QToolButton;

namespace tidemark::ui {

class CapacityField;

/// The bar at the top: the opened files as chips, the device, the horizontal axis, the report. It
/// shows what it is told and asks for everything else by signals.
class TopBar : public QWidget {
    Q_OBJECT
public:
    struct File {
        FileId id = 0;
        QString letter;
        QString name; ///< What tells it from the others.
        QString path;
        bool is_loading = false;
        bool is_active = false; ///< Filled: the one being shown, or both while comparing.
        friend bool operator==(const File&, const File&) = default;
    };
    struct Device {
        std::size_t index = 0;
        QString name;
        friend bool operator==(const Device&, const Device&) = default;
    };

    /// The menu bar is placed at the left and taken over.
    explicit TopBar(QMenuBar* menu, QWidget* parent = nullptr);

    void setFiles(const std::vector<File>& files);
    void setComparing(bool possible, bool on);
    /// The job of many ranks that is open, before all files; empty: none. Shown by setFiles.
    void setJob(const QString& name, const QString& paths, bool is_active);
    /// Hidden with fewer than two.
    void setDevices(const std::vector<Device>& devices, std::size_t current);
    /// Which axes there are, and the one that is shown. The shared one is of a comparison.
    struct Axes {
        projection::Axis shown = projection::Axis::event;
        bool time = false;
        bool shared = false;
        friend bool operator==(const Axes&, const Axes&) = default;
    };
    void setAxes(const Axes& axes);
    void setReportEnabled(bool enabled);
    /// What the process can get; hidden without a file and beside a comparison.
    [[nodiscard]] CapacityField& capacity()
    {
        return *m_capacity;
    }
    void setCapacityVisible(bool visible);

Q_SIGNALS:
    void fileChosen(quint64 id);
    void fileClosed(quint64 id);
    void jobChosen();
    void jobClosed();
    void addRequested();
    void compareToggled(bool on);
    void deviceChosen(std::size_t index);
    void axisChosen(tidemark::projection::Axis axis);
    void reportRequested();
    void themeToggled();
    void searchRequested();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeFileChip(const File& file);
    QWidget* makeJobChip();
    QWidget* makeAxisSwitch();
    void arrangeAxes(bool as_menu);
    void drawIcons();
    void makeChips();
    void fitNames();
    [[nodiscard]] int roomForName() const; ///< Negative where there is not enough for the rest.
    [[nodiscard]] int nameWidth() const;

    struct JobChip {
        QString name; ///< Empty: there is none.
        QString paths;
        bool is_active = false;
        friend bool operator==(const JobChip&, const JobChip&) = default;
    };
    JobChip m_job;
    JobChip m_shown_job; ///< Of the chips.
    std::vector<File> m_shown;
    bool m_has_chips = false;
    std::vector<Device> m_devices;
    std::size_t m_current_device = 0;
    std::optional<Axes> m_axes;
    int m_name_width = 0;
    QLabel* m_brand;
    QHBoxLayout* m_files;
    QToolButton* m_add;
    QToolButton* m_compare;
    QToolButton* m_search;
    QComboBox* m_device;
    CapacityField* m_capacity;
    QWidget* m_axis = nullptr;
    QToolButton* m_shared = nullptr;
    QToolButton* m_events = nullptr;
    QToolButton* m_time = nullptr;
    QToolButton* m_axis_choice = nullptr;
    bool m_has_shared = false;
    QToolButton* m_report;
    QToolButton* m_theme;
};

} // namespace tidemark::ui
