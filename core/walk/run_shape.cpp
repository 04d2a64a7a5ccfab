// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/run_shape.h"

#include "core/base/language.h"

#include <algorithm>
#include <array>

namespace tidemark::walk {
namespace {

template <class T>
struct Word {
    std::string_view word;
    T meaning;
};

/// The first word of a meaning is the one that is printed.
constexpr std::array kPrecisions{
    Word<Precision>{"fp32", Precision::fp32},
    Word<Precision>{"autocast-bf16", Precision::autocast_bf16},
    Word<Precision>{"bf16", Precision::bf16},
    Word<Precision>{"bf16-master", Precision::bf16_master},
};
constexpr std::array kOptimizers{
    Word<Optimizer>{"adamw", Optimizer::adamw},
    Word<Optimizer>{"adamw-fused", Optimizer::adamw},
    Word<Optimizer>{"adamw-foreach", Optimizer::adamw_foreach},
    Word<Optimizer>{"adamw-for-loop", Optimizer::adamw_for_loop},
    Word<Optimizer>{"adamw-8bit", Optimizer::adamw_8bit},
    Word<Optimizer>{"sgd", Optimizer::sgd},
    Word<Optimizer>{"sgd-momentum", Optimizer::sgd_momentum},
    Word<Optimizer>{"adafactor", Optimizer::adafactor},
};
constexpr std::array kAttentions{
    Word<Attention>{"sdpa", Attention::sdpa},
    Word<Attention>{"eager", Attention::eager},
    Word<Attention>{"flash", Attention::flash},
    Word<Attention>{"own", Attention::own},
};
constexpr std::array kLoops{
    Word<Loop>{"trainer", Loop::trainer},
    Word<Loop>{"plain", Loop::plain},
};
constexpr std::array kModes{
    Word<Mode>{"train", Mode::train},
    Word<Mode>{"forward", Mode::forward},
    Word<Mode>{"inference", Mode::inference},
};
constexpr std::array kQuantizations{
    Word<Quantization>{"none", Quantization::none},
    Word<Quantization>{"8bit", Quantization::int8},
    Word<Quantization>{"nf4", Quantization::nf4},
    Word<Quantization>{"nf4-double", Quantization::nf4_double},
};
constexpr std::array kOffloads{
    Word<Offload>{"none", Offload::none},
    Word<Offload>{"cpu", Offload::cpu},
    Word<Offload>{"nvme", Offload::nvme},
};
constexpr std::array kOwnParts{
    Word<bool OwnCode::*>{"activation", &OwnCode::activation},
    Word<bool OwnCode::*>{"loss", &OwnCode::loss},
    Word<bool OwnCode::*>{"loop", &OwnCode::loop},
};
constexpr std::array kTargetWords{
    Word<Target>{"cuda", Target::cuda},
    Word<Target>{"cpu", Target::cpu},
};

template <class Words>
auto parse(const Words& words, std::string_view word) -> Result<decltype(words.front().meaning)>
{
    using Meaning = decltype(words.front().meaning);
    std::string known;
    for (const auto& candidate : words) {
        if (candidate.word == word) {
            return Result<Meaning>(candidate.meaning);
        }
        known += (known.empty() ? "" : ", ") + std::string(candidate.word);
    }
    return Error{ErrorCode::badArgument, say("Unknown value '{}'; use {}.", word, known), {}};
}

template <class Words, class Meaning>
std::string_view wordIn(const Words& words, Meaning meaning)
{
    for (const auto& candidate : words) {
        if (candidate.meaning == meaning) {
            return candidate.word;
        }
    }
    return {};
}

} // namespace

Result<Precision> parsePrecision(std::string_view word)
{
    return parse(kPrecisions, word);
}
Result<Optimizer> parseOptimizer(std::string_view word)
{
    return parse(kOptimizers, word);
}
Result<Attention> parseAttention(std::string_view word)
{
    return parse(kAttentions, word);
}
Result<Loop> parseLoop(std::string_view word)
{
    return parse(kLoops, word);
}

Result<Mode> parseMode(std::string_view word)
{
    return parse(kModes, word);
}
Result<Target> parseTarget(std::string_view word)
{
    return parse(kTargetWords, word);
}
Result<Quantization> parseQuantization(std::string_view word)
{
    return parse(kQuantizations, word);
}
Result<Offload> parseOffload(std::string_view word)
{
    return parse(kOffloads, word);
}
Result<OwnCode> parseOwnCode(std::string_view words)
{
    OwnCode own;
    for (std::size_t begin = 0; begin <= words.size();) {
        const std::size_t end = std::min(words.find(',', begin), words.size());
        const auto part = parse(kOwnParts, words.substr(begin, end - begin));
        if (!part.has_value()) {
            return part.error();
        }
        own.*part.value() = true;
        begin = end + 1;
    }
    return own;
}
std::string_view wordOf(Precision precision)
{
    return wordIn(kPrecisions, precision);
}
std::string_view wordOf(Optimizer optimizer)
{
    return wordIn(kOptimizers, optimizer);
}
std::string_view wordOf(Attention attention)
{
    return wordIn(kAttentions, attention);
}
std::string_view wordOf(Mode mode)
{
    return wordIn(kModes, mode);
}
std::string_view wordOf(Target target)
{
    return wordIn(kTargetWords, target);
}
std::string_view wordOf(Quantization quantization)
{
    return wordIn(kQuantizations, quantization);
}
std::string_view wordOf(Offload offload)
{
    return wordIn(kOffloads, offload);
}
std::vector<std::string_view> wordsOf(const OwnCode& own)
{
    std::vector<std::string_view> words;
    for (const auto& part : kOwnParts) {
        if (own.*part.meaning) {
            words.push_back(part.word);
        }
    }
    return words;
}

} // namespace tidemark::walk
