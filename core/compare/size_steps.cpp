// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/size_steps.h"

#include <cmath>

namespace tidemark::compare {
namespace {

/// Where an expression says how a size grows, it may be off by this much: a sequence less one.
constexpr double kStatedSlack = 0.03;
/// Where any product will do, only by rounding.
constexpr double kFreeSlack = 0.002;
constexpr int kMostPower = 2;
constexpr std::array<double, 5> kWidths{1.0, 0.5, 2.0, 0.25, 4.0};

/// Exponents, and what elements are wider by.
struct Route {
    int sequence = 0;
    int batch = 0;
    int rows = 0;
    double width = 1;
};

double powerOf(double base, int exponent)
{
    return std::pow(base, exponent);
}

std::optional<SizeSteps> along(std::int64_t from, std::int64_t to, const Growths& growths,
                               const Route& route, double slack)
{
    const auto begin = static_cast<double>(from);
    const double after_sequence = begin * powerOf(growths.sequence, route.sequence);
    const double after_batch = after_sequence * powerOf(growths.batch, route.batch);
    const double after_rows = after_batch * powerOf(growths.rows, route.rows);
    const double reached = after_rows * route.width;
    const auto wanted = static_cast<double>(to);
    if (std::abs(reached - wanted) > slack * wanted) {
        return std::nullopt;
    }
    // What is left by rounding belongs to the last step that was taken.
    SizeSteps steps;
    steps.sequence = std::llround(after_sequence - begin);
    steps.batch = std::llround(after_batch - after_sequence);
    steps.rows = std::llround(after_rows - after_batch);
    const std::int64_t rest = to - from - steps.sequence - steps.batch - steps.rows;
    if (route.width != 1) {
        steps.width = rest;
    } else if (steps.rows != 0) {
        steps.rows += rest;
    } else if (steps.batch != 0) {
        steps.batch += rest;
    } else if (steps.sequence != 0) {
        steps.sequence += rest;
    } else if (rest != 0) {
        return std::nullopt;
    }
    return steps;
}

std::optional<SizeSteps> asStated(const program::SizeUse& use, std::int64_t from, std::int64_t to,
                                  const Growths& growths)
{
    for (const program::Expression& expression : use.expressions) {
        const program::Growth growth = program::growthOf(expression);
        for (const double width : kWidths) {
            if (width != 1 && !growths.changes_width) {
                break;
            }
            const Route route{growth.sequence, growth.batch, growth.batch, width};
            if (const auto steps = along(from, to, growths, route, kStatedSlack)) {
                return steps;
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<SizeSteps> stepsBetween(const program::SizeUse& a, const program::SizeUse& b,
                                      const Growths& growths)
{
    if (a.bytes == b.bytes) {
        return SizeSteps{};
    }
    for (const program::SizeUse* use : {&a, &b}) {
        if (const auto steps = asStated(*use, a.bytes, b.bytes, growths)) {
            return steps;
        }
    }
    for (const double width : kWidths) {
        if (width != 1 && !growths.changes_width) {
            break;
        }
        for (int batch = 0; batch <= 1; ++batch) {
            for (int sequence = 0; sequence <= kMostPower; ++sequence) {
                for (int rows = 0; rows <= kMostPower; ++rows) {
                    const Route route{sequence, batch, rows, width};
                    if (const auto steps = along(a.bytes, b.bytes, growths, route, kFreeSlack)) {
                        return steps;
                    }
                }
            }
        }
    }
    return std::nullopt;
}

SizeSteps stepsFrom(const program::SizeUse& a, const Growths& growths)
{
    if (a.expressions.empty()) {
        return {};
    }
    const program::Growth growth = program::growthOf(a.expressions.front());
    const auto begin = static_cast<double>(a.bytes);
    const double after_sequence = begin * powerOf(growths.sequence, growth.sequence);
    const double after_batch = after_sequence * powerOf(growths.batch, growth.batch);
    const double after_rows = after_batch * powerOf(growths.rows, growth.batch);
    return {std::llround(after_sequence - begin), std::llround(after_batch - after_sequence),
            std::llround(after_rows - after_batch), 0};
}

} // namespace tidemark::compare
