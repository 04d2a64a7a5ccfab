// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/optimizer_kinds.h"

#include "core/base/ascii.h"
#include "core/base/language.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr Amount kNone{0, 0, 0.25};
constexpr Amount kFewer{0, 0.75, 1}; // a fused kernel has none, plain code one or two
constexpr Amount kEveryParameter{1, 1, 1};

constexpr auto kOptimizers = std::to_array<OptimizerKind>({
    {"adam", 2, 0, kEveryParameter, toSay("Adam keeps two states per trainable parameter.")},
    {"amsgrad", 3, 0, kEveryParameter,
     toSay("Adam with amsgrad keeps three states per trainable parameter.")},
    {"sgd", 0, 0, kNone, toSay("Plain SGD keeps no state.")},
    {"sgd-momentum", 1, 0, kNone,
     toSay("SGD with momentum keeps one state per trainable parameter.")},
    {"lion", 1, 0, kFewer, toSay("Lion keeps one state per trainable parameter.")},
    {"adamw8bit", 0, 2.03, kNone,
     toSay(
         "8-bit Adam keeps 2.03 B per parameter; tensors below 4,096 elements keep 32-bit state.")},
    {"lion8bit", 0, 1.02, kNone, toSay("8-bit Lion keeps 1.02 B per parameter.")},
    {"adamw4bit", 0, 1.06, kNone, toSay("4-bit Adam keeps 1.06 B per parameter.")},
    {"paged-adamw8bit", 0, 2.03, kNone,
     toSay("Paged state is in CUDA unified memory, outside this allocator.")},
    {"adafactor", 0, 0, kNone,
     toSay("Adafactor without momentum keeps one row and one column per matrix.")},
    {"muon", 1, 0, kEveryParameter,
     toSay("Muon keeps one state per hidden matrix; embeddings and vectors use AdamW.")},
    {"one-copy", 1, 0, kEveryParameter, toSay("It keeps one state per trainable parameter.")},
    {"ademamix", 3, 0, kEveryParameter,
     toSay("AdEMAMix keeps three states per trainable parameter.")},
    {"prodigy", 4, 0, kEveryParameter, toSay("Prodigy keeps four states per trainable parameter.")},
    {"lomo", 0, 0, kNone, toSay("LOMO updates in backward and keeps no state.")},
});

/// Parts of an optimizer's name in configurations, and what has them. The first that is found
/// holds.
struct Word {
    std::string_view word;
    std::string_view and_also;
    std::string_view kind; ///< Empty: what it keeps is not known here.
};
constexpr auto kWords = std::to_array<Word>({
    {"8bit", "paged", "paged-adamw8bit"},
    {"8bit", "lion", "lion8bit"},
    {"8bit", "adam", "adamw8bit"},
    {"8bit", "", ""},
    {"4bit", "adam", "adamw4bit"},
    {"4bit", "", ""},
    {"galore", "", ""}, // depends on the rank
    {"apollo", "", ""},
    {"adafactor", "", "adafactor"},
    {"lomo", "", "lomo"},
    {"ademamix", "", "ademamix"},
    {"prodigy", "", "prodigy"},
    {"lion", "", "lion"},
    {"muon", "", "muon"},
    {"rmsprop", "", "one-copy"},
    {"adagrad", "", "one-copy"},
    {"sgd", "", "sgd"},
    {"adam", "", "adam"},
    {"adabelief", "", "adam"},
    {"lamb", "", "adam"},
    {"sophia", "", "adam"},
});

} // namespace

const OptimizerKind* optimizerKind(std::string_view name)
{
    const auto* const found = std::ranges::find(kOptimizers, name, &OptimizerKind::name);
    return found == kOptimizers.end() ? nullptr : found;
}

const OptimizerKind* optimizerOfSetting(std::string_view setting, OptimizerArguments arguments)
{
    const std::string name = loweredAlphanumeric(setting);
    const auto* const word = std::ranges::find_if(kWords, [&](const Word& w) {
        return name.find(w.word) != std::string::npos && name.find(w.and_also) != std::string::npos;
    });
    if (word == kWords.end()) {
        return nullptr;
    }
    if (word->kind == "sgd" && arguments.momentum > 0) {
        return optimizerKind("sgd-momentum");
    }
    return optimizerKind(word->kind == "adam" && arguments.amsgrad ? "amsgrad" : word->kind);
}

double stateCopies(const OptimizerKind& kind, double bytes, double width)
{
    static constexpr double kSmallestTensor = 4096; // elements; below, 8 bits are not worth it
    if (kind.name == "paged-adamw8bit") {
        return 0;
    }
    if (kind.bytes_per_element > 0) {
        return bytes / width < kSmallestTensor ? 2 : kind.bytes_per_element / width;
    }
    if (kind.name == "adafactor") { // a row and a column of a square matrix, in 32 bits
        const double vectors = std::sqrt(std::max(1.0, bytes / 4)) * 4;
        return std::min(1.0, vectors / std::max(1.0, bytes));
    }
    return kind.copies;
}

} // namespace tidemark::diagnose
