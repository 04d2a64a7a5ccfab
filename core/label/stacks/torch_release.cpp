// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/torch_release.h"

#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/stack_rules.h"

#include <string>
#include <string_view>

namespace tidemark::label {

TorchRelease torchRelease(const trace::Snapshot& snapshot)
{
    static constexpr std::int32_t kIn2_0 = 30;
    static constexpr std::int32_t kAfter2_0 = 50;
    TorchRelease by_context = TorchRelease::unknown;
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const Frame& frame = snapshot.stacks.frame(FrameId(f));
        const std::string_view name = snapshot.text(frame.name);
        const std::string_view file = snapshot.text(frame.filename);
        if (name == "_use_grad" && frame.line > 0 && isFile(file, "torch/optim/optimizer.py")) {
            return frame.line < kIn2_0   ? TorchRelease::before_2_0
                : frame.line < kAfter2_0 ? TorchRelease::v2_0
                                         : TorchRelease::after_2_0;
        }
        if (name == "decorate_context") {
            by_context = isFile(file, "torch/autograd/grad_mode.py") ? TorchRelease::before_2_0
                : isFile(file, "torch/utils/_contextlib.py")         ? TorchRelease::after_2_0
                                                                     : by_context;
        }
    }
    return by_context;
}

bool mayBeFused(const trace::Snapshot& snapshot, StackId stack)
{
    const auto has_fused = [](std::string_view, std::string_view file) {
        return isFile(file, "torch/optim/adam.py") || isFile(file, "torch/optim/adamw.py")
            || isFile(file, "torch/optim/sgd.py");
    };
    const auto is_python = [](std::string_view, std::string_view file) {
        return file.ends_with(".py");
    };
    return anyFrame(snapshot, stack, has_fused) || !anyFrame(snapshot, stack, is_python);
}

std::string_view backendOf(const trace::Snapshot& snapshot)
{
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const std::string_view file = snapshot.text(snapshot.stacks.frame(FrameId(f)).filename);
        if (!file.ends_with(".py")) {
            continue;
        }
        const std::string path = withForwardSlashes(file);
        if (path.find("/torch_npu/") != std::string::npos) {
            return "NPU";
        }
        if (path.find("/torch/xpu/") != std::string::npos) {
            return "XPU";
        }
    }
    return {};
}

} // namespace tidemark::label
