// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/label/modules/module_paths.h"
#include "core/label/modules/module_places.h"
#include "core/label/modules/tensor_guesses.h"
#include "core/label/stacks/attached_texts.h"

#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::label {

/// What lists say about allocations beyond their bucket and role.
struct DeviceDetails {
    ModulePlaces modules;
    TensorGuesses tensors;
    AttachedTexts attached;
};

/// Of a whole file. No stage of the analysis needs it, so it is made when a list asks for it.
struct Details {
    ModulePaths paths;
    std::vector<DeviceDetails> devices;

    /// The module of an allocation in one line; empty for none.
    [[nodiscard]] std::string moduleText(std::size_t device, AllocationId a) const
    {
        const ModuleId id = devices[device].modules.module[a.index()];
        return id.isNone() ? std::string() : paths.path(id).text();
    }
};

/// `programs` may be null: then only shapes that the file states are told.
/// O(frames of all stacks + allocations log allocations). Asked to stop it stops early, and devices
/// are missing: the caller looks at the token.
Details findDetails(const trace::Snapshot& snapshot, const replay::Replay& replay,
                    const Labels& labels, const std::vector<program::Program>* programs,
                    const std::stop_token& stop = {});

} // namespace tidemark::label
