// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/largest_places.h"

#include "ui/models/allocations_model.h"
#include "ui/models/band_grouping.h"
#include "ui/models/one_unit.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kShown = 25;

bool areEqual(const LargestPlaces::Place& a, const LargestPlaces::Place& b)
{
    return a.largest == b.largest && a.bytes == b.bytes && a.count == b.count && a.least == b.least;
}

} // namespace

void LargestPlaces::setDevice(const ViewState& state)
{
    beginResetModel();
    m_state = state.hasDevice() ? &state : nullptr;
    m_texts = m_state == nullptr ? StackTexts() : StackTexts(state.analysis().snapshot);
    m_place_of.clear();
    m_numbers.clear();
    m_places.clear();
    endResetModel();
}

int LargestPlaces::placeOf(StackId stack)
{
    const auto known = m_place_of.find(stack);
    if (known != m_place_of.end()) {
        return known->second;
    }
    const StackTexts::Texts& texts = m_texts.of(stack);
    const int number = texts.line.isEmpty() && texts.operation.isEmpty()
        ? -1
        : m_numbers.try_emplace({texts.line, texts.operation}, int(m_numbers.size())).first->second;
    m_place_of.emplace(stack, number);
    return number;
}

void LargestPlaces::moveTo(StateId state)
{
    std::vector<Place> places;
    if (m_state != nullptr) {
        const std::vector<AllocationId> live = replay::liveAt(m_state->replay(), state);
        const replay::Allocations& all = m_state->replay().allocations;
        const BandGrouping* const grouping = m_state->bandGrouping().get();
        const auto& band_of = grouping != nullptr ? grouping->bands.of : m_state->labels().bucket;
        std::map<std::tuple<int, label::Bucket, std::int64_t>, std::size_t> found;
        for (const AllocationId id : live) {
            const std::size_t i = id.index();
            const std::int64_t bytes = all.requested[i].value;
            const int place = placeOf(all.stack[i]);
            const auto [at, is_new] =
                found.try_emplace({place, band_of[i], place < 0 ? bytes : 0}, places.size());
            if (is_new) {
                places.push_back({id, 0, bytes, bytes, 0});
            }
            Place& sum = places[at->second];
            sum.bytes += bytes;
            sum.least = bytes; // They come in falling order.
            ++sum.count;
        }
        std::ranges::stable_sort(places, std::ranges::greater{}, &Place::bytes);
        places.resize(std::min(places.size(), kShown));
    }
    if (!std::ranges::equal(places, m_places, areEqual)) {
        beginResetModel();
        m_places = std::move(places);
        endResetModel();
    }
}

int LargestPlaces::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_places.size());
}

/// Not what the line beside it says: of parameters that is "__init__", twice.
QString LargestPlaces::operationOf(const Place& place) const
{
    const std::size_t i = place.largest.index();
    const StackTexts::Texts& texts = m_texts.of(m_state->replay().allocations.stack[i]);
    const bool says_more =
        !texts.operation.isEmpty() && !texts.line.endsWith(u' ' + texts.operation);
    return says_more ? texts.operation
                     : bucketWithRole(m_state->labels().bucket[i], m_state->labels().role[i]);
}

QString LargestPlaces::sizesOf(const Place& place) const
{
    if (place.count == 1) {
        return {};
    }
    return (place.least == place.most ? QStringLiteral("%1 × %2") : QStringLiteral("%1 × ≤ %2"))
        .arg(countText(place.count), bytesText({place.most}));
}

QVariant LargestPlaces::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const Place& place = m_places[static_cast<std::size_t>(index.row())];
    const std::size_t i = place.largest.index();
    const QString& line = m_texts.of(m_state->replay().allocations.stack[i]).line;
    const BandGrouping* const grouping = m_state->bandGrouping().get();
    const OneUnit unit({m_places.front().bytes});
    switch (role) {
    case Qt::DisplayRole: {
        QStringList words{operationOf(place)};
        words << line << sizesOf(place);
        words.removeAll(QString());
        return QString(words.join(QStringLiteral(" · ")) % QStringLiteral(" = ")
                       % unit.text({place.bytes}));
    }
    case Qt::ToolTipRole: {
        const QString what = bucketWithRole(m_state->labels().bucket[i], m_state->labels().role[i]);
        return QString(operationOf(place) % u'\n' % (line.isEmpty() ? QString() : line % u'\n')
                       % what % u'\n'
                       % (place.count == 1 ? QString() : sizesOf(place) % QStringLiteral(" = "))
                       % exactBytesText({place.bytes}));
    }
    case AllocationRole:
        return place.largest.value;
    case BytesRole:
        return qint64{place.bytes};
    case SizeRole:
        return unit.text({place.bytes});
    case CountRole:
        return sizesOf(place);
    case OperationRole:
        return operationOf(place);
    case FrameRole:
        return line;
    case BarRole:
        return static_cast<double>(place.bytes)
            / static_cast<double>(std::max<std::int64_t>(1, m_places.front().bytes));
    case BucketRole:
        return grouping == nullptr ? QVariant(static_cast<int>(m_state->labels().bucket[i]))
                                   : QVariant();
    case BandRole:
        return grouping != nullptr ? QVariant(bandNumber(*grouping, grouping->bands.of[i]))
                                   : QVariant();
    default:
        return {};
    }
}

} // namespace tidemark::ui
