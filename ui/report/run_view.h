// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/pipeline/bookmarks.h"

#include <QtCore/QString>

#include <vector>

namespace tidemark::ui::report {

/// The main device of a complete analysis as the pictures read it; without devices all but the
/// snapshot is null. Refers to the analysis, which must outlive it.
struct RunView {
    const diagnose::Analysis* analysis = nullptr;
    const trace::Snapshot* snapshot = nullptr;
    std::size_t device_index = 0;
    const trace::Device* device = nullptr; ///< Null in a file without devices.
    const replay::DeviceReplay* replay = nullptr;
    const label::DeviceLabels* labels = nullptr;
    const curves::DeviceCurves* curves = nullptr;
    const diagnose::DeviceDiagnosis* diagnosis = nullptr;
    QString letter; ///< "A" or "B" in a comparison, else empty.
    std::vector<pipeline::Bookmark> bookmarks{}; ///< Of all devices.

    /// Whether some event makes or frees an allocation or runs out of memory; without, there is
    /// only the state at the dump. O(events).
    [[nodiscard]] bool hasHistory() const;
};

RunView mainRun(const diagnose::Analysis& analysis, const QString& letter = {});

} // namespace tidemark::ui::report
