// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/classic.h"

#include "core/walk/operations.h"

namespace tidemark::walk {

ClassicAttention::ClassicAttention(const Context& context, const AttentionNames& names,
                                   std::int64_t width, bool has_bias, bool has_output_bias)
    : m_query(context, names[0], context.model.hidden, width, has_bias)
    , m_key(context, names[1], context.model.hidden, width, has_bias)
    , m_value(context, names[2], context.model.hidden, width, has_bias)
    , m_out(context, names[3], width, context.model.hidden, has_output_bias)
{
}

Tensor ClassicAttention::operator()(const Context& context, const Tensor& x, const Tensor& source,
                                    const AttentionCall& call) const
{
    Tape& tape = context.tape;
    Tensor q = m_query(context, x);
    if (context.model.scales_queries) {
        q = scale(tape, q);
    }
    q = splitHeads(tape, q);
    const Tensor k = splitHeads(tape, m_key(context, source));
    const Tensor v = splitHeads(tape, m_value(context, source));
    const Tensor out = attend(context, q, k, v, call);
    return m_out(context, out);
}

ClassicMlp::ClassicMlp(const Context& context, std::string_view up, std::string_view down,
                       std::int64_t width, bool has_bias)
    : m_up(context, up, context.model.hidden, width, has_bias)
    , m_down(context, down, width, context.model.hidden, has_bias)
{
}

Tensor ClassicMlp::operator()(const Context& context, const Tensor& x) const
{
    Tensor hidden = m_up(context, x);
    hidden = activate(context, hidden);
    hidden = dropped(context, hidden, context.model.drops_inner);
    return m_down(context, hidden);
}

} // namespace tidemark::walk
