// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/causes/causes.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What keeps a file from telling what its run needed, or of what.
enum class Doubt : std::uint8_t {
    contradiction, ///< More lives than the segments hold.
    no_history, ///< Nothing that was made or freed was recorded.
    cut_off, ///< The file is a broken copy; its last pass is cut off as well.
    late, ///< It begins after the largest moment.
    unlabelled, ///< Most of what lives at the moment has no label.
};
/// The name of its sentence in resources/causes.json.
std::string_view doubtId(Doubt doubt);

/// Those that hold, the gravest first. O(passes + notes).
std::vector<Doubt> doubtsOf(const CauseInput& in);
/// Whether more bytes live at the moment than are reserved, which no allocator does. O(1).
bool contradictsItself(const Facts& facts);
/// Whether the moment lies in a pass that a broken copy ends in. O(passes).
bool isInCutPass(const Facts& facts);

/// Lowers what rests on what the file does not tell, and says why. In place; call before ranking.
void applyDoubts(const CauseInput& in, std::vector<CauseFinding>& causes);

} // namespace tidemark::diagnose
