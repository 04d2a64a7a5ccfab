// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"
#include "core/pipeline/redaction.h"

namespace tidemark::job {

/// Gives the files, hosts and texts of a job other names, its sentences and notes, too, and notes
/// that. In the order of its rows, so that the same job gets the same names. O(texts).
void redact(Job& job, pipeline::Redaction& names);

} // namespace tidemark::job
