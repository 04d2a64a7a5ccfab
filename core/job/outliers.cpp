// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/judge_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace tidemark::job {
namespace {

using label::Bucket;

/// How many times as far from the median as most are: of four to a thousand ranks whose sizes vary
/// by nature (normal in their logarithm), one job in fifty has a rank as far away.
constexpr double kFar = 8;
/// Of three ranks two are near each other by chance: so many times as near as the third.
constexpr double kFarOfThree = 30;
/// Activations of the first stage, of those of the last but one: what falls for a reason.
constexpr double kFalls = 1.1;

std::int64_t wantedOf(const Job& job, std::size_t row)
{
    return job.rows[row].wanted().value;
}

/// The lower median: always of an actual rank.
std::int64_t lowerMedian(const Job& job, const std::vector<std::size_t>& rows)
{
    std::vector<std::int64_t> wanted;
    wanted.reserve(rows.size());
    for (const std::size_t row : rows) {
        wanted.push_back(wantedOf(job, row));
    }
    const auto middle = wanted.begin() + static_cast<std::ptrdiff_t>((wanted.size() - 1) / 2);
    std::ranges::nth_element(wanted, middle);
    return *middle;
}

/// Between the numbers of two ranks, or between their rows where they have none.
std::size_t distanceBetween(const Job& job, std::size_t a, std::size_t b)
{
    const auto& rank_a = job.rows[a].rank;
    const auto& rank_b = job.rows[b].rank;
    const std::size_t at_a = rank_a && rank_b ? *rank_a : a;
    const std::size_t at_b = rank_a && rank_b ? *rank_b : b;
    return at_a > at_b ? at_a - at_b : at_b - at_a;
}

/// Of the ranks that hold the median: the nearest to one, whose data and node are most alike.
std::size_t medianRank(const Job& job, const std::vector<std::size_t>& rows, std::int64_t median,
                       std::size_t to)
{
    std::optional<std::size_t> nearest;
    for (const std::size_t row : rows) {
        if (row != to && wantedOf(job, row) == median
            && (!nearest || distanceBetween(job, row, to) < distanceBetween(job, *nearest, to))) {
            nearest = row;
        }
    }
    return nearest.value_or(to);
}

/// What ranks of a stage have in common: sharding over data, tensors, sequences or experts gives
/// each of them as much, so these coordinates do not tell ranks apart.
Coordinates stageOf(const RankSummary& row)
{
    static constexpr std::array<std::string_view, 6> kAlike{"dp", "ddp", "fsdp", "tp", "cp", "ep"};
    Coordinates stage;
    for (const auto& [name, value] : row.coordinates) {
        if (std::ranges::find(kAlike, name) == kAlike.end()) {
            stage.emplace(name, value);
        }
    }
    return stage;
}

std::int64_t weightsOf(const Job& job, std::size_t row)
{
    return job.rows[row].largest[label::indexOf(Bucket::parameter)];
}

/// Rows with equal weights, by rising weights.
std::vector<std::vector<std::size_t>> byWeights(const Job& job, std::vector<std::size_t> rows)
{
    std::ranges::stable_sort(rows, {}, [&job](std::size_t row) { return weightsOf(job, row); });
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t row : rows) {
        if (groups.empty()
            || !areEqual(weightsOf(job, groups.back().front()), weightsOf(job, row))) {
            groups.emplace_back();
        }
        groups.back().push_back(row);
    }
    return groups;
}

/// Ranks that should hold the same: of one place in the mesh; where no name tells it and no
/// majority has the same weights, those with the same weights.
std::vector<std::vector<std::size_t>> groupsOf(const Job& job, const std::vector<std::size_t>& rows)
{
    std::map<Coordinates, std::vector<std::size_t>> by_stage;
    for (const std::size_t row : rows) {
        by_stage[stageOf(job.rows[row])].push_back(row);
    }
    std::vector<std::vector<std::size_t>> groups;
    if (by_stage.size() > 1) {
        for (auto& [stage, members] : by_stage) {
            groups.push_back(std::move(members));
        }
        return groups;
    }
    groups = byWeights(job, rows);
    const bool has_majority = std::ranges::any_of(
        groups, [&](const auto& group) { return 2 * group.size() > rows.size(); });
    if (has_majority) {
        return {rows};
    }
    return groups;
}

double distanceOf(std::int64_t wanted, std::int64_t median)
{
    return std::abs(std::log(static_cast<double>(std::max<std::int64_t>(1, wanted))
                             / static_cast<double>(std::max<std::int64_t>(1, median))));
}

/// From which distance on a rank is the odd one of its group. Sizes vary by factors (sequences,
/// images), so distances are those of logarithms.
double thresholdOf(const Job& job, const std::vector<std::size_t>& rows, std::int64_t median)
{
    std::vector<double> distances;
    distances.reserve(rows.size());
    for (const std::size_t row : rows) {
        distances.push_back(distanceOf(wantedOf(job, row), median));
    }
    const bool are_three = rows.size() == 3;
    const std::size_t middle = are_three ? 1 : (rows.size() + 1) / 2; // The median's own is 0.
    std::ranges::nth_element(distances, distances.begin() + static_cast<std::ptrdiff_t>(middle));
    return std::max(std::log1p(kDiffers), (are_three ? kFarOfThree : kFar) * distances[middle]);
}

/// A dump of fewer steps than the median rank's may lack its peak: that it holds less says nothing.
bool isOfEarlierSteps(const Job& job, std::size_t row, std::int64_t median)
{
    return wantedOf(job, row) < median && job.rows[row].steps < job.rows[*job.median].steps;
}

/// A rank that held as much as one that failed held just before its request: what it lacks is that
/// request, which it may have been about to make.
bool lacksRequestAlone(const Job& job, std::size_t row, std::size_t against)
{
    const RankSummary& one = job.rows[row];
    const RankSummary& other = job.rows[against];
    return !one.hasFailed() && other.hasFailed()
        && areEqual(label::totalOf(one.decisive), label::totalOf(other.decisive), kDiffers);
}

Outlier outlierOf(const Job& job, std::size_t row, std::size_t against)
{
    const RankSummary& one = job.rows[row];
    const RankSummary& other = job.rows[against];
    Outlier outlier{row, against, one.wanted() - other.wanted(), Bucket::unknown, {}, {}};
    const std::int64_t sign = outlier.delta.value < 0 ? -1 : 1;
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const std::int64_t delta = one.largest[b] - other.largest[b];
        if (sign * delta > sign * outlier.bucket_delta.value) {
            outlier.bucket = label::bucketAt(b);
            outlier.bucket_delta = {delta};
        }
    }
    return outlier;
}

/// Whether activations fall from stage to stage but for the last one, which adds the logits.
bool fallsOver(const std::vector<std::int64_t>& stages)
{
    for (std::size_t i = 1; i + 1 < stages.size(); ++i) {
        if (static_cast<double>(stages[i]) > (1 + kDiffers) * static_cast<double>(stages[i - 1])) {
            return false;
        }
    }
    const std::size_t last = stages.size() == 2 ? 1 : stages.size() - 2;
    return static_cast<double>(stages.front()) > kFalls * static_cast<double>(stages[last]);
}

/// Whether stages hold as many times what the last one holds as there are stages from them on: each
/// has run forward for all micro-batches that those behind it have not given back yet.
bool areMultiplesOfTheLast(const std::vector<std::int64_t>& stages)
{
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const auto times = static_cast<std::int64_t>(stages.size() - i);
        if (stages.back() <= 0 || !areEqual(stages[i], times * stages.back(), kDiffers)) {
            return false;
        }
    }
    return true;
}

std::int64_t activationsOf(const RankSummary& row)
{
    return row.decisive[label::indexOf(Bucket::activation)];
}

/// Whether ranks hold weights of their own, and the states of them: stages do, and a copy of a
/// checkpoint has no state.
bool haveOwnWeights(const Job& job, const std::vector<std::size_t>& rows)
{
    std::set<std::int64_t> states;
    const auto groups = byWeights(job, rows);
    const bool has_majority = std::ranges::any_of(
        groups, [&](const auto& group) { return group.size() + 2 > rows.size(); });
    for (const auto& group : groups) {
        std::int64_t most = 0;
        for (const std::size_t row : group) {
            most = std::max(most, job.rows[row].largest[label::indexOf(Bucket::optimizer_state)]);
        }
        states.insert(most);
    }
    return groups.size() > 1 && !has_majority && states.size() == groups.size();
}

/// The one that failed first is always held against the others: of its kind where there are any.
void addFirstToFail(Job& job, const std::vector<std::size_t>& rows, std::size_t failed)
{
    std::vector<std::size_t> peers = rows;
    for (std::vector<std::size_t>& group : groupsOf(job, rows)) {
        if (group.size() > 1 && std::ranges::find(group, failed) != group.end()) {
            peers = std::move(group);
        }
    }
    std::erase(peers, failed);
    const std::int64_t median = lowerMedian(job, peers);
    if (distanceOf(wantedOf(job, failed), median) > std::log1p(kDiffers)) {
        const std::size_t against = medianRank(job, peers, median, failed);
        job.outliers.insert(job.outliers.begin(), outlierOf(job, failed, against));
    }
}

} // namespace

Pipeline findPipeline(const Job& job)
{
    const std::vector<std::size_t> rows = readRows(job);
    std::map<std::int64_t, std::int64_t> of_stage;
    bool is_named = !rows.empty();
    for (const std::size_t row : rows) {
        const auto pp = job.rows[row].coordinates.find("pp");
        is_named = is_named && pp != job.rows[row].coordinates.end();
        if (is_named) {
            std::int64_t& most = of_stage[pp->second];
            most = std::max(most, activationsOf(job.rows[row]));
        }
    }
    std::vector<std::int64_t> stages;
    if (is_named && of_stage.size() > 1) {
        for (const auto& [stage, bytes] : of_stage) {
            stages.push_back(bytes);
        }
        return {true, fallsOver(stages)};
    }
    if (is_named || rows.size() < 3) {
        return {};
    }
    for (const std::size_t row : rows) {
        stages.push_back(activationsOf(job.rows[row]));
    }
    const bool falls = fallsOver(stages);
    const bool is_in_use = std::ranges::all_of(
        rows, [&](std::size_t row) { return job.rows[row].uses("pipeline-parallel"); });
    return {is_in_use || areMultiplesOfTheLast(stages) || (falls && haveOwnWeights(job, rows)),
            falls};
}

void findOutliers(Job& job, const Pipeline& pipeline)
{
    const std::vector<std::size_t> rows = readRows(job);
    if (rows.size() < 2) {
        return;
    }
    job.median = *std::ranges::find(rows, lowerMedian(job, rows),
                                    [&job](std::size_t row) { return wantedOf(job, row); });
    const std::optional<std::size_t> failed =
        job.first ? std::optional(job.first->row) : std::nullopt;
    const bool has_unnamed_stages = pipeline.is_one
        && std::ranges::none_of(rows, [&](auto row) { return !stageOf(job.rows[row]).empty(); });
    const auto add = [&](const std::vector<std::size_t>& group, std::size_t row,
                         std::int64_t median) {
        const std::size_t against = medianRank(job, group, median, row);
        if (against != row && !lacksRequestAlone(job, row, against)) {
            job.outliers.push_back(outlierOf(job, row, against));
        }
    };
    for (const std::vector<std::size_t>& group : groupsOf(job, rows)) {
        const std::int64_t median = lowerMedian(job, group);
        const double far = group.size() < 3 ? 0 : thresholdOf(job, group, median);
        for (const std::size_t row : group) {
            const double distance = distanceOf(wantedOf(job, row), median);
            const bool is_odd = group.size() >= 3 && !has_unnamed_stages && distance > far;
            if (is_odd && row != failed && !isOfEarlierSteps(job, row, median)) {
                add(group, row, median);
            }
        }
    }
    std::ranges::stable_sort(job.outliers, std::greater<>(),
                             [](const Outlier& outlier) { return std::abs(outlier.delta.value); });
    if (failed) {
        addFirstToFail(job, rows, *failed);
    }
    // One rank stands for the median in sentences and tables.
    if (!job.outliers.empty()
        && wantedOf(job, job.outliers.front().against) == wantedOf(job, *job.median)) {
        job.median = job.outliers.front().against;
    }
}

} // namespace tidemark::job
