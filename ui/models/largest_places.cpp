// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/largest_places.h"

#include "ui/models/allocations_model.h"
#include "ui/models/band_grouping.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kShown = 25;
constexpr int kNoPlace = -1; ///< Nothing says where.
constexpr int kUnread = -2;

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
    m_place_of.assign(m_state == nullptr ? 0 : state.analysis().snapshot->stacks.stackCount(),
                      kUnread);
    m_numbers.clear();
    m_places.clear();
    endResetModel();
}

int LargestPlaces::placeOf(StackId stack)
{
    if (stack.isNone()) {
        return kNoPlace;
    }
    int& place = m_place_of[stack.index()];
    if (place == kUnread) {
        const StackTexts::Texts& texts = m_texts.of(stack);
        place = texts.line.isEmpty() && texts.operation.isEmpty()
            ? kNoPlace
            : m_numbers.try_emplace({texts.line, texts.operation}, int(m_numbers.size()))
                  .first->second;
    }
    return place;
}

/// One pass over what is live, in the order of the file, with one look into a table for each.
std::vector<LargestPlaces::Place> LargestPlaces::placesAt(StateId state)
{
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    const replay::Allocations& all = m_state->replay().allocations;
    const BandGrouping* const grouping = m_state->bandGrouping().get();
    const auto& band_of = grouping != nullptr ? grouping->bands.of : m_state->labels().bucket;
    std::vector<Place> places;
    std::vector<std::size_t> of_place; // By place and band.
    std::map<std::pair<std::int64_t, label::Bucket>, std::size_t> of_size; // Without a place.
    const auto numberOf = [&](std::size_t i) -> std::size_t& {
        const int place = placeOf(all.stack[i]);
        if (place == kNoPlace) {
            return of_size.try_emplace({all.requested[i].value, band_of[i]}, kNone).first->second;
        }
        const std::size_t at =
            static_cast<std::size_t>(place) * label::kBucketCount + label::indexOf(band_of[i]);
        if (at >= of_place.size()) {
            of_place.resize(std::max(at + 1, m_numbers.size() * label::kBucketCount), kNone);
        }
        return of_place[at];
    };
    for (const AllocationId id : replay::livingAt(m_state->replay(), state)) {
        const std::int64_t bytes = all.requested[id.index()].value;
        std::size_t& number = numberOf(id.index());
        if (number == kNone) {
            number = places.size();
            places.push_back({id, 0, bytes, bytes, 0});
        }
        Place& sum = places[number];
        if (bytes > sum.most) {
            sum.largest = id;
            sum.most = bytes;
        }
        sum.least = std::min(sum.least, bytes);
        sum.bytes += bytes;
        ++sum.count;
    }
    return places;
}

void LargestPlaces::moveTo(StateId state)
{
    std::vector<Place> places;
    OneUnit unit;
    if (m_state != nullptr) {
        places = placesAt(state);
        const auto shown =
            places.begin() + static_cast<std::ptrdiff_t>(std::min(places.size(), kShown));
        std::partial_sort(places.begin(), shown, places.end(), [](const Place& a, const Place& b) {
            return std::tuple(b.bytes, b.most, a.largest) < std::tuple(a.bytes, a.most, b.largest);
        });
        places.erase(shown, places.end());
        const Bytes most{places.empty() ? 0 : places.front().bytes};
        unit = OneUnit(unitBeside({&most, 1}, m_state->replay().activeAt(state)));
    }
    if (!std::ranges::equal(places, m_places, areEqual) || unit.name() != m_unit.name()) {
        beginResetModel();
        m_places = std::move(places);
        m_unit = unit;
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
        .arg(countText(place.count), m_unit.text({place.most}));
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
    switch (role) {
    case Qt::DisplayRole: {
        QStringList words{operationOf(place)};
        words << line << sizesOf(place);
        words.removeAll(QString());
        return QString(words.join(QStringLiteral(" · ")) % QStringLiteral(" = ")
                       % m_unit.cell({place.bytes}));
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
        return m_unit.cell({place.bytes});
    case CountRole: // The name needs the room more than a bound does; the tooltip has it.
        return place.least == place.most ? sizesOf(place)
                                         : QString(countText(place.count) % QStringLiteral(" ×"));
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
