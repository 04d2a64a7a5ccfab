// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"

#include <span>

namespace tidemark {
namespace language_detail {

/// While it lives, all sentences of its thread share the unit of `largest`.
class Beside {
public:
    explicit Beside(Bytes largest);
    ~Beside();
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;
    /// Null: each sentence has its own.
    [[nodiscard]] static const Bytes* largestHere();

private:
    const Bytes* m_before;
    Bytes m_largest;
};

} // namespace language_detail

/// As `sayTogether`, of what is too costly to be composed twice: texts that stand on one page, the
/// largest figure of which is known.
template <class Compose>
auto sayBeside(Bytes largest, const Compose& compose)
{
    const language_detail::Beside beside(largest);
    return compose();
}

/// The unit of figures that a sentence says without `say`.
[[nodiscard]] OneUnit unitOfSentence(std::span<const Bytes> figures);

} // namespace tidemark
