// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/stated_run.h"

#include "core/base/ascii.h"
#include "core/message/log_window.h"
#include "core/message/post_words.h"
#include "core/message/stated_batch.h"
#include "core/message/traps.h"
#include "core/message/written_budget.h"
#include "resources/cards.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace tidemark::diagnose {
namespace {

/// A fix that words show to be on. Words of what a run *could* do are not enough.
struct StatedWords {
    std::string_view fix;
    std::string_view words; ///< Squeezed: lower case, without white space.
};
constexpr std::array<StatedWords, 58> kStatedWords{{
    {"lora", "loraconfig("},
    {"lora", "lora_rank"},
    {"lora", "lora_r="},
    {"lora", "lora_alpha"},
    {"lora", "lora_target"},
    {"lora", "get_peft_model("},
    {"lora", "loraadapters"},
    {"lora", "lorarank"},
    {"lora", "withlora"},
    {"lora", "qlora"},
    {"lora", "lorafine"},
    {"lora", "finetuning_typelora"},
    {"lora", "finetuning_type:lora"},
    {"lora", "peftmodel"},
    {"bf16", "bf16=true"},
    {"bf16", "bf16:true"},
    {"bf16", "fp16=true"},
    {"bf16", "fp16:true"},
    {"bf16", "--bf16"},
    {"bf16", "--fp16"},
    {"bf16", "dtype=torch.bfloat16"},
    {"bf16", "dtype=torch.float16"},
    {"bf16", "dtype=bfloat16"},
    {"bf16", "dtype:bfloat16"},
    {"bf16", "dtype=\"bfloat16"},
    {"bf16", "mixed_precision:bf16"},
    {"bf16", "mixed_precision:fp16"},
    {"bf16", "mixed_precision=bf16"},
    {"bf16", "mixed_precision=\"bf16"},
    {"bf16", "mixed_precision=\"fp16"},
    {"bf16", "mixed_precisionbf16"},
    {"bf16", "bf16-mixed"},
    {"bf16", "16-mixed"},
    {"bf16", "model(bf16"},
    {"bf16", "model(fp16"},
    {"bf16", "params(bf16"},
    {"bf16", "params(fp16"},
    {"bf16", "parameters(bf16"},
    {"bf16", "parameters(fp16"},
    {"bf16", "weights(bf16"},
    {"bf16", "weights(fp16"},
    {"checkpointing-full", "gradient_checkpointing_enable("},
    {"checkpointing-full", "gradient_checkpointing=true"},
    {"checkpointing-full", "gradient_checkpointing:true"},
    {"checkpointing-full", "gradient_checkpointingtrue"},
    {"checkpointing-full", "--gradient-checkpointing"},
    {"checkpointing-full", "--recompute-granularityfull"},
    {"checkpointing-full", "checkpointing**(already"},
    {"checkpointing-full", "checkpointing(already"},
    {"checkpointing-full", "checkpointingalready"},
    {"checkpointing-full", "checkpointingenabled"},
    {"optimizer-8bit", "adamw_8bit"},
    {"optimizer-8bit", "adamw8bit("},
    {"optimizer-8bit", "adam8bit("},
    {"optimizer-8bit", "paged_adamw"},
    {"zero-2", "\"stage\":2"},
    {"zero-2", "\"stage\":3"},
    {"zero-2", "zero_stage3"},
}};

/// A number with its unit behind `at`, "1.829B", "7 billion", "124,000,000": where it ends, too.
struct StatedAmount {
    double value = 0;
    std::size_t end = 0;
};

std::optional<StatedAmount> statedAmountAt(std::string_view text, std::size_t at)
{
    static constexpr std::size_t kLongest = 20;
    std::string digits;
    std::size_t end = at;
    while (end < text.size() && end - at < kLongest
           && (isDigit(text[end]) || text[end] == '.' || text[end] == ',')) {
        if (text[end] != ',') {
            digits.push_back(text[end]);
        }
        ++end;
    }
    double value = 0;
    if (digits.empty()
        || std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) {
        return std::nullopt;
    }
    while (end < text.size() && text[end] == ' ') {
        ++end;
    }
    struct CountUnit {
        std::string_view name;
        double factor;
    };
    static constexpr std::array<CountUnit, 4> kCountUnits{
        {{"billion", 1e9}, {"million", 1e6}, {"b", 1e9}, {"m", 1e6}}};
    const std::string word = lowered(text.substr(end, 8));
    for (const CountUnit& unit : kCountUnits) {
        const bool ends = word.size() <= unit.name.size() || !isLetter(word[unit.name.size()]);
        if (word.starts_with(unit.name) && ends) {
            return StatedAmount{value * unit.factor, end + unit.name.size()};
        }
    }
    return StatedAmount{value, end};
}

bool beginsStatedNumber(std::string_view text, std::size_t at)
{
    return isDigit(text[at])
        && (at == 0
            || !(isDigit(text[at - 1]) || isLetter(text[at - 1]) || text[at - 1] == '.'
                 || text[at - 1] == ',' || text[at - 1] == '_'));
}

/// "1.829B parameters", "3.52B params"; not "239M trainable params".
std::optional<std::int64_t> statedParametersAt(std::string_view text, const StatedAmount& amount)
{
    static constexpr double kFewest = 1e6;
    static constexpr double kMost = 1e13;
    std::size_t at = amount.end;
    while (at < text.size() && (text[at] == ' ' || text[at] == '-')) {
        ++at;
    }
    const bool names = lowered(text.substr(at, 5)) == "param";
    return names && amount.value >= kFewest && amount.value <= kMost
        ? std::optional(static_cast<std::int64_t>(amount.value))
        : std::nullopt;
}

/// "Qwen2.5-14B-Instruct", "llama 7b", "a 13B model"; not "13B tokens".
std::optional<std::int64_t> statedModelAt(std::string_view text, std::size_t begin,
                                          const StatedAmount& amount)
{
    static constexpr double kSmallest = 3e8;
    static constexpr double kLargest = 1e12;
    static constexpr std::size_t kBefore = 24;
    const char unit = text[amount.end - 1];
    if ((unit != 'b' && unit != 'B') || text[amount.end - 2] == ' ' || amount.value < kSmallest
        || amount.value > kLargest) {
        return std::nullopt;
    }
    const std::size_t from = begin - std::min(begin, kBefore);
    const std::string before = lowered(text.substr(from, begin - from));
    const bool is_name = namesAnyOf(before, "model-names");
    const std::string behind = lowered(text.substr(amount.end, 12));
    const bool is_model = behind.starts_with("模型") || behind.starts_with(" 模型")
        || behind.starts_with("的模型") || behind.starts_with(" 모델")
        || behind.starts_with(" model") || behind.starts_with("-model")
        || behind.starts_with(" llm") || behind.starts_with("-instr")
        || behind.starts_with("-chat");
    return is_name || is_model ? std::optional(static_cast<std::int64_t>(amount.value))
                               : std::nullopt;
}

constexpr std::array<std::string_view, 19> kCardNames{
    "a100", "h100", "h200", "h800", "b200", "v100", "a6000", "a40",   "l40", "l4 ",
    "t4",   "rtx",  "gtx",  "3090", "4090", "p100", "titan", "mi300", "2080"};

/// Whether a card's name stands before its size, "RTX 4070 Ti SUPER 16GB": a word's end, as in
/// "int4", is none, nor is what a run takes of it, "the A100 shows 12 GB".
bool endsWithCard(std::string_view before)
{
    static constexpr std::array<std::string_view, 14> kBetween{
        "",    "ti",   "super",  "tisuper", "with", "tiwith",  "superwith",
        "sxm", "pcie", "laptop", "gpu",     "gpus", "gpuwith", "has"};
    std::size_t begin = std::string_view::npos;
    std::size_t end = 0;
    for (const std::string_view name : kCardNames) {
        const std::size_t at = before.rfind(name);
        const bool is_word = at != std::string_view::npos
            && (at == 0 || !isLetter(before[at - 1]) || before[at - 1] == 'x');
        if (is_word && (begin == std::string_view::npos || at + name.size() > end)) {
            begin = at;
            end = at + name.size();
        }
    }
    if (begin == std::string_view::npos) {
        return false;
    }
    std::string letters;
    for (const char c : before.substr(end)) {
        if (c == ',' || c == ';' || c == '\n') {
            return false; // "RTX 4090, 64 GB RAM"
        }
        if (isLetter(c)) {
            letters.push_back(c);
        }
    }
    return std::ranges::find(kBetween, letters) != kBetween.end();
}

/// "24 GB card", "16GB of VRAM", "RTX 3090 (24 GB)", "A100-80GB"; not "24 GB of RAM".
std::optional<std::int64_t> statedCardAt(std::string_view text, std::size_t begin,
                                         const StatedAmount& amount)
{
    static constexpr std::size_t kNear = 16;
    static constexpr std::size_t kNamed = 24; // "RTX 4070 Ti SUPER with "
    static constexpr double kSmallestCard = 4;
    static constexpr double kLargestCard = 300;
    const std::string behind = lowered(text.substr(amount.end, kNear));
    if (!(behind.starts_with("gb") || behind.starts_with("gib") || behind.starts_with("g "))
        || amount.value < kSmallestCard || amount.value > kLargestCard) {
        return std::nullopt;
    }
    const std::size_t from = begin - std::min(begin, kNamed);
    const std::string before = lowered(text.substr(from, begin - from));
    const std::string next = squeezedText(behind.substr(behind.starts_with("gib") ? 3 : 2));
    const auto is_next = [&](std::string_view word) { return next.starts_with(word); };
    static constexpr std::array<std::string_view, 6> kCardWords{"card",   "gpu",    "vram",
                                                                "ofvram", "ofgpum", "gpus"};
    static constexpr std::array<std::string_view, 8> kHostWords{
        "ram", "ofram", "system", "ofsystem", "host", "ofhost", "cpu", "ddr"};
    const bool is_card = std::ranges::any_of(kCardWords, is_next)
        || std::ranges::any_of(kCardNames, is_next)
        || (endsWithCard(before) && std::ranges::none_of(kHostWords, is_next));
    return is_card ? std::optional(static_cast<std::int64_t>(amount.value * (1LL << 30)))
                   : std::nullopt;
}

/// "8 GPUs", "8x A100", "8× NVIDIA B200".
std::optional<std::int64_t> statedGpusAt(std::string_view text, std::size_t begin,
                                         const StatedAmount& amount)
{
    static constexpr std::size_t kWindow = 24;
    static constexpr double kMost = 100'000;
    if (amount.value < 1 || amount.value > kMost
        || amount.value != static_cast<double>(static_cast<std::int64_t>(amount.value))
        || text.substr(begin, amount.end - begin).find_first_of("bBmM.")
            != std::string_view::npos) {
        return std::nullopt;
    }
    std::string words = lowered(text.substr(amount.end, kWindow));
    std::size_t at = 0;
    bool times = false;
    if (words.starts_with("\xC3\x97")) {
        at = 2;
        times = true;
    } else if (words.starts_with("x ") || words.starts_with("* ")
               || (words.size() > 1 && words[0] == 'x' && isLetter(words[1]))) {
        at = 1;
        times = true;
    }
    at = std::min(words.find_first_not_of(' ', at), words.size());
    const std::string_view rest = std::string_view(words).substr(at);
    static constexpr std::array<std::string_view, 12> kCards{"nvidia", "a100", "h100",  "h200",
                                                             "b200",   "v100", "a6000", "rtx",
                                                             "l40",    "a40",  "mi300", "h800"};
    const bool is_card =
        std::ranges::any_of(kCards, [&](std::string_view card) { return rest.starts_with(card); });
    return rest.starts_with("gpus") || (times && (is_card || rest.starts_with("gpu")))
        ? std::optional(static_cast<std::int64_t>(amount.value))
        : std::nullopt;
}

/// The number behind an option of a launcher: "--nproc_per_node=8", "num_processes: 8".
void addLaunched(std::string_view words, std::vector<std::int64_t>& gpus)
{
    static constexpr std::array<std::string_view, 5> kOptions{
        "nproc_per_node", "nproc-per-node", "num_processes", "num_gpus", "world_size"};
    for (const std::string_view option : kOptions) {
        for (std::size_t at = words.find(option); at != std::string_view::npos;
             at = words.find(option, at + option.size())) {
            std::size_t behind = at + option.size();
            while (behind < words.size() && (words[behind] == '=' || words[behind] == ':')) {
                ++behind;
            }
            std::int64_t count = 0;
            const auto done =
                std::from_chars(words.data() + behind, words.data() + words.size(), count);
            if (done.ec == std::errc{} && count >= 1 && count <= 100'000) {
                gpus.push_back(count);
            }
        }
    }
}

/// "load_in_4bit=False", "load_in_8bit": false.
void eraseSwitchedOff(std::string& words)
{
    for (const std::string_view option : {"load_in_4bit", "load_in_8bit"}) {
        for (std::size_t at = words.find(option); at != std::string::npos;
             at = words.find(option, at + 1)) {
            const std::size_t behind =
                std::min(words.find_first_not_of("\"'=:", at + option.size()), words.size());
            if (std::string_view(words).substr(behind).starts_with("false")) {
                words.erase(at, behind + 5 - at);
            }
        }
    }
}

/// A GPU of resources/cards.json by one of its names, "rtx3090", "a10080gb"; of a name with several
/// sizes, "a100", the largest.
struct CardSize {
    std::string name;
    std::int64_t bytes = 0;
};

std::vector<CardSize> cardSizes()
{
    std::vector<CardSize> sizes;
    const auto add = [&](const std::string& name, std::int64_t bytes) {
        const std::string plain = loweredAlphanumeric(name);
        const auto known = std::ranges::find(sizes, plain, &CardSize::name);
        if (known == sizes.end()) {
            sizes.push_back({plain, bytes});
        } else {
            known->bytes = std::max(known->bytes, bytes);
        }
    };
    const auto file = nlohmann::ordered_json::parse(resources::cardsJson());
    for (const auto& card : file.at("cards")) {
        const std::string name = card.at("name");
        const auto bytes = static_cast<std::int64_t>(card.at("gib").get<double>() * (1LL << 30));
        add(name, bytes);
        const std::size_t dash = name.rfind('-');
        if (dash != std::string::npos && name.ends_with("GB")) {
            add(name.substr(0, dash), bytes);
        }
        static constexpr std::string_view kRound = "8000"; // A port, a length: no card alone.
        if ((name.starts_with("RTX-") || name.starts_with("GTX-")) && name.substr(4) != kRound) {
            add(name.substr(4), bytes); // "a 3090"
        }
    }
    return sizes;
}

/// Whether a number is something else than a card's name: "line 3080", "model.py:3080", "3080.50
/// MiB".
bool isOtherNumber(std::string_view text, std::size_t begin, std::size_t end)
{
    const std::string before = lowered(text.substr(begin - std::min<std::size_t>(begin, 5), 5));
    return (begin >= 5 && before == "line ") || (begin > 0 && text[begin - 1] == ':')
        || (end + 1 < text.size() && text[end] == '.' && isDigit(text[end + 1]));
}

/// By the name alone: the first that the text has, "RTX 3090", "1080 Ti". O(text · cards).
std::optional<std::int64_t> namedCard(std::string_view text)
{
    static const std::vector<CardSize> kSizes = cardSizes();
    static constexpr std::size_t kMostParts = 3; // "rtx", "2080", "ti"
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        while (at < text.size() && (isLetter(text[at]) || isDigit(text[at]))) {
            ++at;
        }
        if (at > begin) {
            const bool is_other = isDigit(text[begin]) && isOtherNumber(text, begin, at);
            parts.push_back(is_other ? std::string() : lowered(text.substr(begin, at - begin)));
        }
        ++at;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].empty()) {
            continue;
        }
        std::string name;
        std::optional<std::int64_t> bytes; // of the longest name that begins here
        for (std::size_t n = i; n < std::min(parts.size(), i + kMostParts); ++n) {
            name += parts[n];
            const auto known = std::ranges::find(kSizes, name, &CardSize::name);
            bytes = known == kSizes.end() ? bytes : std::optional(known->bytes);
        }
        const bool is_number = parts[i].find_first_not_of("0123456789") == std::string::npos;
        if (bytes && !(is_number && parts[i].size() < 4)) {
            return bytes;
        }
    }
    return std::nullopt;
}

} // namespace

bool StatedRun::uses(std::string_view fix) const
{
    return std::ranges::find(in_use, fix) != in_use.end();
}

std::optional<StatedRun::Range> StatedRun::stateRange() const
{
    if (states) {
        return Range{states->value, states->value};
    }
    if (!parameters || !has_adam || uses("lora") || uses("optimizer-8bit")) {
        return std::nullopt;
    }
    return Range{4 * *parameters, 8 * *parameters}; // two states, in 16 or in 32 bits
}

StatedRun statedRun(std::string_view text)
{
    text = text.substr(0, kPostedText);
    StatedRun run;
    std::string words = squeezedText(text);
    eraseSwitchedOff(words);
    for (const StatedWords& known : kStatedWords) {
        if (!run.uses(known.fix) && words.find(known.words) != std::string::npos) {
            run.in_use.push_back(known.fix);
        }
    }
    run.has_one_sample = hasOneSample(words);
    run.has_adam = words.find("adam") != std::string::npos;
    run.has_sgd = words.find("sgd") != std::string::npos;
    const auto names = [&](std::string_view word) { return words.find(word) != std::string::npos; };
    run.weight_bits = names("4bit") || names("4-bit") || names("int4") || names("awq")
            || names("gptq") || names("nf4") || names("qlora") || names("q4_")
        ? 4
        : names("8bit") || names("8-bit") || names("int8") || names("fp8") ? 8
        : (names("float32") || names("fp32")) && !names("float16") && !names("fp16")
            && !names("bf16")
        ? 32
        : 16; // "bf16 weights, fp32 states"
    std::vector<std::int64_t> gpus;
    addLaunched(words, gpus);
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!beginsStatedNumber(text, at)) {
            continue;
        }
        const auto amount = statedAmountAt(text, at);
        if (!amount) {
            continue;
        }
        if (!run.parameters) {
            run.parameters = statedParametersAt(text, *amount);
        }
        if (!run.card) {
            run.card = statedCardAt(text, at, *amount);
        }
        if (!run.model) {
            run.model = statedModelAt(text, at, *amount);
        }
        if (const auto count = statedGpusAt(text, at, *amount)) {
            gpus.push_back(*count);
        }
    }
    if (!run.card) {
        run.card = namedCard(text);
    }
    if (!gpus.empty()) {
        run.gpus = *std::ranges::min_element(gpus);
    } else if (names("singlegpu") || names("onegpu") || names("single-gpu") || names("on1gpu")
               || names("onecard") || names("singlecard")) {
        run.gpus = 1;
    }
    if (const auto budget = writtenBudget(text); budget && budget->states.value > 0) {
        run.states = budget->states;
    }
    return run;
}

} // namespace tidemark::diagnose
