// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/label/corrections/corrections.h"
#include "core/pipeline/saved_file.h"

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::pipeline {

/// Where the corrections of a snapshot are kept. `folder` may be empty.
SavedPlaces savedRulesPlaces(const std::filesystem::path& snapshot,
                             const std::filesystem::path& folder);

/// The user's folder for the command line: $XDG_DATA_HOME/tidemark/rules, else the same below
/// ~/.local/share; empty without a home.
std::filesystem::path userRulesFolder();

/// The corrections that were saved for a snapshot; none is not a failure, nor is a damaged file.
struct SavedRules {
    std::filesystem::path file; ///< Empty: there is none.
    std::vector<label::Correction> rules;
    trace::InputNotes notes; ///< That they are in use, or why they are not.
};

/// Reads the newer one of both places.
SavedRules loadSavedRules(const std::filesystem::path& snapshot,
                          const std::filesystem::path& folder);

struct SavedAt {
    std::filesystem::path file; ///< Empty: there was nothing to save, and no file is left.
    bool is_beside = true;
    /// Set where another program saved other corrections meanwhile: both together, as they were
    /// saved.
    std::optional<std::vector<label::Correction>> merged{};
};

/// Writes the corrections beside the snapshot, else into the folder; without rules it removes what
/// was saved. `known` is what the caller last read or saved for the snapshot: what another program
/// changed since is not lost (see `mergedRules`), and programs that save at the same moment wait
/// for each other where the file system knows locks. A damaged file in the way is kept under the
/// ending ".damaged". Errors: cannotWrite, with what stands in the way of both.
Result<SavedAt> saveRules(const std::filesystem::path& snapshot,
                          const std::filesystem::path& folder,
                          std::span<const label::Correction> rules,
                          const std::optional<std::vector<label::Correction>>& known = {});

/// A rules file that the user names. `source` of each rule is the file's name. Errors: cannotOpen,
/// badArgument; both name the file.
Result<std::vector<label::Correction>> readRulesFile(const std::filesystem::path& file);

/// Writes a rules file whole or not at all. Errors: cannotWrite.
Result<Done> writeRulesFile(const std::filesystem::path& file,
                            std::span<const label::Correction> rules);

} // namespace tidemark::pipeline
