// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/config/run_config.h"
#include "core/curves/curves.h"
#include "core/label/corrections/corrections.h"
#include "core/label/labels.h"
#include "core/program/program.h"
#include "core/replay/block_sizes.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::allocator {
struct Baseline;
} // namespace tidemark::allocator

namespace tidemark::diagnose {

struct DeviceDiagnosis;
struct Diagnosis;
struct Fix;

/// What the user added to a file: an OOM message or log text, a capacity, how many GPUs there are.
struct UserInput {
    std::string message;
    std::optional<Bytes> capacity; ///< That PyTorch may reserve, at least.
    Bytes capacity_unsure{}; ///< How much more it may be.
    std::string capacity_source{}; ///< A sentence; empty: an amount.
    std::string capacity_words{}; ///< As the person wrote it, "24GB".
    int gpus = 0; ///< 0: not said.
    std::optional<config::RunConfig> config; ///< Of the run, as far as it was understood.
    std::string config_name; ///< Of the file it was read from; empty: none, or given as text.

    /// As said, else as the configuration has it, else one.
    [[nodiscard]] int gpusThere() const
    {
        const int in_config = config ? config->ranks.value_or(1) : 1;
        return std::max(1, gpus > 0 ? gpus : in_config);
    }
};

/// What would change a planned run, as the plan has it, judged against a capacity. Called on any
/// thread.
using PlannedFixes = std::function<std::vector<Fix>(std::optional<Bytes> capacity)>;

/// Everything known about one opened file: a small value of shared immutable parts. Every stage and
/// every user input publishes a new one with a higher generation that shares the unchanged parts.
/// Later parts are null while they are still being computed; views accept that.
struct Analysis {
    std::filesystem::path file;
    std::uint64_t generation = 0;
    UserInput input;
    std::shared_ptr<const trace::Snapshot> snapshot;
    std::shared_ptr<const replay::Replay> replay;
    /// Bounds; exact for the devices on which the model of the allocator repeats the run.
    std::shared_ptr<const std::vector<replay::BlockSizes>> block_sizes;
    /// How far it does, per device. Its block sizes are above.
    std::shared_ptr<const std::vector<std::optional<allocator::Baseline>>> baselines;
    /// Before corrections, and before the roles that the programs show.
    std::shared_ptr<const label::Labels> inferred;
    std::shared_ptr<const label::Corrections> corrections; ///< Null: none, and nothing to say.
    /// With the corrections, and with those roles as soon as the programs are there.
    std::shared_ptr<const label::Labels> labels;
    std::shared_ptr<const curves::Curves> curves;
    /// What made the allocations of each device, found with the labels as evidence.
    std::shared_ptr<const std::vector<program::Program>> programs;
    /// Of a run that was only planned. Null: recorded.
    std::shared_ptr<const PlannedFixes> planned;
    std::shared_ptr<const Diagnosis> diagnosis;

    [[nodiscard]] std::size_t deviceCount() const
    {
        return snapshot ? snapshot->devices.size() : 0;
    }
    /// The device to show first: one with an OOM event, else the one with the most events, else the
    /// one with the most reserved memory. Requires replay and at least one device.
    [[nodiscard]] std::size_t mainDevice() const;
    /// What the program of a device was; of nothing until it is known.
    [[nodiscard]] const program::Program& program(std::size_t device) const;
    /// How far the model of the allocator repeats a device's run; null: not known (yet).
    [[nodiscard]] const allocator::Baseline* baseline(std::size_t device) const;
    /// Whether it is the other one, or a copy of it.
    [[nodiscard]] bool isSameAs(const Analysis& other) const;
    /// The message that the user gave, else the one that the capture module caught; may be empty.
    [[nodiscard]] std::string_view message() const;
};

} // namespace tidemark::diagnose
