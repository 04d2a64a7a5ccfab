// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/fit/read_shape.h"

#include <cmath>
#include <set>
#include <tuple>

namespace tidemark::fit {
namespace {

using program::DimensionName;

constexpr std::size_t kMostHeads = 5;
constexpr std::array<std::int64_t, 6> kHeadWidths{64, 32, 128, 80, 40, 96};

std::int64_t countOf(const Counts& counts, std::int64_t key)
{
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
}

/// The largest key that is so; 0: none.
template <class Is>
std::int64_t largestWhere(const Counts& counts, const Is& is)
{
    for (auto it = counts.rbegin(); it != counts.rend(); ++it) {
        if (is(it->first, it->second)) {
            return it->first;
        }
    }
    return 0;
}

/// The most frequent of those that are so, of equal ones the largest; 0: none.
template <class Is>
std::int64_t mostFrequentWhere(const Counts& counts, const Is& is)
{
    Counts some;
    for (const auto& [key, count] : counts) {
        if (is(key)) {
            some.emplace(key, count);
        }
    }
    return mostFrequent(some);
}

void addNew(std::vector<std::int64_t>& values, std::int64_t value)
{
    if (value > 0 && std::ranges::find(values, value) == values.end()) {
        values.push_back(value);
    }
}

/// What the layers of a decoder or encoder are.
struct LayerReading {
    std::int64_t feed_forward = 0;
    std::int64_t layers = 0;
    std::int64_t query = 0;
    std::int64_t keys = 0;
};

/// What is left of the matrices by attention and feed-forward; nothing: they need more.
std::optional<std::int64_t> leftOf(const Counts& rows)
{
    std::int64_t sum = 0;
    for (const auto& [key, count] : rows) {
        if (count < 0) {
            return std::nullopt;
        }
        sum += count;
    }
    return sum;
}

/// Attention and feed-forward such that they use up the matrices, with the fewest left.
std::optional<LayerReading> solved(const program::Program& program, const Counts& rows,
                                   std::int64_t hidden, const Family& family)
{
    const std::int64_t joint = family.is_joint ? 3 * hidden : 0;
    const std::int64_t each = family.is_gated ? 3 : 2;
    using Rank = std::tuple<std::int64_t, bool, std::int64_t, std::int64_t>;
    std::optional<std::pair<Rank, LayerReading>> best;
    for (const auto& [inner, count] : rows) {
        std::set<std::int64_t> depths{valueOf(program, DimensionName::layers), count / each};
        if (joint > 0) {
            depths.insert(countOf(rows, joint));
        }
        depths.erase(0);
        for (const std::int64_t layers : depths) {
            Counts left = rows;
            left[inner] -= each * layers;
            LayerReading found{inner, layers, hidden, hidden};
            if (joint > 0) {
                left[joint] -= layers;
                left[hidden] -= layers;
            } else {
                const auto isOften = [&](std::int64_t, std::int64_t n) { return n >= 2 * layers; };
                found.query = largestWhere(left, isOften);
                if (found.query == 0) {
                    continue;
                }
                found.keys = largestWhere(left, [&](std::int64_t key, std::int64_t n) {
                    return key < found.query && isOften(key, n);
                });
                if (left[found.query] >= 4 * layers || found.keys == 0) {
                    found.keys = found.query;
                }
                left[found.query] -= 2 * layers;
                left[found.keys] -= 2 * layers;
            }
            const std::optional<std::int64_t> rest = leftOf(left);
            const Rank rank{rest.value_or(0), inner < hidden, std::abs(found.query - hidden),
                            -layers};
            if (rest && (!best || rank < best->first)) {
                best = {rank, found};
            }
        }
    }
    return best ? std::optional(best->second) : std::nullopt;
}

/// Of Phi-3: queries, keys and values are one matrix, gate and up another.
std::optional<LayerReading> solvedJoint(const Counts& rows, std::int64_t hidden)
{
    for (const auto& row : rows) {
        const std::int64_t inner = row.first;
        const std::int64_t layers = row.second;
        if (countOf(rows, 2 * inner) != layers) {
            continue;
        }
        const std::int64_t attention = largestWhere(rows, [&](std::int64_t key, std::int64_t n) {
            return n == layers && key != inner && key != 2 * inner;
        });
        const std::int64_t all = attention > 0 ? attention : 3 * hidden;
        return LayerReading{inner, layers, hidden, (all - hidden) / 2};
    }
    return std::nullopt;
}

/// Angles of rotary positions are buffers of half the width that is turned: fp32, or 16 bits where
/// the whole model was cast.
std::vector<std::int64_t> headWidthsOf(const Weights& weights, double turned)
{
    constexpr std::int64_t kMostBytes = 1024;
    constexpr std::int64_t kLeastWidth = 8;
    std::vector<std::int64_t> widths;
    for (auto it = weights.bytes.rbegin(); it != weights.bytes.rend(); ++it) {
        const auto [bytes, count] = *it;
        if ((count != 1 && count != 2 && count != 4) || bytes > kMostBytes) {
            continue;
        }
        for (const std::int64_t element : {std::int64_t{weights.width}, std::int64_t{4}}) {
            const auto width = static_cast<std::int64_t>(2 * static_cast<double>(bytes)
                                                         / static_cast<double>(element) / turned);
            if (width >= kLeastWidth) {
                addNew(widths, width);
            }
        }
    }
    return widths;
}

std::vector<std::int64_t> headsOf(const program::Program& program, const Family& family,
                                  const Weights& weights, const LayerReading& layer)
{
    std::vector<std::int64_t> heads;
    const auto addWidth = [&](std::int64_t width) {
        if (width > 0 && layer.query % width == 0 && layer.keys % width == 0) {
            addNew(heads, layer.query / width);
        }
    };
    if (!family.learned) {
        std::ranges::for_each(headWidthsOf(weights, family.turned), addWidth);
        if (!heads.empty()) {
            return {heads.front()};
        }
    }
    for (const std::int64_t count : valuesOf(program, DimensionName::heads)) {
        addWidth(layer.query % count == 0 ? layer.query / count : 0);
    }
    std::ranges::for_each(kHeadWidths, addWidth);
    heads.resize(std::min(heads.size(), kMostHeads));
    return heads;
}

/// The largest table is that of words; a second one of its size is the head.
struct Words {
    std::int64_t vocabulary = 0;
    bool ties_head = false;
};
std::optional<Words> takeWords(Counts& rows)
{
    const std::int64_t vocabulary =
        largestWhere(rows, [](std::int64_t, std::int64_t count) { return count <= 2; });
    if (vocabulary == 0) {
        return std::nullopt;
    }
    const Words words{vocabulary, rows[vocabulary] == 1};
    rows.erase(vocabulary);
    return words;
}

std::optional<ShapeReading> readMixtral(const program::Program& program, const Weights& weights,
                                        const Words& words)
{
    const Counts& rows = weights.rows;
    std::int64_t layers = valueOf(program, DimensionName::layers);
    for (const auto& [key, count] : rows) {
        if (valueOf(program, DimensionName::layers) == 0 && key > weights.hidden && count > 2) {
            layers = layers == 0 ? count : std::min(layers, count);
        }
    }
    std::vector<std::int64_t> wide;
    std::int64_t keys = weights.hidden;
    for (const auto& [key, count] : rows) {
        if (count == layers && key != words.vocabulary) {
            wide.push_back(key);
        }
        if (count >= 2 * layers && key < weights.hidden) {
            keys = key;
        }
    }
    constexpr std::int64_t kMostExperts = 64;
    std::int64_t experts = 0;
    std::vector<std::int64_t> heads;
    for (const auto& [bytes, count] : weights.bytes) {
        const std::int64_t per_hidden = weights.elementsOf(bytes) / weights.hidden;
        if (count == layers && per_hidden > 0 && per_hidden <= kMostExperts) {
            experts = per_hidden;
        }
        const std::int64_t width = bytes / 2; // Two angles of 4 bytes.
        constexpr std::int64_t kMostAngles = 512;
        if (count <= 2 && bytes <= kMostAngles && width > 0 && weights.hidden % width == 0
            && keys % width == 0) {
            addNew(heads, weights.hidden / width);
        }
    }
    for (const std::int64_t count : valuesOf(program, DimensionName::heads)) {
        addNew(heads, weights.hidden % count == 0 ? count : 0);
    }
    if (wide.size() < 2 || experts == 0 || layers == 0 || heads.empty()) {
        return std::nullopt;
    }
    heads.resize(std::min<std::size_t>(heads.size(), 2));
    ShapeReading found;
    found.config = {{"intermediate_size", wide[wide.size() - 2] / experts},
                    {"num_hidden_layers", layers},
                    {"num_local_experts", experts},
                    {"num_experts_per_tok", 2}};
    found.heads = heads;
    found.query_width = weights.hidden;
    found.key_width = keys;
    return found;
}

std::optional<ShapeReading> readT5(const Weights& weights, const Counts& rows)
{
    const auto isWide = [&](std::int64_t key) { return key > weights.hidden; };
    std::int64_t inner = mostFrequentWhere(rows, isWide);
    inner = inner > 0 ? inner : mostFrequent(rows);
    const std::int64_t attention =
        mostFrequentWhere(rows, [&](std::int64_t key) { return key != inner; });
    constexpr std::int64_t kOfAttention = 12; // Of a layer of each half.
    const std::int64_t layers = countOf(rows, attention) / kOfAttention;
    const bool is_gated = countOf(rows, inner) == 6 * layers;
    // Two tables of relative positions; as large as norms where heads · buckets are the hidden
    // size.
    constexpr std::int64_t kBuckets = 32;
    constexpr std::int64_t kMostT5Heads = 64;
    const std::int64_t norms = 5 * layers + 2;
    std::int64_t heads = 0;
    for (const auto& [bytes, count] : weights.bytes) {
        const std::int64_t elements = weights.elementsOf(bytes);
        if (count == (elements == weights.hidden ? norms + 2 : 2) && elements % kBuckets == 0
            && elements / kBuckets <= kMostT5Heads) {
            heads = elements / kBuckets;
        }
    }
    if (heads == 0 || attention == 0 || countOf(rows, attention) % kOfAttention != 0 || layers == 0
        || (!is_gated && countOf(rows, inner) != 4 * layers)) {
        return std::nullopt;
    }
    ShapeReading found;
    found.config = {{"d_model", weights.hidden},
                    {"d_kv", attention / heads},
                    {"d_ff", inner},
                    {"num_layers", layers},
                    {"num_heads", heads},
                    {"feed_forward_proj", is_gated ? "gated-gelu" : "relu"}};
    found.heads = {heads};
    found.query_width = found.key_width = attention;
    return found;
}

bool isSquare(std::int64_t number)
{
    const auto root =
        static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(number))));
    return root * root == number;
}

std::optional<ShapeReading> readVit(const program::Program& program, const Weights& weights,
                                    const Sizes& sizes)
{
    const std::int64_t hidden = weights.hidden;
    Counts left = weights.rows;
    const std::int64_t inner = mostFrequentWhere(
        left, [&](std::int64_t key) { return key > hidden && countOf(left, key) % 2 == 0; });
    if (inner == 0) {
        return std::nullopt;
    }
    const std::int64_t layers = left[inner] / 2;
    left.erase(inner);
    left[hidden] -= 4 * layers;
    for (const std::int64_t patch : {16, 8, 14, 32, 4, 12}) {
        constexpr std::int64_t kChannels = 3;
        const std::int64_t area = kChannels * patch * patch;
        const std::int64_t places = largestWhere(left, [&](std::int64_t key, std::int64_t count) {
            return count == 1 && key != area && isSquare(key - 1);
        });
        if (countOf(left, area) < 1 || places == 0) {
            continue;
        }
        const auto side =
            static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(places - 1))))
            * patch;
        constexpr std::int64_t kWidestImage = 16'384;
        if (side > kWidestImage) {
            return std::nullopt;
        }
        std::int64_t labels = largestWhere(left, [&](std::int64_t key, std::int64_t count) {
            return count == 1 && key != area && key != places;
        });
        constexpr std::int64_t kFewLabels = 8;
        for (const auto& [bytes, count] : weights.bytes) {
            const std::int64_t elements = weights.elementsOf(bytes);
            const std::int64_t classes = elements % hidden == 0 ? elements / hidden : 0;
            if (labels == 0 && classes > 0 && classes <= kFewLabels
                && weights.bytes.contains(classes * weights.width)) {
                labels = classes;
            }
        }
        ShapeReading found;
        constexpr std::int64_t kMostImages = 512;
        for (std::int64_t batch = 1; batch <= kMostImages; ++batch) {
            if (sizes.has(batch * kChannels * side * side * weights.width)) {
                found.batches.push_back(batch);
            }
        }
        if (found.batches.size() > 2) {
            found.batches.erase(found.batches.begin(), found.batches.end() - 2);
        }
        found.config = {{"intermediate_size", inner},
                        {"num_hidden_layers", layers},
                        {"image_size", side},
                        {"patch_size", patch},
                        {"num_labels", labels > 0 ? labels : 2}};
        found.heads = headsOf(program, {.learned = 0}, weights, {inner, layers, hidden, hidden});
        found.query_width = found.key_width = hidden;
        return found.batches.empty() ? std::nullopt : std::optional(found);
    }
    return std::nullopt;
}

/// The names that GPT-2 and others have for what most call alike.
void addOwnNames(const LayerReading& layer, std::int64_t hidden, ShapeReading& found)
{
    nlohmann::json& config = found.config;
    config.update(nlohmann::json{{"intermediate_size", layer.feed_forward},
                                 {"num_hidden_layers", layer.layers},
                                 {"n_embd", hidden},
                                 {"n_layer", layer.layers},
                                 {"n_inner", layer.feed_forward},
                                 {"n_positions", found.positions},
                                 {"ffn_dim", layer.feed_forward},
                                 {"dim", hidden},
                                 {"hidden_dim", layer.feed_forward},
                                 {"n_layers", layer.layers},
                                 {"d_model", hidden},
                                 {"encoder_layers", layer.layers / 2},
                                 {"decoder_layers", layer.layers - layer.layers / 2},
                                 {"encoder_ffn_dim", layer.feed_forward},
                                 {"decoder_ffn_dim", layer.feed_forward}});
}

std::optional<ShapeReading> readLayers(const program::Program& program, const Family& family,
                                       const Weights& weights, Counts rows)
{
    const std::int64_t hidden = weights.hidden;
    ShapeReading found;
    if (family.learned) {
        // Each half of BART has a table.
        const std::int64_t places = largestWhere(rows, [&](std::int64_t key, std::int64_t count) {
            return count == (family.file == "bart" ? 2 : 1) && key != hidden;
        });
        if (places <= *family.learned) {
            return std::nullopt;
        }
        found.positions = places - *family.learned;
        rows.erase(places);
    }
    const std::optional<LayerReading> layer =
        family.file == "phi3" ? solvedJoint(rows, hidden) : solved(program, rows, hidden, family);
    if (!layer || layer->layers == 0) {
        return std::nullopt;
    }
    found.query_width = layer->query;
    found.key_width = layer->keys;
    found.heads = headsOf(program, family, weights, *layer);
    addOwnNames(*layer, hidden, found);
    return found;
}

} // namespace

std::optional<ShapeReading> readShape(const Recording& recording, const Family& family,
                                      const Weights& weights, const Sizes& sizes)
{
    const program::Program& program = recording.program;
    Counts rows = weights.rows;
    std::optional<ShapeReading> found;
    Words words;
    if (family.file == "vit") {
        found = readVit(program, weights, sizes);
    } else {
        const std::optional<Words> taken = takeWords(rows);
        if (!taken) {
            return std::nullopt;
        }
        words = *taken;
        found = family.file == "mixtral" ? readMixtral(program, weights, words)
            : family.file == "t5"        ? readT5(weights, rows)
                                         : readLayers(program, family, weights, rows);
    }
    if (!found || found->heads.empty()) {
        return std::nullopt;
    }
    found->config.update(nlohmann::json{{"model_type", family.type()},
                                        {"hidden_size", weights.hidden},
                                        {"vocab_size", words.vocabulary},
                                        {"tie_word_embeddings", words.ties_head},
                                        {"max_position_embeddings", found->positions}});
    if (family.window > 0) {
        found->config["sliding_window"] = family.window;
    }
    return found;
}

} // namespace tidemark::fit
