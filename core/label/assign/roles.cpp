// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/keyed_hash.h"
#include "core/label/assign/assigner.h"
#include "core/label/runs/passes.h"
#include "core/label/stacks/frame_tests.h"
#include "core/replay/rounding.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tidemark::label {
namespace {

/// File and function of the user's frame: "the same piece of model code".
using CodePlace = std::pair<std::uint32_t, std::uint32_t>;

/// Where a matrix was made, and how many bytes it has.
using Matrix = std::pair<CodePlace, std::int64_t>;
struct MatrixHash {
    KeyedHash hash;
    std::size_t operator()(const Matrix& m) const
    {
        return hash.pair((std::uint64_t{m.first.first} << 32) | m.first.second,
                         static_cast<std::uint64_t>(m.second));
    }
};

class RoleFinder {
public:
    RoleFinder(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& out)
        : m_e(evidence)
        , m_a(evidence.replay.allocations)
        , m_gradients(gradients)
        , m_out(out)
    {
    }

    void run()
    {
        if (!m_e.runs.has_training) {
            takeUpdatedWeights();
        }
        markParameters();
        markInputCopies();
        markAttention();
        for (const Run& run : m_e.runs.runs) {
            if (isForwardKind(run.phase)) {
                markLogits(run);
            }
        }
    }

private:
    void takeUpdatedWeights();
    void markParameters();
    [[nodiscard]] bool hasFrozenTwin() const;
    void takeJoinedWeights();
    void markWholeCopies();
    [[nodiscard]] std::optional<std::uint32_t> copyingLine(StackId stack) const;
    [[nodiscard]] static bool isWholeCopy(const SizeCounts& model, const SizeCounts& copy);
    void markInputCopies();
    void markAttention();
    [[nodiscard]] std::vector<AllocationId>
    besideSoftmax(const std::vector<AllocationId>& matrices) const;
    void markLogits(const Run& run);
    [[nodiscard]] std::int64_t failedInLoss(const Run& run) const;
    [[nodiscard]] bool isOfLinearLayer(AllocationId a) const;
    [[nodiscard]] CodePlace codePlace(StackId stack) const;
    [[nodiscard]] bool isPassMemory(AllocationId a) const
    {
        const Bucket b = m_out.bucketOf(a);
        return (b == Bucket::activation || b == Bucket::temporary || b == Bucket::output)
            && m_e.kinds.kind(m_a.stack[a.index()]) != StackKind::optimizer
            && !m_a.alloc_event[a.index()].isNone();
    }

    const RuleInputs& m_e;
    const replay::Allocations& m_a;
    const SizeCounts& m_gradients;
    Assigner& m_out;
};

CodePlace RoleFinder::codePlace(StackId stack) const
{
    const FrameId f = m_e.kinds.ownFrame(stack);
    return f.isNone() ? CodePlace{StringId::kNoneValue, StringId::kNoneValue}
                      : CodePlace{m_e.snapshot.stacks.frame(f).filename.value,
                                  m_e.snapshot.stacks.frame(f).name.value};
}

/// Without a backward, as in zeroth-order methods, nothing needs state or gradients: what one line
/// makes between passes in the sizes of all weights, and keeps, are the weights of after an update.
void RoleFinder::takeUpdatedWeights()
{
    SizeCounts model;
    std::map<std::uint32_t, std::vector<AllocationId>> kept; // by line
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        if (!m_e.livesToTheEnd(a)) {
            continue;
        }
        if (m_out.bucketOf(a) == Bucket::parameter) {
            ++model[m_a.requested[i].value];
        } else if (m_out.bucketOf(a) == Bucket::output && !m_a.alloc_event[i].isNone()) {
            kept[m_e.kinds.ownFrame(m_a.stack[i]).value].push_back(a);
        }
    }
    for (const auto& [line, allocations] : kept) {
        SizeCounts sizes;
        for (const AllocationId a : allocations) {
            ++sizes[m_a.requested[a.index()].value];
        }
        if (!isWholeCopy(model, sizes)) {
            continue;
        }
        for (const AllocationId a : allocations) {
            m_out.assign(a, Bucket::parameter, Role::none, Rule::updated_weights);
        }
    }
}

void RoleFinder::markParameters()
{
    if (m_gradients.empty()) {
        markWholeCopies();
        return;
    }
    SizeCounts left = hasFrozenTwin() ? m_gradients : SizeCounts();
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        if (m_out.bucketOf(a) != Bucket::parameter || m_out.roleOf(a) != Role::none) {
            continue;
        }
        bool is_trained = m_gradients.contains(m_a.requested[i].value);
        if (is_trained && !left.empty()) {
            auto& count = left[m_a.requested[i].value];
            is_trained = count > 0;
            count -= is_trained ? 1 : 0;
        }
        m_out.setRole(a, is_trained ? Role::trainable : Role::frozen);
    }
    takeJoinedWeights();
}

/// One storage holds several weights, as cuDNN's of a recurrence does, and under autocast each has
/// a gradient of its own: what seems frozen is then as large as the gradients that no weight has
/// the size of.
void RoleFinder::takeJoinedWeights()
{
    static constexpr std::int64_t kAlike = 50; // one part in so many; rows may be aligned
    std::set<std::int64_t> sizes;
    std::vector<AllocationId> joined;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        if (m_out.bucketOf(a) != Bucket::parameter) {
            continue;
        }
        const std::int64_t size = m_a.requested[i].value;
        sizes.insert(size);
        if (m_out.roleOf(a) == Role::frozen && !m_gradients.contains(size)
            && m_e.livesToTheEnd(a)) {
            joined.push_back(a);
            bytes += size;
        }
    }
    std::int64_t of_gradients = 0;
    for (const auto& [size, count] : m_gradients) {
        of_gradients += sizes.contains(size) ? 0 : size * count;
    }
    if (of_gradients > 0 && std::abs(bytes - of_gradients) * kAlike <= of_gradients) {
        std::ranges::for_each(joined, [&](AllocationId a) { m_out.setRole(a, Role::trainable); });
    }
}

/// Before any gradient was seen: what one line copied of all weights (an average, a reference) is
/// not trained beside them.
void RoleFinder::markWholeCopies()
{
    const auto trains = [](const Run& run) { return run.phase == Phase::forward; };
    if (std::ranges::none_of(m_e.runs.runs, trains)) {
        return;
    }
    SizeCounts model;
    std::map<std::uint32_t, SizeCounts> copies; // by line
    std::vector<AllocationId> weights;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        if (m_out.bucketOf(a) == Bucket::parameter && m_out.roleOf(a) == Role::none) {
            const std::optional<std::uint32_t> line = copyingLine(m_a.stack[i]);
            ++(line ? copies[*line] : model)[m_a.requested[i].value];
            weights.push_back(a);
        }
    }
    std::erase_if(copies, [&](const auto& copy) { return !isWholeCopy(model, copy.second); });
    if (copies.empty()) {
        return;
    }
    for (const AllocationId a : weights) {
        const std::optional<std::uint32_t> line = copyingLine(m_a.stack[a.index()]);
        m_out.setRole(a, line && copies.contains(*line) ? Role::frozen : Role::trainable);
    }
}

/// The user's line that has tensors copied, if that made the allocation.
std::optional<std::uint32_t> RoleFinder::copyingLine(StackId stack) const
{
    if (stack.isNone() || m_e.kinds.kind(stack) != StackKind::load) {
        return std::nullopt;
    }
    const bool copies = anyFrame(m_e.snapshot, stack, [](std::string_view name, std::string_view) {
        return name == "__deepcopy__";
    });
    return copies ? std::optional(m_e.kinds.ownFrame(stack).value) : std::nullopt;
}

bool RoleFinder::isWholeCopy(const SizeCounts& model, const SizeCounts& copy)
{
    static constexpr double kNearlyAll = 0.95; // of the bytes of both
    double all = 0;
    double copied = 0;
    double alike = 0;
    for (const auto& [size, count] : model) {
        const auto same = copy.find(size);
        const std::int64_t both = same == copy.end() ? 0 : std::min(count, same->second);
        all += static_cast<double>(size * count);
        alike += static_cast<double>(size * both);
    }
    for (const auto& [size, count] : copy) {
        copied += static_cast<double>(size * count);
    }
    return alike > 0 && alike >= kNearlyAll * all && alike >= kNearlyAll * copied;
}

/// Whether a model of the same sizes stands beside the trained one, as references and teachers do:
/// there are twice as many weights as gradients and fewer states than two models would have. Which
/// of them is which does not matter, since they are alike.
bool RoleFinder::hasFrozenTwin() const
{
    static constexpr double kNearlyAll = 0.9; // of the gradients' bytes
    static constexpr std::int64_t kMostStates = 3; // per weight: AMSGrad
    SizeCounts weights;
    SizeCounts states;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        const std::int64_t size = m_a.requested[i].value;
        if (!m_gradients.contains(size)) {
            continue;
        }
        if (m_out.bucketOf(a) == Bucket::parameter && m_out.roleOf(a) == Role::none) {
            ++weights[size];
        } else if (m_out.bucketOf(a) == Bucket::optimizer_state) {
            ++states[size];
        }
    }
    double all = 0;
    double twice = 0;
    for (const auto& [size, count] : m_gradients) {
        const auto bytes = static_cast<double>(size) * static_cast<double>(count);
        const bool is_twice = weights[size] >= 2 * count && states[size] <= kMostStates * count;
        all += bytes;
        twice += is_twice ? bytes : 0;
    }
    return twice >= kNearlyAll * all;
}

/// Autocast copies by the same functions what a layer reads and its weight. Of a weight is what has
/// half its size; where there are more of that size than weights, the last copies of calls are not:
/// what a call reads is copied after its weight and bias.
void RoleFinder::markInputCopies()
{
    SizeCounts halves;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        if (m_out.bucketOf(AllocationId(i)) == Bucket::parameter) {
            ++halves[m_a.requested[i].value / 2];
        }
    }
    if (halves.empty()) {
        return;
    }
    const auto is_cast = [&](std::size_t i) {
        return m_e.kinds.traits(m_a.stack[i]).has(Trait::weight_cast);
    };
    const auto is_of_one_call = [&](std::size_t i, std::size_t k) {
        return is_cast(k) && m_e.kinds.path(m_a.stack[i]) == m_e.kinds.path(m_a.stack[k]);
    };
    for (const Run& run : m_e.runs.runs) {
        std::vector<std::size_t> casts;
        SizeCounts counts;
        for (std::size_t e = run.first_alloc.index(); e <= run.last_alloc.index(); ++e) {
            const AllocationId a = m_e.replay.event_allocation[e];
            if (m_e.device.events.action[e] == trace::Action::alloc && !a.isNone()
                && m_out.roleOf(a) == Role::weight_cast) {
                casts.push_back(a.index());
                ++counts[m_a.requested[a.index()].value];
            }
        }
        for (const std::size_t i : casts) {
            const std::int64_t size = m_a.requested[i].value;
            const auto of_weights = halves.find(size);
            const bool is_last = i + 1 == m_a.count() || !is_of_one_call(i, i + 1);
            if (of_weights == halves.end() || (counts[size] > of_weights->second && is_last)) {
                --counts[size];
                m_out.assign(AllocationId(i), m_out.bucketOf(AllocationId(i)), Role::none,
                             Rule::autocast_input);
            }
        }
    }
}

/// A softmax that is not the loss normalises attention scores; what the same function allocates in
/// the same size, near by, holds the same matrix (scores, masked scores, dropout), made again in
/// backward or not.
void RoleFinder::markAttention()
{
    constexpr std::int64_t kWorthNaming = 64 << 10;
    std::unordered_set<Matrix, MatrixHash> matrices;
    std::set<CodePlace> places;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        const Traits t = m_e.kinds.traits(m_a.stack[i]);
        if (t.has(Trait::softmax) && !t.has(Trait::loss) && isPassMemory(a)
            && m_a.requested[i].value >= kWorthNaming) {
            const CodePlace place = codePlace(m_a.stack[i]);
            if (matrices.emplace(place, m_a.requested[i].value).second) {
                places.insert(place);
            }
        }
    }
    if (matrices.empty()) {
        return;
    }
    std::vector<bool> makes_matrices(m_e.snapshot.stacks.stackCount());
    for (std::size_t s = 0; s < makes_matrices.size(); ++s) {
        makes_matrices[s] = m_e.kinds.kind(StackId(s)) != StackKind::empty
            && places.contains(codePlace(StackId(s)));
    }
    // Without a stack there is neither a softmax nor a place.
    std::vector<AllocationId> same;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        const StackId stack = m_a.stack[i];
        if (!stack.isNone() && makes_matrices[stack.index()] && isPassMemory(a)
            && (m_out.roleOf(a) == Role::none || m_out.roleOf(a) == Role::recomputed)
            && matrices.contains({codePlace(stack), m_a.requested[i].value})) {
            same.push_back(a);
        }
    }
    for (const AllocationId a : besideSoftmax(same)) {
        m_out.setRole(a, Role::attention_matrix);
    }
}

/// Those that lie around a softmax of their size. A hidden layer of the same size in a function of
/// the same name (every module has a `forward`) lies further away. Numbers that stand alone, such
/// as the factors that some operations make, are not counted on the way. O(allocations log).
std::vector<AllocationId> RoleFinder::besideSoftmax(const std::vector<AllocationId>& matrices) const
{
    static constexpr std::size_t kBefore = 12; // allocations: scores, scaled, masked, cast
    static constexpr std::size_t kAfter = 3; // dropout and its mask
    static constexpr std::int64_t kNumber = 1024; // bytes
    std::vector<std::size_t> place(m_a.count()); // how many before it count
    std::size_t counted = 0;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        place[i] = counted;
        counted += m_a.requested[i].value > kNumber ? 1U : 0U;
    }
    const auto is_softmax = [&](AllocationId a) {
        return m_e.kinds.traits(m_a.stack[a.index()]).has(Trait::softmax);
    };
    std::unordered_map<std::int64_t, std::vector<std::size_t>, KeyedNumberHash>
        softmaxes; // by bytes: their places
    for (const AllocationId a : matrices) {
        if (is_softmax(a)) {
            softmaxes[m_a.requested[a.index()].value].push_back(place[a.index()]);
        }
    }
    std::vector<AllocationId> near;
    for (const AllocationId a : matrices) {
        const std::size_t at = place[a.index()];
        const auto& of_size = softmaxes[m_a.requested[a.index()].value];
        const auto next = std::ranges::lower_bound(of_size, at > kAfter ? at - kAfter : 0);
        const bool is_cut = at + kBefore >= counted; // what came after it is not in the trace
        if (is_cut || (next != of_size.end() && *next <= at + kBefore)) {
            near.push_back(a);
        }
    }
    return near;
}

bool RoleFinder::isOfLinearLayer(AllocationId a) const
{
    return anyFrame(m_e.snapshot, m_a.stack[a.index()],
                    [](std::string_view, std::string_view file) {
                        return isFile(file, "torch/nn/modules/linear.py");
                    });
}

/// What the loss asked for where a run ends with its first request, in blocks; 0 for other ends.
std::int64_t RoleFinder::failedInLoss(const Run& run) const
{
    const trace::Events& events = m_e.device.events;
    for (std::size_t i = run.last_alloc.index(); run.is_last && i < events.count(); ++i) {
        if (events.action[i] == trace::Action::oom
            && m_e.kinds.traits(events.stack[i]).has(Trait::loss)) {
            return events.size[i].value;
        }
    }
    return 0;
}

/// The loss's own large tensors are logits-sized; so are the few of the same number of elements
/// that the model's head made just before (in the same, half or double precision).
void RoleFinder::markLogits(const Run& run)
{
    constexpr std::size_t kJustBefore = 8;
    std::vector<AllocationId> pass;
    std::size_t first_loss = 0;
    std::int64_t largest = 0;
    for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
        const AllocationId a = m_e.replay.event_allocation[i];
        if (m_e.device.events.action[i] != trace::Action::alloc || a.isNone()) {
            continue;
        }
        if (m_e.kinds.traits(m_a.stack[a.index()]).has(Trait::loss)) {
            first_loss = largest == 0 ? pass.size() : first_loss;
            largest = std::max(largest, m_a.requested[a.index()].value);
        }
        pass.push_back(a);
    }
    const std::int64_t failed = largest == 0 ? failedInLoss(run) : 0;
    if (failed > 0) {
        first_loss = pass.size();
        largest = failed;
    }
    if (largest == 0) {
        return;
    }
    const auto isAsLarge = [&](std::int64_t one, std::int64_t other) {
        return failed > 0 ? replay::roundToBlock(Bytes{one}) == replay::roundToBlock(Bytes{other})
                          : one == other;
    };
    std::size_t begin = first_loss > kJustBefore ? first_loss - kJustBefore : 0;
    for (std::size_t i = first_loss; i-- > begin;) {
        const std::int64_t size = m_a.requested[pass[i].index()].value;
        if ((isAsLarge(size, largest) || isAsLarge(size * 2, largest))
            && isOfLinearLayer(pass[i])) {
            begin = i; // The head: what lies before it may be as large, but is not its result.
        }
    }
    for (std::size_t i = begin; i < pass.size(); ++i) {
        const std::int64_t size = m_a.requested[pass[i].index()].value;
        const bool same = isAsLarge(size, largest) || isAsLarge(size * 2, largest)
            || isAsLarge(size, largest * 2);
        if (same && isPassMemory(pass[i]) && m_out.roleOf(pass[i]) == Role::none) {
            m_out.setRole(pass[i], Role::logits);
        }
    }
}

} // namespace

void assignRoles(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& assigner)
{
    RoleFinder(evidence, gradients, assigner).run();
}

} // namespace tidemark::label
