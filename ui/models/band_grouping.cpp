// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/band_grouping.h"

#include "ui/models/allocation_list.h"
#include "ui/models/text.h"
#include "ui/models/told_apart.h"
#include "ui/models/view_state.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {

QString bandName(const BandGrouping* grouping, label::Bucket band)
{
    return grouping != nullptr ? text(grouping->bands.names[label::indexOf(band)])
                               : text(label::bucketName(band));
}

QString briefBandName(const BandGrouping* grouping, label::Bucket band,
                      const std::function<QString(const QString&)>& shortened)
{
    const QString name = bandName(grouping, band);
    if (grouping == nullptr || shortened(name) == name) {
        return name;
    }
    const QStringList& briefs = grouping->brief_names;
    const QString brief = briefs[static_cast<qsizetype>(label::indexOf(band))];
    const QString shown = shortened(brief);
    const auto alike = std::count_if(briefs.begin(), briefs.end(), [&](const QString& other) {
        return shortened(other) == shown;
    });
    return alike > 1 ? brief : shown;
}

int bandNumber(const BandGrouping& grouping, label::Bucket band)
{
    const std::size_t number = label::indexOf(band);
    return grouping.bands.other == number ? -1 : static_cast<int>(number);
}

BandGrouper::BandGrouper(ViewState& state, QObject* parent)
    : QObject(parent)
    , m_state(state)
{
    connect(&m_state, &ViewState::deviceChanged, this, &BandGrouper::group);
    connect(&m_state, &ViewState::labelsChanged, this, &BandGrouper::group);
}

void BandGrouper::setBy(query::BandBy by)
{
    if (by != m_by) {
        m_by = by;
        group();
        Q_EMIT byChanged();
    }
}

void BandGrouper::group()
{
    m_job.cancel();
    m_is_busy = false;
    if (!m_state.hasDevice() || m_by == query::BandBy::bucket) {
        m_state.setBandGrouping(nullptr);
        return;
    }
    m_is_busy = true;
    m_job.start(
        this,
        [analysis = m_state.analysis(), device = m_state.device(),
         by = m_by](const std::stop_token& stop) -> std::shared_ptr<const BandGrouping> {
            const auto table = makeAllocationTable(analysis, device);
            Result<query::Bands> bands = query::bands(*table, by, stop);
            if (!bands.has_value()) {
                return nullptr;
            }
            label::DeviceLabels labels;
            labels.bucket = bands.value().of;
            QStringList names;
            for (const std::string& name : bands.value().names) {
                names << text(name);
            }
            return std::make_shared<const BandGrouping>(BandGrouping{
                std::move(bands).value(), curves::DeviceCurves(analysis.replay, device, labels),
                toldApart(names)});
        },
        [this](const std::shared_ptr<std::shared_ptr<const BandGrouping>>& grouping) {
            m_is_busy = false;
            m_state.setBandGrouping(*grouping);
        });
}

} // namespace tidemark::ui
