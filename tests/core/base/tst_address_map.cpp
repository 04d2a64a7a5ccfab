// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/address_map.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <map>
#include <random>

using namespace tidemark;

namespace {

using Map = AddressMap<int>;
using Expected = std::map<Address, int>;

const Map::Entry* below(const Expected& expected, Address address, Map::Entry& entry)
{
    const auto it = expected.lower_bound(address);
    if (it == expected.begin()) {
        return nullptr;
    }
    entry = {std::prev(it)->first, std::prev(it)->second};
    return &entry;
}

const Map::Entry* atOrAbove(const Expected& expected, Address address, Map::Entry& entry)
{
    const auto it = expected.lower_bound(address);
    if (it == expected.end()) {
        return nullptr;
    }
    entry = {it->first, it->second};
    return &entry;
}

void compare(const Map::Entry* actual, const Map::Entry* expected)
{
    QCOMPARE(actual == nullptr, expected == nullptr);
    if (actual != nullptr) {
        QVERIFY(*actual == *expected);
    }
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
                    map.put(address, i);
                    expected[address] = i;
                } else {
                    map.erase(address);
                    expected.erase(address);
                }
                const Address at = random() % range;
                Map::Entry entry;
                compare(map.below(at), below(expected, at, entry));
                compare(map.atOrAbove(at), atOrAbove(expected, at, entry));
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
                QCOMPARE(map.atOrAbove(address - 1)->first, address);
                QCOMPARE(map.below(address + 1)->first, address);
            }
        }
    }
};

TIDEMARK_TEST(TstAddressMap)
#include "tst_address_map.moc"
