// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/fix.h"

namespace tidemark::diagnose {

std::string_view fixStatusId(FixStatus status)
{
    static constexpr std::array<std::string_view, 6> kIds{
        "recommended", "would-help", "already-on", "not-needed", "not-enough", "not-applicable"};
    static_assert(kIds.size() == static_cast<std::size_t>(FixStatus::not_applicable) + 1);
    return kIds[static_cast<std::size_t>(status)];
}

} // namespace tidemark::diagnose
