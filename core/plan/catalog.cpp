// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/catalog.h"

#include "core/base/ascii.h"
#include "core/shapes/read_model.h"
#include "resources/cards.json.h"
#include "resources/models.json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace tidemark::plan {
namespace {

using OrderedJson = nlohmann::ordered_json;

// The files are embedded at build time, so a mistake in them is found by the tests, not by a user.

struct ModelFile {
    std::vector<KnownModel> models;
    std::vector<std::string> further; ///< Words of names that say nothing of the shape.
};

ModelFile parseModels()
{
    ModelFile models;
    const OrderedJson file = OrderedJson::parse(resources::modelsJson());
    for (const OrderedJson& entry : file.at("models")) {
        const auto shape = shapes::readModelShape(entry.at("config").dump());
        assert(shape.has_value());
        models.models.push_back(
            {entry.at("name"), entry.at("source"), entry.at("parameters"), shape.value()});
    }
    models.further = file.at("further").get<std::vector<std::string>>();
    return models;
}

const ModelFile& modelFile()
{
    static const ModelFile kFile = parseModels();
    return kFile;
}

std::vector<KnownCard> parseCards()
{
    std::vector<KnownCard> cards;
    const OrderedJson file = OrderedJson::parse(resources::cardsJson());
    for (const OrderedJson& entry : file.at("cards")) {
        const double gib = entry.at("gib");
        const double most = entry.value("most_gib", gib);
        cards.push_back({entry.at("name"), Bytes{std::llround(gib * 0x1p30)},
                         Bytes{std::llround(most * 0x1p30)}, entry.at("gb"),
                         entry.value("also", std::vector<std::string>()),
                         Bytes{entry.at("workspace_bytes").get<std::int64_t>()}, entry.at("source"),
                         !entry.value("rocm", false)});
    }
    return cards;
}

std::string_view behindSlash(std::string_view name)
{
    return name.substr(name.rfind('/') + 1);
}

/// Of "org/Llama-3.1-8B-Instruct" what its shape is called after: "llama318b".
std::string shapeName(std::string_view name)
{
    std::string made;
    std::string word;
    const auto close = [&] {
        made += std::ranges::count(modelFile().further, word) == 0 ? word : std::string();
        word.clear();
    };
    for (const char c : behindSlash(name)) {
        if (isLetter(c) || isDigit(c)) {
            word += lowered(c);
        } else {
            close();
        }
    }
    close();
    return made;
}

} // namespace

std::span<const KnownModel> knownModels()
{
    return modelFile().models;
}

const KnownModel* findModel(std::string_view name)
{
    const std::string wanted = loweredAlphanumeric(name);
    auto found = std::ranges::find_if(knownModels(), [&](const KnownModel& model) {
        return loweredAlphanumeric(model.name) == wanted
            || loweredAlphanumeric(behindSlash(model.name)) == wanted;
    });
    if (found == knownModels().end() && looksLikeModelName(name)) {
        // Of encoders "base" is a size, and none is trained to chat.
        const std::string shape = shapeName(name);
        found = std::ranges::find_if(knownModels(), [&](const KnownModel& model) {
            return model.shape.isCausal() && shapeName(model.name) == shape;
        });
    }
    return found == knownModels().end() || wanted.empty() ? nullptr : &*found;
}

bool looksLikeModelName(std::string_view text)
{
    constexpr std::size_t kLongest = 96;
    return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
        return isLetter(c) || isDigit(c) || c == '-' || c == '_' || c == '.' || c == '/';
    });
}

std::string similarModels(std::string_view name)
{
    // The longest beginning that is the same, behind the slash.
    const std::string wanted = loweredAlphanumeric(behindSlash(name));
    std::vector<std::pair<std::size_t, std::string_view>> ranked;
    for (const KnownModel& model : knownModels()) {
        const std::string candidate = loweredAlphanumeric(behindSlash(model.name));
        const auto same = std::ranges::mismatch(wanted, candidate).in1 - wanted.begin();
        ranked.emplace_back(static_cast<std::size_t>(same), model.name);
    }
    std::ranges::stable_sort(ranked, std::ranges::greater{}, [](const auto& r) { return r.first; });
    constexpr std::size_t kShown = 3;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < std::min(kShown, ranked.size()); ++i) {
        names.push_back(ranked[i].second);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::span<const KnownCard> knownCards()
{
    static const std::vector<KnownCard> kCards = parseCards();
    return kCards;
}

std::string plainCardName(std::string_view name)
{
    // What the driver writes around a card's name, and it says nothing of how much there is.
    constexpr std::array<std::string_view, 15> kAround{
        "nvidia", "geforce", "rtx",  "tesla", "graphics", "generation", "amd", "instinct",
        "hbm2e",  "hbm3e",   "hbm3", "sxm2",  "sxm4",     "sxm5",       "pcie"};
    std::string made = loweredAlphanumeric(name);
    for (const std::string_view word : kAround) {
        const std::size_t at = made.find(word);
        if (at != std::string::npos) {
            made.erase(at, word.size());
        }
    }
    // "A100 80" is "A100 80GB"; "80GB" alone is an amount.
    if (made.ends_with("gb") && isLetter(made.front())) {
        made.resize(made.size() - 2);
    }
    return made;
}

const KnownCard* findCard(std::string_view name)
{
    const std::string wanted = plainCardName(name);
    const auto found = std::ranges::find_if(knownCards(), [&](const KnownCard& card) {
        return plainCardName(card.name) == wanted
            || std::ranges::any_of(card.also, [&](const std::string& other) {
                   return plainCardName(other) == wanted;
               });
    });
    return found == knownCards().end() || wanted.empty() ? nullptr : &*found;
}

} // namespace tidemark::plan
