// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/log_findings.h"

#include <optional>
#include <span>
#include <string_view>

namespace tidemark::diagnose {

/// A squeezed wording and the kind of event it shows.
struct EventWording {
    std::string_view words;
    LogEventKind kind = LogEventKind::host_killed;
};
std::span<const EventWording> eventWordings();

/// Whether the words really mean the event; some ("Killed") stand in harmless sentences, too.
bool isEvent(const EventWording& wording, std::string_view line);

/// Squeezed words at which figures of tools and frameworks are looked for.
std::span<const std::string_view> readingAnchors();
/// Adds the figures of the line or table that holds `place`.
void addReadings(std::string_view log, std::size_t place, std::string_view anchor,
                 std::vector<MemoryReading>& readings);

/// Squeezed names of configuration values, as logs print them.
std::span<const std::string_view> factorAnchors();
/// Adds the number right behind `place`, where there is one.
void addFactor(std::string_view log, std::size_t place, std::string_view anchor,
               StatedFactors& factors);

} // namespace tidemark::diagnose
