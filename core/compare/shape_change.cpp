// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/shape_change.h"

#include "core/base/language.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace tidemark::compare {
namespace {

using program::DimensionName;

/// By use in A, then in B: of the pairs that count. O(allocations log).
std::vector<SizePair> sizePairs(const Both& both,
                                const std::function<bool(AllocationId, AllocationId)>& counts)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> pairs_of;
    for (std::size_t i = 0; i < both.b.allocations().count(); ++i) {
        const AllocationId partner = both.alignment.inA(AllocationId(i));
        if (!partner.isNone() && counts(partner, AllocationId(i))) {
            ++pairs_of[{both.a.program.size_of[partner.index()], both.b.program.size_of[i]}];
        }
    }
    std::vector<SizePair> pairs;
    pairs.reserve(pairs_of.size());
    for (const auto& [uses, count] : pairs_of) {
        pairs.push_back({uses.first, uses.second, count});
    }
    return pairs;
}

/// A dimension's value in both runs; what one of them states of another pass follows from the
/// ratio.
std::pair<std::string, std::string> valueTexts(const Side& a, const Side& b, DimensionName name,
                                               double ratio, const ShapeChange& shape)
{
    const auto valueOf = [name](const Side& side, bool is_stated) {
        const program::Dimension* const found = is_stated ? side.program.find(name) : nullptr;
        return found == nullptr ? 0. : static_cast<double>(found->value);
    };
    double in_a = valueOf(a, shape.is_stated_a);
    double in_b = valueOf(b, shape.is_stated_b);
    if (shape.is_of_pass) {
        in_a = in_a > 0 ? in_a : in_b / ratio;
        in_b = in_b > 0 ? in_b : in_a * ratio;
    }
    const auto text = [](double value) {
        return value > 0 ? fmt::format("{:.0f}", value) : say("not known");
    };
    return {text(in_a), text(in_b)};
}

} // namespace

ShapeChange shapeBetween(const Both& both, SideMoment moment, double width, bool is_other_model,
                         double loops)
{
    ShapeChange shape =
        findShapeChange(both.a, both.b, sizePairs(both, [](auto, auto) { return true; }), width,
                        is_other_model, loops);
    if (shape.model != 1 || width != 1 || is_other_model || loops != 1) {
        return shape;
    }
    const auto lives = [&](AllocationId a, AllocationId b) {
        return moment.is_of_b ? both.b.allocations().isLive(b, moment.state)
                              : both.a.allocations().isLive(a, moment.state);
    };
    return findShapeChangeOfPass(both.a, both.b, sizePairs(both, lives), std::move(shape));
}

void tellPrecisionsBySizes(const Both& both, RunTraits& a, RunTraits& b)
{
    const auto isNarrow = [](const RunTraits& traits) {
        return traits.precision == Precision::narrow;
    };
    if (areToldApart(a, b) || isNarrow(a) || isNarrow(b) || a.weight_counts.empty()
        || a.weight_counts != b.weight_counts) {
        return;
    }
    bool has_inputs = false;
    bool are_inputs_equal = true;
    const auto pairs = sizePairs(both, [&](AllocationId in_a, AllocationId in_b) {
        if (both.a.bucket(in_a) == label::Bucket::input
            && both.b.bucket(in_b) == label::Bucket::input) {
            has_inputs = true;
            are_inputs_equal = are_inputs_equal && both.a.bytes(in_a) == both.b.bytes(in_b);
        }
        return true;
    });
    const double width = has_inputs && are_inputs_equal ? widthBetween(both.a, both.b, pairs) : 1;
    if (width != 1) {
        a.precision = width < 1 ? Precision::full : Precision::autocast;
        b.precision = width < 1 ? Precision::autocast : Precision::full;
    }
}

void addShape(const Side& a, const Side& b, const ShapeChange& shape, FoundChanges& found)
{
    const auto add = [&](ChangeOf of, double ratio, DimensionName name,
                         std::optional<diagnose::ChangeKind> kind = {}) {
        if (ratio != 1) {
            auto [from, to] = valueTexts(a, b, name, ratio, shape);
            std::optional<diagnose::Change> apply;
            if (kind) {
                apply = diagnose::Change{*kind, ratio, {}};
            }
            found.changes.push_back(
                {of, ratio, std::move(from), std::move(to), shape.evidence, std::move(apply), {}});
        }
    };
    const Growths& g = shape.growths;
    add(ChangeOf::sequence, g.sequence, DimensionName::sequence, diagnose::ChangeKind::sequence);
    add(ChangeOf::micro_batch, g.batch, DimensionName::batch, diagnose::ChangeKind::micro_batch);
    add(ChangeOf::rows, g.rows, DimensionName::tokens);
    if (!shape.open.empty()) {
        found.open.push_back(shape.open);
    }
}

} // namespace tidemark::compare
