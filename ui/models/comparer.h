// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/projection/shared_axis.h"
#include "ui/models/newest_job.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::ui {

/// One of the runs that are compared: a device of a file, and the letter that the file bears.
struct ComparedRun {
    diagnose::Analysis analysis; ///< Requires snapshot, replay, labels and curves.
    std::size_t device = 0;
    QString letter;

    [[nodiscard]] const curves::DeviceCurves& curves() const
    {
        return analysis.curves->devices[device];
    }
    [[nodiscard]] const label::DeviceLabels& labels() const
    {
        return analysis.labels->devices[device];
    }
    /// The total at the peak.
    [[nodiscard]] Bytes peak() const
    {
        return curves().replay().activeAt(curves().replay().peak);
    }
    friend bool operator==(const ComparedRun& x, const ComparedRun& y)
    {
        return x.analysis.snapshot == y.analysis.snapshot
            && x.analysis.generation == y.analysis.generation && x.device == y.device
            && x.letter == y.letter;
    }
};

/// What a person says about what lies beside what.
struct HandAlignment {
    std::vector<compare::MatchedMoment> pairs; ///< In the order in which they were set.
    bool is_shift = false; ///< Nothing else lies beside each other: the second run is shifted.
    friend bool operator==(const HandAlignment&, const HandAlignment&) = default;
};

/// What is held against each other.
struct ComparedMoment {
    compare::At at = compare::At::peaks;
    /// With `At::events`: the largest total of this phase in each run, instead of the states.
    std::optional<label::Phase> phase{};
    StateId base{}; ///< For `At::event` and `At::events`.
    StateId against{};
    friend bool operator==(const ComparedMoment&, const ComparedMoment&) = default;
};

/// The state of the largest total in a phase; nullopt where the run has no such phase. O(spans).
[[nodiscard]] std::optional<StateId> largestIn(const ComparedRun& run, label::Phase phase);

/// Where a place of a difference lies, in words.
struct PlaceWords {
    QString where; ///< "model.py:41 forward"; of the run that has it.
    QString operation; ///< "softmax".
};

/// A finished comparison: base is A in `difference`, against is B.
struct ComparedRuns {
    ComparedRun base;
    ComparedRun against;
    ComparedMoment moment;
    HandAlignment by_hand;
    compare::Difference difference;
    /// Where passes begin, turn and end beside each other, rising in both.
    std::vector<compare::MatchedMoment> boundaries;
    projection::SharedAxis axis;
    std::vector<PlaceWords> places; ///< As `difference.parts.places`.

    /// Totals of what is compared, of the peaks themselves where these are.
    [[nodiscard]] Bytes baseBytes() const;
    [[nodiscard]] Bytes againstBytes() const;
    /// "B − A".
    [[nodiscard]] QString differenceTitle() const;
};

/// Compares two runs; may take seconds. Once a stop is requested it returns within a stage, with a
/// result that is not complete.
[[nodiscard]] ComparedRuns compareRuns(const ComparedRun& base, const ComparedRun& against,
                                       const ComparedMoment& moment, const HandAlignment& by_hand,
                                       const std::stop_token& stop);

/// Compares two runs off the window's thread, the newest request only.
class Comparer : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// No effect where that is what is compared already.
    void compare(const ComparedRun& base, const ComparedRun& against, const ComparedMoment& moment,
                 const HandAlignment& by_hand = {});
    void clear();
    /// Null until the first comparison is finished; afterwards the last one that is.
    [[nodiscard]] const std::shared_ptr<const ComparedRuns>& result() const
    {
        return m_result;
    }
    [[nodiscard]] bool isComparing() const
    {
        return m_is_comparing;
    }

Q_SIGNALS:
    void started();
    void finished(); ///< There is a new result.

private:
    struct Request {
        ComparedRun base;
        ComparedRun against;
        ComparedMoment moment;
        HandAlignment by_hand;
        friend bool operator==(const Request&, const Request&) = default;
    };
    std::optional<Request> m_request;
    std::shared_ptr<const ComparedRuns> m_result;
    bool m_is_comparing = false;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
