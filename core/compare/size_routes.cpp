// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/size_routes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::compare {
namespace {

/// Where an expression says how a size grows, it may be off by this much: a sequence less one.
constexpr double kStatedSlack = 0.03;
/// Where any product will do, only by rounding.
constexpr double kFreeSlack = 0.002;
constexpr int kMostPower = 2;
/// Of the way that a dimension leads, on a scale of ratios: a size with a constant part, as of
/// padding or a state beside the sequence, goes so much of it.
constexpr double kNearlyThere = 0.93;

/// What elements may become wider by; as the weights do comes first. None changes by its square.
std::vector<double> widthsOf(const Growths& growths)
{
    const double w = growths.width;
    return w == 1 ? std::vector<double>{1} : std::vector<double>{1, w, 1 / w};
}

/// A route that leads nowhere explains no difference, however small.
bool leads(const SizeRoute& route, std::int64_t from, std::int64_t to, const Growths& growths,
           double slack)
{
    const double ratio = ratioOf(route, growths);
    const double reached = static_cast<double>(from) * ratio;
    return ratio != 1 && std::abs(std::log(reached / static_cast<double>(to))) <= slack;
}

/// A part of the size follows one dimension, and a small one does not.
std::optional<SizeRoute> withConstantPart(std::int64_t from, std::int64_t to,
                                          const Growths& growths)
{
    const double went = std::log(static_cast<double>(to) / static_cast<double>(from));
    for (const SizeRoute& route :
         {SizeRoute{.sequence = 1}, SizeRoute{.batch = 1}, SizeRoute{.rows = 1}}) {
        const double way = std::log(ratioOf(route, growths));
        if (way != 0 && went / way >= kNearlyThere && went / way < 1) {
            return route;
        }
    }
    return std::nullopt;
}

std::optional<SizeRoute> asStated(const program::SizeUse& a, const program::SizeUse& b,
                                  const Growths& growths)
{
    const std::vector<double> widths = widthsOf(growths);
    const std::size_t most = std::max(a.expressions.size(), b.expressions.size());
    for (std::size_t rank = 0; rank < most; ++rank) {
        for (const double width : widths) {
            // Two readings of one rank: the same one holds whichever run is A.
            std::optional<SizeRoute> found;
            for (const program::SizeUse* const use : {&a, &b}) {
                if (rank >= use->expressions.size()) {
                    continue;
                }
                const program::Growth growth = program::growthOf(use->expressions[rank]);
                const SizeRoute route{growth.sequence, growth.batch, growth.batch, width};
                if (leads(route, a.bytes, b.bytes, growths, kStatedSlack)
                    && (!found || route.sequence > found->sequence
                        || (route.sequence == found->sequence && route.batch > found->batch))) {
                    found = route;
                }
            }
            if (found) {
                return found;
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<SizeRoute> routeBetween(const program::SizeUse& a, const program::SizeUse& b,
                                      const Growths& growths)
{
    if (a.bytes == b.bytes) {
        return SizeRoute{};
    }
    if (const auto route = asStated(a, b, growths)) {
        return route;
    }
    for (const double width : widthsOf(growths)) {
        for (int batch = 0; batch <= 1; ++batch) {
            for (int sequence = 0; sequence <= kMostPower; ++sequence) {
                for (int rows = 0; rows <= kMostPower; ++rows) {
                    const SizeRoute route{sequence, batch, rows, width};
                    if (leads(route, a.bytes, b.bytes, growths, kFreeSlack)) {
                        return route;
                    }
                }
            }
        }
    }
    return withConstantPart(a.bytes, b.bytes, growths);
}

SizeRoute routeOf(const program::SizeUse& use)
{
    if (use.expressions.empty()) {
        return {};
    }
    const program::Growth growth = program::growthOf(use.expressions.front());
    return {growth.sequence, growth.batch, growth.batch, 1};
}

double ratioOf(const SizeRoute& route, const Growths& growths)
{
    return std::pow(growths.sequence, route.sequence) * std::pow(growths.batch, route.batch)
        * std::pow(growths.rows, route.rows) * route.width;
}

} // namespace tidemark::compare
