// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/laws.h"

namespace tidemark::diagnose {

std::unique_ptr<Law> lawFor(const Facts& facts, const Change& change, int gpus,
                            bool to_sixteen_bits)
{
    switch (change.kind) {
    case ChangeKind::micro_batch:
        return microBatchLaw(facts, change.number);
    case ChangeKind::accumulation:
        return accumulationLaw(facts, change.count());
    case ChangeKind::sequence:
        return sequenceLaw(facts, change.number);
    case ChangeKind::checkpointing:
        return checkpointingLaw(facts, change.word);
    case ChangeKind::precision:
        return change.word == "pure-bf16" ? pureSixteenBitLaw(facts) : autocastLaw(facts);
    case ChangeKind::optimizer:
        return optimizerLaw(facts, change.word);
    case ChangeKind::foreach:
        return optimizerTransientLaw(facts, false);
    case ChangeKind::fused:
        return optimizerTransientLaw(facts, true);
    case ChangeKind::set_to_none:
        return setToNoneLaw(facts);
    case ChangeKind::attention:
        return flashAttentionLaw(facts, to_sixteen_bits);
    case ChangeKind::fused_loss:
        return fusedLossLaw(facts, change);
    case ChangeKind::zero:
        return zeroLaw(facts, change.count(), gpus);
    case ChangeKind::gpus:
        return nullptr; // says how many share; changes nothing alone
    case ChangeKind::offload:
        return change.word == "activations" ? activationOffloadLaw(facts)
                                            : offloadLaw(facts, change.word == "parameters");
    case ChangeKind::lora:
    case ChangeKind::qlora:
        return adapterLaw(facts, change);
    case ChangeKind::eval_accumulation:
        return evaluationAccumulationLaw(facts, change.count());
    }
    return nullptr;
}

} // namespace tidemark::diagnose
