// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/curves.h"
#include "core/query/bands.h"
#include "ui/models/newest_job.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <functional>
#include <memory>

namespace tidemark::ui {

class ViewState;

/// Bands of a timeline that are no buckets: which allocation is in which, and their bytes in every
/// state. The curves' "bucket" i is band i.
struct BandGrouping {
    query::Bands bands;
    curves::DeviceCurves curves;
    QStringList brief_names; ///< What tells the bands apart, where their names are too long.
};

/// What a band of the shown timeline is called: a bucket, or a group of allocations. Text of the
/// file.
[[nodiscard]] QString bandName(const BandGrouping* grouping, label::Bucket band);

/// The same in little room, as `shortened` makes it: by what tells it apart from the other bands,
/// and whole where it would read as another one.
[[nodiscard]] QString briefBandName(const BandGrouping* grouping, label::Bucket band,
                                    const std::function<QString(const QString&)>& shortened);

/// Of a group, for its colour: its place, −1 for the one of all that are too small for their own.
[[nodiscard]] int bandNumber(const BandGrouping& grouping, label::Bucket band);

/// Keeps the bands of a view what a person chose, whichever device and labels it shows: groups them
/// in the background and hands them over. Until then bands are buckets.
class BandGrouper : public QObject {
    Q_OBJECT
public:
    /// `state` outlives it.
    explicit BandGrouper(ViewState& state, QObject* parent = nullptr);

    [[nodiscard]] query::BandBy by() const
    {
        return m_by;
    }
    void setBy(query::BandBy by);
    [[nodiscard]] bool isBusy() const
    {
        return m_is_busy;
    }

Q_SIGNALS:
    void byChanged();

private:
    void group();

    ViewState& m_state;
    query::BandBy m_by = query::BandBy::bucket;
    bool m_is_busy = false;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
