// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/chunk_store.h"
#include "core/base/id_index.h"
#include "core/base/keyed_hash.h"
#include "core/base/stack_pool.h"
#include "core/base/string_pool.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

namespace tidemark::tst_pools {

namespace {

/// Texts of every length around the places where the hash changes its way of reading, that differ
/// in one byte only.
std::vector<std::string> nearlyEqualTexts()
{
    std::vector<std::string> texts{std::string()};
    for (std::size_t length = 1; length <= 70; ++length) {
        const std::string plain(length, 'a');
        texts.push_back(plain);
        for (std::size_t at = 0; at < length; ++at) {
            for (const char other : {'b', '\0', '\xff'}) {
                texts.push_back(plain);
                texts.back()[at] = other;
            }
        }
    }
    return texts;
}

} // namespace

class TstPools : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalTextsShareAnIdAndViewsStayValid()
    {
        StringPool pool;
        const StringId a = pool.intern("forward");
        const std::string_view view = pool.text(a);
        for (int i = 0; i < 10000; ++i) {
            (void)pool.intern(std::to_string(i));
        }
        QCOMPARE(pool.intern("forward").value, a.value);
        QVERIFY(view.data() == pool.text(a).data());
        QCOMPARE(pool.size(), 10001UL);
        QVERIFY(pool.find("never").isNone());
        QVERIFY(StringPool().find("never").isNone());
        QVERIFY(pool.text(StringId::none()).empty());
    }
    void idsCountUpInTheOrderOfFirstAppearance()
    {
        std::mt19937 random(3);
        StringPool pool;
        std::map<std::string, std::uint32_t, std::less<>> known;
        for (int i = 0; i < 200000; ++i) {
            const std::string text = std::to_string(random() % 50000);
            const auto number = static_cast<std::uint32_t>(known.size());
            const std::uint32_t expected = known.emplace(text, number).first->second;
            QCOMPARE(pool.intern(text).value, expected);
            QCOMPARE(pool.find(text).value, expected);
        }
        for (const auto& [text, id] : known) {
            QVERIFY(pool.text(StringId(id)) == text);
        }
    }
    void nearlyEqualTextsAreDifferent()
    {
        StringPool pool;
        const std::vector<std::string> texts = nearlyEqualTexts();
        for (std::size_t i = 0; i < texts.size(); ++i) {
            QCOMPARE(pool.intern(texts[i]).index(), i);
        }
        for (std::size_t i = 0; i < texts.size(); ++i) {
            QVERIFY(pool.text(StringId(i)) == texts[i]);
        }
    }
    void textsOfAnyLengthKeepTheirPlaceWhenThePoolMoves()
    {
        StringPool pool;
        std::vector<std::string_view> views;
        for (const std::size_t length : {0UL, 1UL, 100UL, 1023UL, 1025UL, 5000UL, 3000000UL, 7UL}) {
            views.push_back(pool.text(pool.intern(std::string(length, 'x'))));
            QCOMPARE(views.back().size(), length);
        }
        StringPool moved = std::move(pool);
        for (std::size_t i = 0; i < views.size(); ++i) {
            QVERIFY(moved.text(StringId(i)).data() == views[i].data());
            QVERIFY(std::ranges::all_of(views[i], [](char c) { return c == 'x'; }));
        }
        pool = StringPool();
        QCOMPARE(pool.intern("anew").value, 0U);
        QCOMPARE(moved.intern("further").index(), views.size());
    }
    void equalStacksShareAnIdWhateverListTheyCameFrom()
    {
        StackPool pool;
        const FrameId f = pool.internFrame({StringId(1U), StringId(2U), 3});
        const FrameId g = pool.internFrame({StringId(1U), StringId(2U), 4});
        QVERIFY(f != g);
        QVERIFY(pool.internFrame({StringId(2U), StringId(1U), 3}) != f);
        QVERIFY(pool.internFrame({StringId::none(), StringId(2U), -3}) != f);
        QCOMPARE(pool.internFrame({StringId(1U), StringId(2U), 3}).value, f.value);
        QCOMPARE(pool.frameCount(), 4UL);
        const std::vector<FrameId> one{f, g};
        const std::vector<FrameId> other{g, f};
        const StackId s = pool.internStack(one);
        QCOMPARE(pool.internStack(std::vector<FrameId>{f, g}).value, s.value);
        QVERIFY(pool.internStack(other) != s);
        QCOMPARE(pool.internStack(std::vector<FrameId>{f, g}).value, s.value);
        QVERIFY(std::ranges::equal(pool.frames(s), one));
        QVERIFY(pool.frames(StackId::none()).empty());
        const StackId empty = pool.internStack({});
        QVERIFY(empty != StackId::none());
        QVERIFY(pool.frames(empty).empty());
        QCOMPARE(pool.internStack({}).value, empty.value);
    }
    void stacksAreFoundAgainByContentAndKeepTheirPlace()
    {
        std::mt19937 random(5);
        StackPool pool;
        std::map<std::vector<FrameId>, std::uint32_t> known;
        std::vector<const FrameId*> places;
        for (int i = 0; i < 60000; ++i) {
            std::vector<FrameId> frames(random() % 6 == 0 ? random() % 600 : random() % 8);
            std::ranges::generate(frames, [&] { return FrameId(random() % 4); });
            const auto number = static_cast<std::uint32_t>(known.size());
            const auto [it, fresh] = known.emplace(frames, number);
            QCOMPARE(pool.internStack(frames).value, it->second);
            if (fresh) {
                places.push_back(pool.frames(StackId(number)).data());
            }
        }
        const StackPool moved = std::move(pool);
        QCOMPARE(moved.stackCount(), known.size());
        for (const auto& [frames, id] : known) {
            QVERIFY(std::ranges::equal(moved.frames(StackId(id)), frames));
            QVERIFY(moved.frames(StackId(id)).data() == places[id]);
        }
    }
    void entriesWithOneHashAreToldApart()
    {
        // No key helps against equal hashes; they only make it slower.
        IdIndex index;
        const auto isSame = [](std::uint32_t wanted) {
            return [wanted](std::uint32_t other) { return other == wanted; };
        };
        for (std::uint32_t i = 0; i < 500; ++i) {
            const auto [number, fresh] = index.findOrAdd(~std::uint64_t{0}, i, isSame(i));
            QCOMPARE(number, i);
            QVERIFY(fresh);
        }
        QCOMPARE(index.find(~std::uint64_t{0}, isSame(499)), 499U);
        QVERIFY(!index.findOrAdd(~std::uint64_t{0}, 500, isSame(17)).second);
        QCOMPARE(index.find(0, isSame(0)), IdIndex::kNone);
    }
    void hashesSpreadOverAllBits()
    {
        const KeyedHash hash;
        std::set<std::uint64_t> hashes;
        std::array<int, 64> ones{};
        const std::vector<std::string> texts = nearlyEqualTexts();
        for (const std::string& text : texts) {
            const std::uint64_t h = hash.bytes(text);
            QCOMPARE(KeyedHash().bytes(text), h);
            hashes.insert(h);
            for (std::size_t bit = 0; bit < ones.size(); ++bit) {
                ones[bit] += static_cast<int>(h >> bit & 1);
            }
        }
        QCOMPARE(hashes.size(), texts.size());
        const auto count = static_cast<int>(texts.size());
        for (const int of_bit : ones) {
            QVERIFY(of_bit > count * 2 / 5 && of_bit < count * 3 / 5);
        }
        std::set<std::uint64_t> numbers;
        for (std::uint64_t n = 0; n < 10000; ++n) {
            numbers.insert(hash.number(n << 9) >> 32);
            numbers.insert(hash.pair(n, n + 1) >> 32);
        }
        QVERIFY(numbers.size() > 19990);
    }
};

TIDEMARK_TEST(TstPools)

} // namespace tidemark::tst_pools

#include "tst_pools.moc"
