// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/diagnose/prediction.h"
#include "core/label/runs/step_numbers.h"
#include "core/pipeline/bookmarks.h"

#include <QtCore/QString>

#include <memory>
#include <vector>

namespace tidemark::ui::report {

/// One device of one analysis as the sections read it. What is not there yet is null. Refers to the
/// analysis, which must outlive it.
struct RunView {
    const diagnose::Analysis* analysis = nullptr;
    const trace::Snapshot* snapshot = nullptr;
    std::size_t device_index = 0;
    const trace::Device* device = nullptr; ///< Null in a file without devices.
    const replay::DeviceReplay* replay = nullptr;
    const label::DeviceLabels* labels = nullptr;
    label::StepNumbers steps;
    const curves::DeviceCurves* curves = nullptr;
    const diagnose::DeviceDiagnosis* diagnosis = nullptr;
    QString letter; ///< "A" or "B" in a comparison, else empty.
    /// What the recommended fix leads to, and its title; null without one that changes sizes.
    std::shared_ptr<const diagnose::Prediction> recommended;
    QString recommended_title;
    std::vector<pipeline::Bookmark> bookmarks{}; ///< Of all devices.

    /// The moment the report looks into: just before the diagnosed OOM, else the peak. Requires
    /// replay.
    [[nodiscard]] StateId moment() const;
    [[nodiscard]] bool isOom() const;
    /// The largest active total: what decides on the unit of columns. Zero without replay.
    [[nodiscard]] Bytes largest() const;
    /// Whether nothing was ever allocated or reserved, so that there is nothing to show.
    [[nodiscard]] bool isEmpty() const;
    /// Whether some event makes or frees an allocation or runs out of memory; without, there is
    /// only the state at the dump. O(events).
    [[nodiscard]] bool hasHistory() const;
};

/// The main device of an analysis. Requires its snapshot.
RunView mainRun(const diagnose::Analysis& analysis, const QString& letter = {});
/// Another device of it; requires `device` < deviceCount().
RunView runOfDevice(const diagnose::Analysis& analysis, std::size_t device,
                    const QString& letter = {});

[[nodiscard]] QString
fileTitle(const RunView& run); ///< The file's name, with the letter: "A · x.pickle".
/// "backward of step 2", "setup"; empty where it is not known.
[[nodiscard]] QString placeText(const RunView& run, StateId state);
/// "event 440", "start of the trace".
[[nodiscard]] QString stateText(StateId state);
/// "event 440 · backward of step 2".
[[nodiscard]] QString stateAndPlace(const RunView& run, StateId state);

} // namespace tidemark::ui::report
