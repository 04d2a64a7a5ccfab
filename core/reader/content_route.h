// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/pickle_route.h"
#include "core/trace/snapshot.h"

namespace tidemark::reader {

/// Whatever a source holds, found out from its first bytes: a pickle, JSON, a page of torch's
/// viewer, or any of them inside a compressed file or an archive, up to three deep. Of several
/// files the first that is a snapshot is read, and a note names others.
Result<trace::Snapshot> readContent(const SourceOpener& open, const Reading& reading);

} // namespace tidemark::reader
