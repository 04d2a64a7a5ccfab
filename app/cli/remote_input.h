// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/job/gather.h"
#include "core/pipeline/pipeline.h"
#include "core/remote/address.h"
#include "core/remote/transfer.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::cli {

/// A file that was named, where it can be opened here.
struct LocalInput {
    std::filesystem::path file;
    std::uint64_t original_bytes = 0; ///< Of the file that it is a copy of; 0: not known, or none.
    std::string notice{}; ///< To be said: the line broke off, and not all of it came.
};

/// `name` itself, or a copy of it where it is "ssh://host/path" or "user@host:path" and no file
/// here is called so; then what is fetched is told on a terminal. Errors: those of remote::fetch; a
/// folder of another machine, with its newest dumps in the sentence.
Result<LocalInput> localInput(const std::string& name);

/// One of several files that a name stands for.
struct NamedInput {
    std::string name;
    std::optional<remote::Address> address{}; ///< On another machine.
    std::shared_ptr<remote::Transfer> begun{}; ///< From there, if that has begun.
};

/// `name`, or where a folder of another machine holds the ranks of a job, the last dump of each of
/// the newest one, by rank; which these are is told on standard error. Never empty.
std::vector<NamedInput> namedInputs(const std::string& name);

/// job::gather of what was named, here or on other machines: of a folder there its newest job is
/// fetched, with one connection for each file. Errors: those of both.
Result<job::Gathered> gatherInputs(const std::vector<std::string>& names);

/// The copy of a file of another machine bears the name by which its user knows it.
void callAsNamed(diagnose::Analysis& analysis, const std::string& name);

/// Reads and analyzes a file, with a line on the terminal; one of another machine while it arrives,
/// from its first bytes on, and what is no snapshot is not fetched any further: its analysis has
/// the copy's name. `tell` is given the sentence that the line broke off. Errors: those of
/// localInput and of pipeline::analyze.
Result<diagnose::Analysis> readInput(const NamedInput& input, const pipeline::Options& options,
                                     const std::function<void(const std::string&)>& tell);

} // namespace tidemark::cli
