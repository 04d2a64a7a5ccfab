// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/program_evidence.h"

namespace tidemark::label {
namespace {

/// The confidence of a label that was said and not inferred.
constexpr std::uint8_t kSaid = 100;

program::Kind kindOf(Bucket bucket)
{
    switch (bucket) {
    case Bucket::parameter:
        return program::Kind::weight;
    case Bucket::optimizer_state:
        return program::Kind::state;
    case Bucket::gradient:
        return program::Kind::gradient;
    case Bucket::kv_cache:
    case Bucket::output:
        return program::Kind::result;
    case Bucket::input:
        return program::Kind::input;
    case Bucket::activation:
        return program::Kind::saved;
    case Bucket::temporary:
        return program::Kind::scratch;
    case Bucket::workspace:
        return program::Kind::workspace;
    case Bucket::communication:
        return program::Kind::communication;
    case Bucket::unknown:
        break;
    }
    return program::Kind::unknown;
}

} // namespace

program::Evidence evidenceOf(const DeviceLabels& labels)
{
    program::Evidence evidence;
    evidence.kind.reserve(labels.bucket.size());
    evidence.is_certain.reserve(labels.bucket.size());
    for (std::size_t a = 0; a < labels.bucket.size(); ++a) {
        evidence.kind.push_back(kindOf(labels.bucket[a]));
        evidence.is_certain.push_back(labels.confidence[a] == kSaid ? 1 : 0);
    }
    return evidence;
}

} // namespace tidemark::label
