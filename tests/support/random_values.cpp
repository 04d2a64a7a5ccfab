// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/random_values.h"

#include <limits>

namespace tidemark::test {

using namespace std::string_literals;

ValueRef OddValues::container(int depth)
{
    if (m_random.chance(0.3)) {
        ValueRef result = dict();
        for (std::size_t n = m_random.below(4); n > 0; --n) {
            const std::string& name = key();
            put(result, name, anything(depth - 1));
        }
        return result;
    }
    ValueRef result = m_random.chance(0.3) ? tuple() : list();
    for (std::size_t n = m_random.below(5); n > 0; --n) {
        result->items.push_back(anything(depth - 1));
    }
    return result;
}

ValueRef OddValues::anything(int depth)
{
    if (m_random.chance(0.2)) {
        return number();
    }
    if (m_random.chance(0.4)) {
        return oddText();
    }
    if (depth > 0 && m_random.chance(0.5)) {
        return container(depth);
    }
    static const std::vector<double> kFloats{0.0,
                                             -0.0,
                                             1.5,
                                             512.0,
                                             -4096.0,
                                             1e300,
                                             9007199254740992.0,
                                             9007199254740994.0,
                                             std::numeric_limits<double>::infinity()};
    switch (m_random.below(3)) {
    case 0:
        return none();
    case 1:
        return boolean(m_random.chance(0.5));
    default:
        return floating(m_random.pick(kFloats));
    }
}

ValueRef OddValues::number()
{
    static const std::vector<std::int64_t> kEdges{0,
                                                  1,
                                                  -1,
                                                  255,
                                                  256,
                                                  65535,
                                                  65536,
                                                  INT32_MAX,
                                                  std::int64_t{INT32_MAX} + 1,
                                                  INT32_MIN,
                                                  std::int64_t{INT32_MIN} - 1,
                                                  std::int64_t{1} << 46,
                                                  (std::int64_t{1} << 46) + 1,
                                                  std::int64_t{1} << 53,
                                                  (std::int64_t{1} << 59) - 1,
                                                  std::int64_t{1} << 59,
                                                  -(std::int64_t{1} << 59) - 1,
                                                  INT64_MAX,
                                                  INT64_MIN};
    switch (m_random.below(8)) {
    case 0:
        return unsignedInteger(std::uint64_t{1} << 63U);
    case 1:
        return unsignedInteger(std::numeric_limits<std::uint64_t>::max());
    case 2:
        return huge("18446744073709551616", "\0\0\0\0\0\0\0\0\x01"s);
    case 3:
        return huge("-9223372036854775809", "\xff\xff\xff\xff\xff\xff\xff\x7f\xff");
    case 4:
        return integer(static_cast<std::int64_t>(m_random.bits()));
    default:
        return integer(m_random.pick(kEdges));
    }
}

ValueRef OddValues::oddText()
{
    static const std::vector<std::string> kTexts{"",
                                                 "N/A",
                                                 "alloc",
                                                 "x",
                                                 "\xc3\xa9t\xc3\xa9",
                                                 "\xe4\xb8\xad/m.py",
                                                 "\xf0\x9f\x98\x80",
                                                 "lone \xed\xa0\x80 surrogate",
                                                 "\xed\xb0\x80",
                                                 "a\0b"s,
                                                 "line\nbreak\r\n",
                                                 "back\\slash\\u0041",
                                                 "\x1a",
                                                 std::string(255, 'k'),
                                                 std::string(256, 'l'),
                                                 std::string(300, 'm') + "\xc3\xbc",
                                                 "active_awaiting_free",
                                                 "END",
                                                 "\x7f"};
    if (m_random.chance(0.002)) {
        return text(std::string(std::size_t{70} << 10U, 'w'));
    }
    return text(m_random.pick(kTexts));
}

const std::string& OddValues::key()
{
    static const std::vector<std::string> kKeys{"novelty",
                                                "blocks",
                                                "addr",
                                                "size",
                                                "\xc3\xa9",
                                                "a key with\nline",
                                                "lone \xed\xa0\x80",
                                                std::string(300, 'q'),
                                                "",
                                                "zz"};
    return m_random.pick(kKeys);
}

} // namespace tidemark::test
