// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/causes/causes.h"
#include "core/diagnose/diagnosis.h"

#include <string>

namespace tidemark::diagnose {

/// Fills headline, explanation and the two sentences about the fix. The other parts must be there.
void writeSentences(const CauseInput& in, DeviceDiagnosis& diagnosis);

/// "Weights 0.26 + … + cached 0.52 = 10.15 GiB reserved; outside PyTorch …".
std::string sumCheck(const CauseInput& in);

} // namespace tidemark::diagnose
