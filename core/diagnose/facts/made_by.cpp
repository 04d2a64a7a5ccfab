// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/made_by.h"

#include "core/label/stacks/frame_tests.h"

#include <string_view>

namespace tidemark::diagnose {

bool isOfDropout(const Facts& facts, StackId stack)
{
    return label::anyFrame(facts.snapshot, stack, [](std::string_view name, std::string_view) {
        return name.find("dropout") != std::string_view::npos;
    });
}

std::vector<bool> repeatingStacks(const Facts& facts)
{
    std::vector<bool> repeating(facts.snapshot.stacks.stackCount());
    for (std::size_t s = 0; s < repeating.size(); ++s) {
        repeating[s] = label::anyFrame(
            facts.snapshot, StackId(s),
            [](std::string_view name, std::string_view) { return name == "repeat_kv"; });
    }
    return repeating;
}

bool isOfTable(const Facts& facts, StackId stack)
{
    return label::anyFrame(facts.snapshot, stack, [](std::string_view, std::string_view file) {
        return label::isFile(file, "torch/nn/modules/sparse.py");
    });
}

} // namespace tidemark::diagnose
