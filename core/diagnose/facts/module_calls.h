// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// Which stacks lie inside the call of a module, as the frames of torch's Module and methods named
/// `forward` tell. Looks at each stack once, when it is asked about. `facts` must outlive it.
class ModuleCalls {
public:
    explicit ModuleCalls(const Facts& facts);
    [[nodiscard]] bool isInModule(StackId stack) const;

private:
    const Facts& m_facts;
    mutable std::vector<std::int8_t> m_known; ///< Per stack: −1 not looked at, 0 no, 1 yes.
};

} // namespace tidemark::diagnose
