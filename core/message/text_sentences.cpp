// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What the figures of a message prove beside the causes.
#include "core/message/backend_words.h"
#include "core/message/text_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::diagnose {
namespace {

constexpr std::int64_t kUnaccounted = 1LL << 29; ///< More than figures and a driver explain.

} // namespace

bool showsClash(const TextCase& in)
{
    return in.findings.max_split_is_on && in.proof.cached_share >= kLittleCached;
}

std::vector<std::string> proofSentences(const TextCase& in)
{
    std::vector<std::string> sentences;
    const MessageProof& proof = in.proof;
    if (proof.fragmentation == FragmentationProof::excluded) {
        sentences.push_back(in.sentence("excluded"));
    } else if (proof.fragmentation == FragmentationProof::possible
               && proof.cached_share < kLittleCached) {
        sentences.push_back(in.sentence("hint"));
    }
    const bool is_full = proof.tried && !proof.free_was_enough && !proof.larger_than_card;
    const auto& events = in.findings.events;
    const bool is_scheduled =
        std::ranges::find(events, LogEventKind::scheduler, &LogEvent::kind) != events.end();
    const bool is_host = in.message == nullptr && !is_scheduled
        && std::ranges::any_of(events, [](const LogEvent& event) {
                             return event.kind == LogEventKind::host_killed
                                 || event.kind == LogEventKind::host_refused;
                         });
    // Only PyTorch's own allocator frees its empty segments before it gives up.
    if (is_full && proof.total && !in.message->rejected_by_limit && !in.message->asks_for_tensor) {
        sentences.push_back(inWordsOf(in.message->backend, in.sentence("myth-cache")));
    } else if (proof.free_was_enough && proof.total) {
        sentences.push_back(in.sentence("myth-free"));
    } else if (is_host) {
        sentences.push_back(in.sentence("myth-host"));
    }
    if (in.findings.max_split_is_on && !(in.message != nullptr && showsClash(in))) {
        sentences.push_back(in.sentence("clash"));
    }
    if (proof.unaccounted && proof.unaccounted->low > kUnaccounted) {
        sentences.push_back(in.sentence("unaccounted"));
    }
    if (!in.filled_in.empty()) {
        sentences.push_back(
            in.sentence("filled-in", {{"what", fmt::format("{}", fmt::join(in.filled_in, ", "))}}));
    }
    if (proof.own_is_listed && !proof.others && proof.reserved) {
        sentences.push_back(in.sentence("own-listed"));
    }
    return sentences;
}

} // namespace tidemark::diagnose
