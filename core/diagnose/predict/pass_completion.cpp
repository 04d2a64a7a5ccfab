// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/pass_completion.h"

#include "core/base/language.h"
#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/facts/adapter_pairs.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/cut_off.h"
#include "core/diagnose/facts/reference_pass.h"
#include "core/diagnose/predict/completion_head.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

/// Networks that convolve get narrower and deeper from stage to stage, so what one block keeps says
/// nothing about the others.
bool blocksConvolve(const Facts& facts, std::uint32_t pass)
{
    for (const AllocationId a : facts.ids()) {
        const Layer* layer = facts.layers.layerOf(a);
        if (layer != nullptr && layer->pass == pass && facts.madeBy(a) == MadeBy::convolution) {
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

std::int64_t countAt(const std::map<std::int64_t, std::int64_t>& counts, std::int64_t size)
{
    const auto found = counts.find(size);
    return found == counts.end() ? 0 : found->second;
}

/// Whether from each begin to the next layers of the same weights ran, one at least.
bool areAlike(const PassLayers& pass_layers, const std::vector<StateId>& begins)
{
    std::vector<std::vector<double>> weights(begins.size() - 1); // bytes, by block
    for (std::size_t c = 0; c < pass_layers.begins.size(); ++c) {
        const auto next = std::ranges::lower_bound(begins, pass_layers.begins[c]);
        if (next != begins.begin() && next != begins.end()) {
            const auto block = static_cast<std::size_t>(next - begins.begin()) - 1;
            weights[block].push_back(pass_layers.layers[c].weight);
        }
    }
    return !weights.front().empty()
        && std::ranges::all_of(weights, [&](const auto& of) { return of == weights.front(); });
}

/// How many blocks ran between the first and the last one that had begun, if the layers that ran
/// there are as many as the weights of so many blocks; 0 if not. They may make fewer than were
/// found: where both halves of a block begin alike, what was seen of it looks like two. Adapters
/// are part of the layers that they lie on. `begins`: of the blocks.
std::int64_t blocksBetween(const Facts& facts, const PassLayers& pass_layers,
                           const BlockWeights& weights, const std::vector<StateId>& begins)
{
    static constexpr std::int64_t kMatrix = 8; // rows at least
    static constexpr double kNear = 0.15;
    static constexpr double kMost = 0.75; // of like blocks, some of whose layers are not known
    std::int64_t in_block = 0;
    const std::map<std::int64_t, std::int64_t> adapters = adapterMatrices(facts);
    for (const auto& [size, count] : weights.sizes) {
        const bool is_matrix = size >= kMatrix * std::max<std::int64_t>(1, weights.vector);
        in_block += is_matrix ? (count - countAt(adapters, size)) / weights.blocks : 0;
    }
    if (in_block <= 1) {
        return 0;
    }
    const auto ran =
        static_cast<double>(std::ranges::count_if(pass_layers.begins, [&](StateId begin) {
            return begin > begins.front() && begin <= begins.back();
        }));
    const auto between = static_cast<std::int64_t>(begins.size()) - 1;
    const auto wanted = static_cast<double>(between * in_block);
    const bool are_alike = !adapters.empty() && between > 1 && areAlike(pass_layers, begins);
    if (std::abs(ran - wanted) <= kNear * wanted || (are_alike && ran >= kMost * wanted)) {
        return between;
    }
    const bool is_whole =
        adapters.empty() && ran < wanted && std::fmod(ran, static_cast<double>(in_block)) == 0;
    return is_whole ? std::llround(ran) / in_block : 0;
}

/// Whether nothing as large as the last call's result was made after it.
bool isLastMade(const Facts& facts, const Pass& pass, const PassLayers& pass_layers)
{
    const double output = pass_layers.layers[pass_layers.begins.size() - 1].output;
    const auto [first, end] = facts.madeIn(pass);
    for (std::size_t i = end; i > first; --i) {
        const AllocationId a(i - 1);
        if (static_cast<double>(facts.bytes(a)) == output) {
            return facts.begin(a) == pass_layers.begins.back();
        }
    }
    return false;
}

/// Adds the layer that sorts each row into words, where the pass reads words and nothing says that
/// it sorts a whole text.
void addTable(const Facts& facts, const Pass& pass, PassLayers& pass_layers)
{
    static constexpr double kFewest = 0.25; // tokens per row
    static constexpr double kMost = 1.1;
    static constexpr double kFewestWords = 16;
    const LmHead& table = pass_layers.table;
    const double failed = static_cast<double>(facts.moment.requested.value);
    const std::size_t ran = pass_layers.begins.size();
    const bool in_loss = failedInLoss(facts);
    if (ran > 0 && (pass_layers.layers.size() == ran || in_loss)
        && std::abs(failed - pass_layers.layers[ran - 1].output) <= kAlike * failed) {
        // All have run: what failed is as large as the last result, and is kept beside it. Where
        // only the loss reads that, it goes unless the loop keeps it.
        const bool goes =
            in_loss && !callerFeeds(facts, pass) && isLastMade(facts, pass, pass_layers);
        const double gone = goes ? pass_layers.layers[ran - 1].output : 0;
        for (auto* const layers : {&pass_layers.layers, &pass_layers.widest}) {
            layers->resize(ran);
        }
        pass_layers.layers.back().kept = std::max(0.0, pass_layers.kept_of_open - gone);
        pass_layers.layers.push_back({0, 0, failed, failed});
        pass_layers.widest.push_back(pass_layers.layers.back());
        return;
    }
    double rows = 0;
    bool sorts_texts = false;
    for (const AllocationId a : facts.ids()) {
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
        for (auto* const layers : {&pass_layers.layers, &pass_layers.widest}) {
            layers->resize(pass_layers.begins.size());
            layers->back().kept = pass_layers.kept_of_open;
        }
    }
    // The log-softmax, and the logits themselves where the loop keeps them.
    const double kept = logits * (callerFeeds(facts, pass) ? 2 : 1);
    pass_layers.layers.push_back({0, 0, logits, kept});
    pass_layers.widest.push_back({0, 0, logits, 2 * logits});
}

/// Whether too little of a pass through linear layers was seen, or what failed is far larger than
/// all that a layer makes: scores of all against all, say.
bool isOpen(const Facts& facts, const PassLayers& pass_layers)
{
    static constexpr double kMost = 0.75; // of what it needs
    static constexpr double kFar = 1.5;
    const auto largest = std::ranges::max_element(pass_layers.layers, {}, &PlannedLayer::output);
    return !pass_layers.begins.empty()
        && (pass_layers.made < kMost * largestOfPass(pass_layers, pass_layers.layers, {})
            || static_cast<double>(facts.moment.requested.value) > kFar * largest->output);
}

/// Of what the pass had made until `state` the share that is gone at the moment.
double shareGone(const Facts& facts, const Pass& pass, StateId state)
{
    std::int64_t made = 0;
    std::int64_t gone = 0;
    for (const AllocationId a : facts.madeIn(pass)) {
        if (facts.allocations().isLive(a, state)) {
            made += facts.bytes(a);
            gone += facts.isLive(a) ? 0 : facts.bytes(a);
        }
    }
    return made > 0 ? static_cast<double>(gone) / static_cast<double>(made) : 0;
}

/// Adds the largest matrix of the first block, which has run as a whole; of all where none is
/// known.
void addMatrix(const Facts& facts, std::uint32_t pass, PassCompletion& completion)
{
    for (const AllocationId a : facts.madeIn(facts.passes[pass])) {
        const Layer* const layer = facts.layers.layerOf(a);
        const bool is_in_first = completion.begun == 0 || (layer != nullptr && layer->number == 0);
        const bool counts =
            is_in_first && facts.bucket(a) == label::Bucket::activation && facts.isLive(a);
        if (!counts) {
            continue;
        }
        if (facts.role(a) == label::Role::attention_matrix
            && facts.bytes(a) >= completion.matrix_bytes) {
            completion.matrix_bytes = facts.bytes(a);
            completion.kept_after_matrix = 0;
        } else if (facts.role(a) != label::Role::logits) {
            completion.kept_after_matrix += facts.bytes(a);
        }
    }
}

} // namespace

PassCompletion completeFirstBackward(const Facts& facts, std::optional<int> before)
{
    static constexpr int kOfLoss = 1; // the second is made beside the first
    const Pass* now = cutPass(facts);
    const std::int64_t requested = facts.moment.requested.value;
    if (now == nullptr || !before || *before > kOfLoss
        || facts.logits_kin->share(requested, facts.moment.state) < 1) {
        return {};
    }
    const std::optional<int> live = countLive(facts, *now, static_cast<double>(requested));
    PassCompletion completion;
    completion.blocks = 1; // all have run
    completion.is_at_head = true;
    completion.live_gradients = *before * requested;
    completion.live_logits = std::max(0, live.value_or(0) - *before) * requested;
    addMatrix(facts, static_cast<std::uint32_t>(now - facts.passes.data()), completion);
    return completion;
}

PassCompletion completeFirstPass(const Facts& facts)
{
    const Pass* now = cutPass(facts);
    if (now == nullptr) {
        return {};
    }
    const auto pass = static_cast<std::uint32_t>(now - facts.passes.data());
    PassCompletion completion;
    std::vector<StateId> begins; // of blocks
    for (const Layer& layer : facts.layers.layers) {
        if (layer.pass == pass) {
            begins.push_back(before(layer.forward_begin));
        }
    }
    if (!begins.empty()) {
        completion.first_begin = begins.front();
        completion.last_begin = begins.back();
        completion.begun = static_cast<std::int64_t>(begins.size());
    }
    const BlockWeights& weights = *facts.blocks;
    PassLayers pass_layers = findLinearLayers(facts, *now);
    const bool has_blocks =
        completion.begun >= 2 && weights.blocks >= completion.begun && !blocksConvolve(facts, pass);
    if (has_blocks) {
        addLogits(facts, weights, pass, completion);
    }
    const std::int64_t between =
        has_blocks ? blocksBetween(facts, pass_layers, weights, begins) : 0;
    if (between > 0) {
        completion.begun = between + 1;
    }
    if (has_blocks && (completion.is_at_head || !pass_layers.isKnown() || between > 0)) {
        completion.blocks = weights.blocks;
        addMatrix(facts, pass, completion);
        completion.passing = shareGone(facts, *now, completion.last_begin);
        return completion;
    }
    PassCompletion without;
    if (!has_blocks && failedInLoss(facts)) {
        addLogits(facts, weights, pass, without);
        if (without.is_at_head) {
            without.blocks = 1; // it has run
            addMatrix(facts, pass, without);
            return without;
        }
    }
    if (pass_layers.isKnown()) {
        addTable(facts, *now, pass_layers);
        without.pass_layers = std::move(pass_layers);
        without.is_open = isOpen(facts, without.pass_layers);
    } else {
        without.pass_layers = findConvolutions(facts, *now);
        without.is_open = without.pass_layers.isKnown(); // what its backward works in was not seen
    }
    return without;
}

std::string completionNote(const PassCompletion& completion)
{
    if (completion.is_at_head) {
        return say("The first forward was cut off at its loss; the logits' part of loss and "
                   "backward is added.");
    }
    if (completion.blocks > 0) {
        return say("The first forward was cut off; the rest is estimated from the blocks that ran "
                   "and the other blocks' weights.");
    }
    if (!completion.pass_layers.isKnown()) {
        return say("The first forward was cut off, so the rest is unknown; the range adds up to "
                   "125 % of what ran.");
    }
    return completion.pass_layers.begins.empty()
        ? say("The first forward was cut off; the rest is estimated from the layers that ran and "
              "the other layers' weights. Where channels double, the image area is assumed to be a "
              "quarter (upper bound: half).")
        : say("The first forward was cut off; the rest is estimated from the layers that ran and "
              "the weights not used yet.");
}

} // namespace tidemark::diagnose
