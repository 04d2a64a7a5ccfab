// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/text_situation.h"

#include "core/base/ascii.h"
#include "core/message/post_words.h"
#include "core/message/traps.h"

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::diagnose {
namespace {

/// "no OOM", "without any OOM", "doesn't OOM", "to avoid OOM".
bool isDeniedBefore(std::string_view before)
{
    before = before.substr(before.size() - std::min<std::size_t>(before.size(), 24));
    static constexpr std::array<std::string_view, 8> kDenials{"no",    "not",    "without", "never",
                                                              "avoid", "avoids", "prevent", "t"};
    return std::ranges::any_of(kDenials,
                               [&](std::string_view word) { return countWord(before, word) > 0; });
}

bool hasUndenied(std::string_view small, std::string_view word)
{
    for (std::size_t at = small.find(word); at != std::string_view::npos;
         at = small.find(word, at + word.size())) {
        const std::size_t end = at + word.size();
        const bool is_whole = (at == 0 || (!isLetter(small[at - 1]) && small[at - 1] != '_'))
            && (end >= small.size()
                || (!isLetter(small[end]) && small[end] != '_' && small[end] != '-'
                    && small[end] != ':'));
        if (is_whole && !isDeniedBefore(small.substr(0, at))) {
            return true;
        }
    }
    return false;
}

/// Words of the host's memory, none or fewer of the GPU's, and the first line is not of the GPU; or
/// the first line is of the host's memory alone.
bool meansHost(std::string_view small)
{
    const std::size_t host = countWords(small, "host");
    const std::size_t gpu = countWords(small, "gpu");
    const std::string_view title = small.substr(0, small.find('\n'));
    return host > 0
        && (gpu == 0 || (host > gpu && namesAnyOf(title, "host") && !namesAnyOf(title, "gpu")));
}

/// Memory that stays in use: "is not released", "keeps growing".
bool keepsMemory(std::string_view small)
{
    return namesAnyOf(small, "memory") && namesAnyOf(small, "keeps-memory");
}

/// A bar of shards or layers below its end, and nothing of an error in the whole text.
bool stopsLoading(std::string_view small)
{
    const std::size_t at = small.rfind("loading");
    if (at == std::string_view::npos || small.find("traceback") != std::string_view::npos
        || countWord(small, "error*") + countWord(small, "exception") > 0) {
        return false;
    }
    const std::string_view line = small.substr(at, small.find('\n', at) - at);
    const bool is_bar =
        line.find("%|") != std::string_view::npos && line.find("100%|") == std::string_view::npos;
    return is_bar && namesAnyOf(small, "ended");
}

RunKind kindOf(std::string_view small, RunActivity activity)
{
    if (activity == RunActivity::training) {
        const bool rolls_out = countWord(small, "vllm") + countWord(small, "sglang") > 0
            && namesAnyOf(small, "rollout");
        return rolls_out ? RunKind::rollout : RunKind::training;
    }
    if (activity == RunActivity::evaluation) {
        return RunKind::evaluation;
    }
    if (namesAnyOf(small, "engine")) {
        return RunKind::engine;
    }
    if (namesAnyOf(small, "diffusion")) {
        return RunKind::diffusion;
    }
    if (namesAnyOf(small, "loading")) {
        return RunKind::loading;
    }
    if (activity == RunActivity::inference) {
        return RunKind::inference;
    }
    return namesAnyOf(small, "evaluation") ? RunKind::evaluation : RunKind::unknown;
}

} // namespace

TextSituation situationOf(std::string_view text, std::size_t error_at)
{
    const std::string small = lowered(text.substr(0, kPostedText));
    TextSituation situation;
    situation.activity = runActivity(text, error_at);
    situation.kind = kindOf(small, situation.activity);
    situation.is_host = meansHost(small);
    situation.ends_loading = stopsLoading(small);
    situation.keeps = keepsMemory(small);
    situation.names_trainer = namesAnyOf(small, "collects-predictions");
    situation.keeps_no_graph = namesAnyOf(small, "no-graph");
    situation.names_large_model = namesAnyOf(small, "large-models");
    situation.is_convolutional = !situation.names_large_model && namesAnyOf(small, "convolutional");
    situation.is_of_images = !situation.names_large_model && namesAnyOf(small, "images");
    return situation;
}

bool saysMemoryRanOut(std::string_view text)
{
    const std::string small = lowered(text.substr(0, kPostedText));
    return keepsMemory(small)
        || std::ranges::any_of(postWords("memory-ran-out"),
                               [&](const std::string& word) { return hasUndenied(small, word); });
}

} // namespace tidemark::diagnose
