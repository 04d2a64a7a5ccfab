// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/module_calls.h"

#include "core/label/stacks/frame_tests.h"

#include <string_view>

namespace tidemark::diagnose {

ModuleCalls::ModuleCalls(const Facts& facts)
    : m_facts(facts)
    , m_known(facts.snapshot.stacks.stackCount(), -1)
{
}

bool ModuleCalls::isInModule(StackId stack) const
{
    if (stack.isNone()) {
        return false;
    }
    std::int8_t& known = m_known[stack.index()];
    if (known < 0) {
        // A loss is a module as well; it stands outside of the model.
        known = label::anyFrame(m_facts.snapshot, stack,
                                [](std::string_view name, std::string_view file) {
                                    return name == "_call_impl" || name == "_wrapped_call_impl"
                                        || (name == "forward"
                                            && !label::isFile(file, "torch/nn/modules/loss.py"));
                                })
            ? 1
            : 0;
    }
    return known == 1;
}

} // namespace tidemark::diagnose
