// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/beside.h"

#include "core/base/language.h"

namespace tidemark {
namespace language_detail {
namespace {

const Bytes*& besideHere()
{
    static thread_local const Bytes* here = nullptr;
    return here;
}

} // namespace

Beside::Beside(Bytes largest)
    : m_before(besideHere())
    , m_largest(largest)
{
    besideHere() = &m_largest;
}

Beside::~Beside()
{
    besideHere() = m_before;
}

const Bytes* Beside::largestHere()
{
    return besideHere();
}

} // namespace language_detail

OneUnit unitOfSentence(std::span<const Bytes> figures)
{
    return language_detail::Together::unitOf(figures);
}

} // namespace tidemark
