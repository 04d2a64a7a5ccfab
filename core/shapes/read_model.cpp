// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/shapes/read_model.h"

#include "core/base/json_depth.h"
#include "core/base/language.h"
#include "core/shapes/config_reader.h"
#include "core/shapes/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tidemark::shapes {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostHeads = 4'096;
constexpr double kMostParameters = 1e14;

/// At least as many as the model has, so that sizes can be multiplied without overflow.
double roughParameters(const walk::ModelShape& shape)
{
    const auto of = [](std::int64_t size) { return static_cast<double>(size); };
    const double experts = shape.experts ? of(shape.experts->count) * of(shape.experts->width)
            + of(shape.experts->shared_width) + of(shape.experts->count)
                                         : 0;
    const double layer = of(shape.hidden)
        * (3 * (of(shape.feed_forward) + experts) + 4 * of(shape.heads) * of(shape.head_width));
    return 2 * of(shape.vocabulary) * of(shape.hidden) + of(shape.layers) * layer;
}

} // namespace

std::vector<std::string_view> knownModelTypes()
{
    std::vector<std::string_view> types;
    for (const Family& family : families()) {
        types.push_back(family.model_type);
    }
    return types;
}

bool isModelConfig(std::string_view text)
{
    try {
        const Json json = Json::parse(text, limitJsonDepth);
        return json.is_object() && json.contains("model_type");
    } catch (const std::exception&) {
        return false;
    }
}

Result<walk::ModelShape> readModelShape(std::string_view text)
{
    const auto bad = [](std::string sentence) {
        return Error{ErrorCode::badArgument, std::move(sentence), {}};
    };
    Json json;
    try {
        json = Json::parse(text, limitJsonDepth);
    } catch (const std::exception&) {
        return bad(say("Not JSON: give a model's config.json."));
    }
    if (!json.is_object()) {
        return bad(say("Not a JSON object: give a model's config.json."));
    }
    ConfigReader reader(json);
    const std::string type = reader.text("model_type", "");
    const auto family = std::ranges::find(families(), type, &Family::model_type);
    if (family == families().end()) {
        const std::string known = fmt::format("{}", fmt::join(knownModelTypes(), ", "));
        return bad(type.empty()
                       ? say("The configuration has no 'model_type'; supported: {}.", known)
                       : say("Unsupported 'model_type'; supported: {}.", known));
    }
    walk::ModelShape shape;
    shape.model_type = type;
    shape.stored_type = reader.text("dtype", reader.text("torch_dtype", ""));
    shape.architecture = family->architecture;
    if (family->architecture != walk::Architecture::vit) {
        shape.vocabulary = reader.size("vocab_size");
    }
    shape.ties_head = reader.flag("tie_word_embeddings", family->ties_head);
    if (family->architecture == walk::Architecture::decoder) {
        readDecoder(reader, *family, shape);
    } else {
        readClassicShape(reader, shape);
    }
    if (reader.has("quantization_config")) {
        reader.complain(say("Quantized checkpoints are not supported; give the unquantized model's "
                            "configuration."));
    }
    if (shape.heads % shape.key_heads != 0) {
        reader.complain(say("Attention heads are not a multiple of key-value heads."));
    }
    if (shape.layers > kMostLayers || shape.heads > kMostHeads
        || roughParameters(shape) > kMostParameters) {
        reader.complain(say("Not a real model: too many layers, heads or parameters."));
    }
    if (!reader.complaint().empty()) {
        return bad(reader.complaint());
    }
    return shape;
}

} // namespace tidemark::shapes
