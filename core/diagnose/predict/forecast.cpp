// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/forecast.h"

#include "core/diagnose/facts/adapter_pairs.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/convolutions.h"
#include "core/diagnose/facts/cut_off.h"
#include "core/diagnose/facts/kinship.h"
#include "core/diagnose/facts/likeness.h"
#include "core/diagnose/facts/linear_layers.h"
#include "core/label/frame_tests.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::anyFrame;
using label::Bucket;
using label::isFile;
using label::Trait;

/// Bytes of one element of the hidden state: that of the weights, or half of it under autocast.
double elementWidth(const Facts& facts, const BlockWeights& weights)
{
    static constexpr double kFull = 4;
    const bool is_narrower = facts.sixteen_bit && !facts.sixteen_bit_states;
    return (weights.width > 0 ? weights.width : kFull) / (is_narrower ? 2 : 1);
}

/// What a pass reads, beside the rows of its hidden state.
struct Inputs {
    /// One number per row: a token, 4 or 8 bytes of it beside 4 or 2 of a weight's element; there
    /// may be one more per sample.
    bool tokens = false;
    bool per_sample = false; ///< A few numbers per sample: classes.
};

Inputs inputsOf(const Facts& facts, const Pass& pass, const BlockWeights& weights, double rows)
{
    static constexpr double kFewest = 0.9;
    static constexpr double kMost = 5;
    static constexpr double kFew = 0.25;
    Inputs inputs;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == Bucket::input && facts.allocations().isLive(a, pass.forward.begin)) {
            const double elements = static_cast<double>(facts.bytes(a)) / (rows * weights.width);
            inputs.tokens = inputs.tokens || (elements >= kFewest && elements <= kMost);
            inputs.per_sample = inputs.per_sample || elements <= kFew;
        }
    }
    return inputs;
}

/// The frame that called the outermost module of a stack, or nothing.
std::optional<Frame> callerOfModel(const Facts& facts, StackId stack)
{
    std::optional<Frame> caller;
    if (stack.isNone()) {
        return caller;
    }
    bool was_module = false;
    for (const FrameId id : facts.snapshot.stacks.frames(stack)) {
        if (!facts.stacks.isPython(id)) {
            continue;
        }
        const Frame& frame = facts.snapshot.stacks.frame(id);
        const bool is_module =
            isFile(facts.snapshot.text(frame.filename), "torch/nn/modules/module.py");
        if (was_module && !is_module) {
            caller = frame; // The outermost is the last.
        }
        was_module = is_module;
    }
    return caller;
}

/// Whether the function that called the model also made what it reads: then it is the loop itself,
/// and its name for the result keeps that until backward has run. One that is only given a batch
/// returns a loss and keeps nothing.
bool callerFeeds(const Facts& facts, const Pass& pass)
{
    std::optional<Frame> caller;
    const auto [first, end] = facts.madeIn(pass);
    for (std::size_t i = first; i < end && !caller; ++i) {
        caller = callerOfModel(facts, facts.allocations().stack[i]);
    }
    if (!caller) {
        return false;
    }
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        const StackId stack = facts.allocations().stack[i];
        if (facts.bucket(a) == Bucket::input && facts.allocations().isLive(a, pass.forward.begin)
            && anyFrame(facts.snapshot, stack, [&](std::string_view name, std::string_view file) {
                   return name == facts.snapshot.text(caller->name)
                       && file == facts.snapshot.text(caller->filename);
               })) {
            return true;
        }
    }
    return false;
}

constexpr double kAlike = 0.01;

/// How many allocations of a pass are as large as that and live, or nothing where blocks make such.
std::optional<int> countLive(const Facts& facts, const Pass& pass, double bytes)
{
    int count = 0;
    const auto [first, end] = facts.madeIn(pass);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        if (std::abs(static_cast<double>(facts.bytes(a)) - bytes) > kAlike * bytes) {
            continue;
        }
        if (facts.layers.layerOf(a) != nullptr) {
            return std::nullopt;
        }
        count += facts.allocations().isLive(a, facts.moment.state) ? 1 : 0;
    }
    return count;
}

bool failedInLoss(const Facts& facts)
{
    return facts.stacks.traits(facts.failedStack()).has(Trait::loss);
}

/// Adds logits of that size with what a loss makes of them; what failed may be one of these. Under
/// autocast a loss reads a copy in 32 bits; the head's own result goes unless the loop keeps it.
void takeLogits(const Facts& facts, const Pass& pass, double logits, Forecast& forecast)
{
    static constexpr double kCopies = 3; // log-softmax, its gradient, that of the logits
    const bool keeps_them = callerFeeds(facts, pass);
    double copies = kCopies + (keeps_them ? 1 : 0);
    if (facts.sixteen_bit && failedInLoss(facts)) {
        const bool has_narrow = countLive(facts, pass, logits / 2).value_or(1) > 0;
        copies = kCopies - (has_narrow && !keeps_them ? 0.5 : 0);
    }
    const auto requested = static_cast<double>(facts.moment.requested.value);
    const std::optional<int> live = countLive(facts, pass, logits);
    forecast.is_at_head = live && std::abs(requested - logits) <= kAlike * logits;
    if (forecast.is_at_head) {
        copies = std::max(1.0, copies - *live);
        forecast.live_logits = std::llround(*live * logits);
    }
    forecast.logits_bytes = static_cast<std::int64_t>(copies * logits);
}

/// Adds logits of a language model: as many rows as the hidden state has, as many columns as the
/// embedding has rows. The embedding is the largest weight that no block has. Nothing where these
/// are not found. Where the loss itself failed that tells.
void addLogits(const Facts& facts, const BlockWeights& weights, std::uint32_t pass,
               Forecast& forecast)
{
    const auto requested = static_cast<double>(facts.moment.requested.value);
    if (failedInLoss(facts) && countLive(facts, facts.passes[pass], requested).value_or(0) > 0) {
        takeLogits(facts, facts.passes[pass], requested, forecast);
        forecast.has_logits = true;
        return;
    }
    if (weights.vector == 0 || weights.width <= 0) {
        return;
    }
    const double row =
        static_cast<double>(weights.vector) * elementWidth(facts, weights) / weights.width;
    const double rows = static_cast<double>(hiddenStateBytes(facts, weights, pass)) / row;
    const Inputs inputs = rows < 1 ? Inputs{} : inputsOf(facts, facts.passes[pass], weights, rows);
    if (!inputs.tokens) {
        return;
    }
    for (auto it = weights.sizes.rbegin(); it != weights.sizes.rend(); ++it) {
        if (!weights.isOfBlocks(it->first) && it->first % weights.vector == 0) {
            const auto columns = static_cast<double>(it->first / weights.vector);
            const double logits = rows * columns * elementWidth(facts, weights);
            takeLogits(facts, facts.passes[pass], logits, forecast);
            // Two weights of that size are an embedding and a head.
            forecast.has_logits = !inputs.per_sample || it->second > 1;
            return;
        }
    }
}

/// Networks that convolve get narrower and deeper from stage to stage, so what one block keeps says
/// nothing about the others.
bool blocksConvolve(const Facts& facts, std::uint32_t pass)
{
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        const Layer* layer = facts.layers.layerOf(a);
        if (layer != nullptr && layer->pass == pass && isConvolution(facts, a)) {
            return true;
        }
    }
    return false;
}

/// The state without what a block makes first.
StateId before(StateId forward_begin)
{
    return {forward_begin.value - (forward_begin.value > 0 ? 1 : 0)};
}

std::int64_t countOf(const std::map<std::int64_t, std::int64_t>& counts, std::int64_t size)
{
    const auto found = counts.find(size);
    return found == counts.end() ? 0 : found->second;
}

/// Whether from each begin to the next layers of the same weights ran, one at least.
bool areAlike(const LayerPlan& plan, const std::vector<StateId>& begins)
{
    std::vector<std::vector<double>> weights(begins.size() - 1); // bytes, by block
    for (std::size_t c = 0; c < plan.begins.size(); ++c) {
        const auto next = std::ranges::lower_bound(begins, plan.begins[c]);
        if (next != begins.begin() && next != begins.end()) {
            const auto block = static_cast<std::size_t>(next - begins.begin()) - 1;
            weights[block].push_back(plan.layers[c].weight);
        }
    }
    return !weights.front().empty()
        && std::ranges::all_of(weights, [&](const auto& of) { return of == weights.front(); });
}

/// How many blocks ran between the first and the last one that had begun, if the layers that ran
/// there are as many as the weights of so many blocks; 0 if not. They may make fewer than were
/// found: where both halves of a block begin alike, what was seen of it looks like two. Adapters
/// are part of the layers that they lie on. `begins`: of the blocks.
std::int64_t blocksBetween(const Facts& facts, const LayerPlan& plan, const BlockWeights& weights,
                           const std::vector<StateId>& begins)
{
    static constexpr std::int64_t kMatrix = 8; // rows at least
    static constexpr double kNear = 0.15;
    static constexpr double kMost = 0.75; // of like blocks, some of whose layers are not known
    std::int64_t in_block = 0;
    const std::map<std::int64_t, std::int64_t> adapters = adapterMatrices(facts);
    for (const auto& [size, count] : weights.sizes) {
        const bool is_matrix = size >= kMatrix * std::max<std::int64_t>(1, weights.vector);
        in_block += is_matrix ? (count - countOf(adapters, size)) / weights.blocks : 0;
    }
    if (in_block <= 1) {
        return 0;
    }
    const auto ran = static_cast<double>(std::ranges::count_if(plan.begins, [&](StateId begin) {
        return begin > begins.front() && begin <= begins.back();
    }));
    const auto between = static_cast<std::int64_t>(begins.size()) - 1;
    const auto wanted = static_cast<double>(between * in_block);
    const bool are_alike = !adapters.empty() && between > 1 && areAlike(plan, begins);
    if (std::abs(ran - wanted) <= kNear * wanted || (are_alike && ran >= kMost * wanted)) {
        return between;
    }
    const bool is_whole =
        adapters.empty() && ran < wanted && std::fmod(ran, static_cast<double>(in_block)) == 0;
    return is_whole ? std::llround(ran) / in_block : 0;
}

/// Whether nothing as large as the last call's result was made after it.
bool isLastMade(const Facts& facts, const Pass& pass, const LayerPlan& plan)
{
    const double output = plan.layers[plan.begins.size() - 1].output;
    const auto [first, end] = facts.madeIn(pass);
    for (std::size_t i = end; i > first; --i) {
        const AllocationId a(i - 1);
        if (static_cast<double>(facts.bytes(a)) == output) {
            return facts.allocations().begin[a.index()] == plan.begins.back();
        }
    }
    return false;
}

/// Adds the layer that sorts each row into words, where the pass reads words and nothing says that
/// it sorts a whole text.
void addTable(const Facts& facts, const Pass& pass, LayerPlan& plan)
{
    static constexpr double kFewest = 0.25; // tokens per row
    static constexpr double kMost = 1.1;
    static constexpr double kFewestWords = 16;
    const Table& table = plan.table;
    const double failed = static_cast<double>(facts.moment.requested.value);
    const std::size_t ran = plan.begins.size();
    const bool in_loss = failedInLoss(facts);
    if (ran > 0 && (plan.layers.size() == ran || in_loss)
        && std::abs(failed - plan.layers[ran - 1].output) <= kAlike * failed) {
        // All have run: what failed is as large as the last result, and is kept beside it. Where
        // only the loss reads that, it goes unless the loop keeps it.
        const bool goes = in_loss && !callerFeeds(facts, pass) && isLastMade(facts, pass, plan);
        const double gone = goes ? plan.layers[ran - 1].output : 0;
        for (auto* const layers : {&plan.layers, &plan.widest}) {
            layers->resize(ran);
        }
        plan.layers.back().kept = std::max(0.0, plan.kept_of_open - gone);
        plan.layers.push_back({0, 0, failed, failed});
        plan.widest.push_back(plan.layers.back());
        return;
    }
    double rows = 0;
    bool sorts_texts = false;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == Bucket::input && facts.allocations().isLive(a, pass.forward.begin)) {
            const double tokens = static_cast<double>(facts.bytes(a)) / table.token;
            const bool is_text = tokens >= kFewest * table.rows && tokens <= kMost * table.rows;
            rows = is_text && (rows == 0 || tokens < rows) ? tokens : rows;
            sorts_texts = sorts_texts || tokens < kFewest * table.rows;
        }
    }
    if (table.columns < kFewestWords || rows == 0 || sorts_texts) {
        return;
    }
    const double logits = std::min(rows, table.rows) * table.columns * table.width;
    if (std::abs(failed - logits) <= kAlike * logits) { // all else has run
        for (auto* const layers : {&plan.layers, &plan.widest}) {
            layers->resize(plan.begins.size());
            layers->back().kept = plan.kept_of_open;
        }
    }
    // The log-softmax, and the logits themselves where the loop keeps them.
    const double kept = logits * (callerFeeds(facts, pass) ? 2 : 1);
    plan.layers.push_back({0, 0, logits, kept});
    plan.widest.push_back({0, 0, logits, 2 * logits});
}

/// Whether too little of a pass through linear layers was seen, or what failed is far larger than
/// all that a layer makes: scores of all against all, say.
bool isOpen(const Facts& facts, const LayerPlan& plan)
{
    static constexpr double kMost = 0.75; // of what it needs
    static constexpr double kFar = 1.5;
    const auto largest = std::ranges::max_element(plan.layers, {}, &PlannedLayer::output);
    return !plan.begins.empty()
        && (plan.made < kMost * largestOfPass(plan, plan.layers, {})
            || static_cast<double>(facts.moment.requested.value) > kFar * largest->output);
}

/// Of what the pass had made until `state` the share that is gone at the moment.
double shareGone(const Facts& facts, const Pass& pass, StateId state)
{
    std::int64_t made = 0;
    std::int64_t gone = 0;
    const auto [first, end] = facts.madeIn(pass);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        if (facts.allocations().isLive(a, state)) {
            made += facts.bytes(a);
            gone += facts.allocations().isLive(a, facts.moment.state) ? 0 : facts.bytes(a);
        }
    }
    return made > 0 ? static_cast<double>(gone) / static_cast<double>(made) : 0;
}

/// Adds the largest matrix of the first block, which has run as a whole; of all where none is
/// known.
void addMatrix(const Facts& facts, std::uint32_t pass, Forecast& forecast)
{
    const auto [first, end] = facts.madeIn(facts.passes[pass]);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        const Layer* const layer = facts.layers.layerOf(a);
        const bool is_in_first = forecast.begun == 0 || (layer != nullptr && layer->number == 0);
        const bool counts = is_in_first && facts.bucket(a) == label::Bucket::activation
            && facts.allocations().isLive(a, facts.moment.state);
        if (!counts) {
            continue;
        }
        if (facts.role(a) == label::Role::attention_matrix
            && facts.bytes(a) >= forecast.matrix_bytes) {
            forecast.matrix_bytes = facts.bytes(a);
            forecast.behind_matrix = 0;
        } else if (facts.role(a) != label::Role::logits) {
            forecast.behind_matrix += facts.bytes(a);
        }
    }
}

} // namespace

Forecast forecastFirstBackward(const Facts& facts)
{
    static constexpr int kOfLoss = 1; // the second is made beside the first
    const Pass* now = cutPass(facts);
    const std::optional<int> before = lossGradientsBefore(facts);
    const std::int64_t requested = facts.moment.requested.value;
    if (now == nullptr || !before || *before > kOfLoss
        || facts.logits_kin->share(requested, facts.moment.state) < 1) {
        return {};
    }
    const std::optional<int> live = countLive(facts, *now, static_cast<double>(requested));
    Forecast forecast;
    forecast.blocks = 1; // all have run
    forecast.is_at_head = true;
    forecast.live_gradients = *before * requested;
    forecast.live_logits = std::max(0, live.value_or(0) - *before) * requested;
    addMatrix(facts, static_cast<std::uint32_t>(now - facts.passes.data()), forecast);
    return forecast;
}

Forecast forecastFirstPass(const Facts& facts)
{
    const Pass* now = cutPass(facts);
    if (now == nullptr) {
        return {};
    }
    const auto pass = static_cast<std::uint32_t>(now - facts.passes.data());
    Forecast forecast;
    std::vector<StateId> begins; // of blocks
    for (const Layer& layer : facts.layers.layers) {
        if (layer.pass == pass) {
            begins.push_back(before(layer.forward_begin));
        }
    }
    if (!begins.empty()) {
        forecast.first_begin = begins.front();
        forecast.last_begin = begins.back();
        forecast.begun = static_cast<std::int64_t>(begins.size());
    }
    const BlockWeights weights = blockWeights(facts);
    LayerPlan plan = findLinearLayers(facts, *now);
    const bool has_blocks =
        forecast.begun >= 2 && weights.blocks >= forecast.begun && !blocksConvolve(facts, pass);
    if (has_blocks) {
        addLogits(facts, weights, pass, forecast);
    }
    const std::int64_t between = has_blocks ? blocksBetween(facts, plan, weights, begins) : 0;
    if (between > 0) {
        forecast.begun = between + 1;
    }
    if (has_blocks && (forecast.is_at_head || !plan.isKnown() || between > 0)) {
        forecast.blocks = weights.blocks;
        addMatrix(facts, pass, forecast);
        forecast.passing = shareGone(facts, *now, forecast.last_begin);
        return forecast;
    }
    Forecast without;
    if (!has_blocks && failedInLoss(facts)) {
        addLogits(facts, weights, pass, without);
        if (without.is_at_head) {
            without.blocks = 1; // it has run
            addMatrix(facts, pass, without);
            return without;
        }
    }
    if (plan.isKnown()) {
        addTable(facts, *now, plan);
        without.plan = std::move(plan);
        without.is_open = isOpen(facts, without.plan);
    } else {
        without.plan = findConvolutions(facts, *now);
        without.is_open = without.plan.isKnown(); // what its backward works in was not seen
    }
    return without;
}

std::string_view forecastNote(const Forecast& forecast)
{
    if (forecast.is_at_head) {
        return "The first forward pass was cut off at its loss; what that and backward make of the "
               "logits is added.";
    }
    if (forecast.blocks > 0) {
        return "The first forward pass was cut off; what the rest of it needs is taken from the "
               "blocks that ran and the weights of the others.";
    }
    if (!forecast.plan.isKnown()) {
        return "The first forward pass was cut off, so what the rest of it needs is not in the "
               "file; the range allows for as much as before and a quarter more.";
    }
    return forecast.plan.begins.empty()
        ? "The first forward pass was cut off; what the rest of it needs is taken from the layers "
          "that ran and the weights of the others: where the channels double, the picture is taken "
          "to have a quarter of the area, at the upper end half of it."
        : "The first forward pass was cut off; what the rest of it needs is taken from the layers "
          "that ran and the weights that none had used yet.";
}

} // namespace tidemark::diagnose
