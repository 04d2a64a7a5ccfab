// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/model_shape.h"

#include "core/base/json_depth.h"
#include "core/base/language.h"
#include "core/plan/config_reader.h"
#include "core/plan/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tidemark::plan {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostHeads = 4'096;
constexpr double kMostParameters = 1e14;

/// At least as many as the model has, so that sizes can be multiplied without overflow.
double roughParameters(const ModelShape& shape)
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

bool ModelShape::hasExperts(std::int64_t layer) const
{
    return experts && (layer + 1) % experts->every == 0
        && std::ranges::find(experts->dense_layers, layer) == experts->dense_layers.end();
}

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

Result<ModelShape> readModelShape(std::string_view text)
{
    const auto bad = [](std::string sentence) {
        return Error{ErrorCode::badArgument, std::move(sentence), {}};
    };
    Json json;
    try {
        json = Json::parse(text, limitJsonDepth);
    } catch (const std::exception&) {
        return bad(say("The model's configuration is no JSON; give the config.json of a model."));
    }
    if (!json.is_object()) {
        return bad(
            say("The model's configuration is no JSON object; give the config.json of a model."));
    }
    ConfigReader reader(json);
    const std::string type = reader.text("model_type", "");
    const auto family = std::ranges::find(families(), type, &Family::model_type);
    if (family == families().end()) {
        const std::string known = fmt::format("{}", fmt::join(knownModelTypes(), ", "));
        return bad(type.empty()
                       ? say("The configuration names no 'model_type'; known are {}.", known)
                       : say("This 'model_type' is not known here; known are {}.", known));
    }
    ModelShape shape;
    shape.model_type = type;
    shape.stored_type = reader.text("dtype", reader.text("torch_dtype", ""));
    shape.architecture = family->architecture;
    if (family->architecture != Architecture::vit) {
        shape.vocabulary = reader.size("vocab_size");
    }
    shape.ties_head = reader.flag("tie_word_embeddings", family->ties_head);
    if (family->architecture == Architecture::decoder) {
        readDecoder(reader, *family, shape);
    } else {
        readClassicShape(reader, shape);
    }
    if (reader.has("quantization_config")) {
        reader.complain(
            say("Quantized weights are not planned; give the configuration of the model "
                "before it was quantized."));
    }
    if (shape.heads % shape.key_heads != 0) {
        reader.complain(say("The model's heads are no multiple of those of its keys."));
    }
    if (shape.layers > kMostLayers || shape.heads > kMostHeads
        || roughParameters(shape) > kMostParameters) {
        reader.complain(
            say("The configuration is that of no model: it has too many layers, heads or "
                "parameters."));
    }
    if (!reader.complaint().empty()) {
        return bad(reader.complaint());
    }
    return shape;
}

} // namespace tidemark::plan
