// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/address_map.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <map>
#include <optional>
#include <random>

namespace tidemark::tst_address_map {

namespace {

using Map = AddressMap<int>;
using Expected = std::map<Address, int>;

std::optional<Map::Entry> below(const Expected& expected, Address address)
{
    const auto it = expected.lower_bound(address);
    return it == expected.begin() ? std::nullopt : std::optional(Map::Entry(*std::prev(it)));
}

std::optional<Map::Entry> atOrAbove(const Expected& expected, Address address)
{
    const auto it = expected.lower_bound(address);
    return it == expected.end() ? std::nullopt : std::optional(Map::Entry(*it));
}

bool isAround(const Map::Neighbours& found, const Expected& expected, Address address)
{
    return found.below == below(expected, address)
        && found.at_or_above == atOrAbove(expected, address);
}

} // namespace

class TstAddressMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itFindsWhatASortedMapFinds()
    {
        for (const Address range : {Address{40}, Address{5000}}) {
            std::mt19937 random(static_cast<unsigned>(range));
            Map map;
            Expected expected;
            for (int i = 0; i < 20000; ++i) {
                const Address address = random() % range;
                // It grows at first, and is empty now and then at the end.
                if (random() % 100 < (i < 10000 ? 70U : 35U)) {
                    QVERIFY(isAround(map.put(address, i), expected, address));
                    expected[address] = i;
                } else {
                    map.erase(address);
                    expected.erase(address);
                }
                const Address at = random() % range;
                QVERIFY(isAround(map.around(at), expected, at));
                QCOMPARE(map.isEmpty(), expected.empty());
            }
        }
    }

    void whatIsAddedInOrderIsFoundEitherWay()
    {
        for (const bool upwards : {true, false}) {
            Map map;
            for (int i = 0; i < 3000; ++i) {
                map.put(static_cast<Address>(upwards ? i : 3000 - i) * 2, i);
            }
            for (Address address = 2; address < 6000; address += 2) {
                QCOMPARE(map.around(address - 1).at_or_above->first, address);
                QCOMPARE(map.around(address + 1).below->first, address);
            }
        }
    }
};

TIDEMARK_TEST(TstAddressMap)

} // namespace tidemark::tst_address_map

#include "tst_address_map.moc"
