// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/text_finder.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace tidemark::tst_text_finder {

namespace {

using Numbers = std::vector<std::uint32_t>;

std::string randomText(std::mt19937& random, std::size_t longest)
{
    std::string text(random() % (longest + 1), 'a');
    for (char& c : text) {
        c = "ab\xc3"[random() % 3]; // A byte that is negative where char is signed.
    }
    return text;
}

Numbers sorted(Numbers numbers)
{
    std::ranges::sort(numbers);
    return numbers;
}

} // namespace

class TstTextFinder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsWhatLookingForEachTextByItselfFinds()
    {
        std::mt19937 random(3);
        std::size_t hits = 0;
        for (int round = 0; round < 300; ++round) {
            std::set<std::string> distinct;
            for (int i = 0; i < 12; ++i) {
                distinct.insert("a" + randomText(random, 4));
                distinct.insert("b" + randomText(random, 2));
            }
            const std::vector<std::string_view> texts(distinct.begin(), distinct.end());
            TextFinder finder(texts);
            for (int i = 0; i < 10; ++i) {
                const std::string in = randomText(random, 20);
                Numbers occur;
                Numbers end;
                for (std::uint32_t t = 0; t < texts.size(); ++t) {
                    if (in.find(texts[t]) != std::string::npos) {
                        occur.push_back(t);
                    }
                    if (std::string_view(in).ends_with(texts[t])) {
                        end.push_back(t);
                    }
                }
                Numbers found;
                finder.find(in, found);
                QCOMPARE(sorted(found), occur);
                Numbers endings;
                finder.findEndings(in, endings);
                QCOMPARE(sorted(endings), end);
                hits += occur.size();
            }
        }
        QVERIFY(hits > 3000); // Or the texts of this test would say nothing.
    }
    void noTextsAreFoundNowhere()
    {
        TextFinder finder({});
        Numbers found;
        finder.find("anything", found);
        finder.findEndings("anything", found);
        QVERIFY(found.empty());
    }
};

TIDEMARK_TEST(TstTextFinder)

} // namespace tidemark::tst_text_finder

#include "tst_text_finder.moc"
