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

bool isOfTable(const Facts& facts, StackId stack)
{
    return label::anyFrame(facts.snapshot, stack, [](std::string_view, std::string_view file) {
        return label::isFile(file, "torch/nn/modules/sparse.py");
    });
}

} // namespace tidemark::diagnose
