// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/layers.h"

#include <optional>

namespace tidemark::walk {

/// A feed-forward with a gate: down(act(gate(x)) · up(x)).
class GatedMlp {
public:
    GatedMlp(const Context& context, std::int64_t width);
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x) const;

private:
    std::int64_t m_width;
    std::optional<Linear> m_gate; ///< Also with up in it, where they are joint.
    std::optional<Linear> m_up;
    std::optional<Linear> m_down;
};

/// Router and experts as grouped_mm_experts_forward runs them (integrations/moe.py of transformers
/// 5.23): rows of all chosen pairs at once.
class SparseMlp {
public:
    explicit SparseMlp(const Context& context);
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x) const;

private:
    Parameter* m_router;
    Parameter* m_gate_up;
    Parameter* m_down;
    std::optional<GatedMlp> m_shared;
    std::optional<Linear> m_shared_gate;
};

} // namespace tidemark::walk
