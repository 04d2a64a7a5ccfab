// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/layer_patterns.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string_view>

namespace tidemark::tst_layer_patterns {

using namespace tidemark::label;

namespace {

/// A letter is a stack that makes 1 MiB, a small one 4 KiB.
std::vector<MadeThing> made(std::string_view letters)
{
    std::vector<MadeThing> things;
    for (const char letter : letters) {
        const bool is_small = letter >= 'a';
        things.push_back({StackId(static_cast<std::uint32_t>(letter)), is_small ? 4096 : 1 << 20});
    }
    return things;
}

/// The anchor of each pattern and how often it stands in the sequence, by blocks.
std::string patternsIn(std::string_view letters, bool is_cut = false)
{
    std::string text;
    for (const LayerPattern& p : findLayerPatterns(made(letters), {is_cut, 0})) {
        const auto anchor = static_cast<char>(p.anchor.index());
        const auto times = std::ranges::count(letters, anchor) / p.per_layer;
        text += std::string(text.empty() ? "" : " ") + anchor + std::to_string(times);
    }
    return text;
}

} // namespace

class TstLayerPatterns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blocksOpenWithWhatRecursFirst()
    {
        QCOMPARE(patternsIn("EABCDABCDN"), std::string("A2"));
        QCOMPARE(patternsIn("EABCABCABCN"), std::string("A3"));
        QCOMPARE(patternsIn("ABCDEFGH"), std::string());
    }
    void whatIsMadeSideBySideOpensNoBlock()
    {
        // Two embeddings, and a last norm that makes three things: neither two nor three blocks.
        QCOMPARE(patternsIn("EENNNABCMNNNDNNNABCMNNNDFFF"), std::string("N2"));
        QCOMPARE(patternsIn("EENNNABCMNNNDNNNABCMNNNDFFF", true), std::string("N2"));
        QCOMPARE(patternsIn("NNNABCMNNNDNNNABCMNNNDFFF", true), std::string("N2"));
    }
    void layersThatMakeOneThingEachAreBlocks()
    {
        QCOMPARE(patternsIn("XAAAAY"), std::string("A4"));
    }
};

TIDEMARK_TEST(TstLayerPatterns)

} // namespace tidemark::tst_layer_patterns

#include "tst_layer_patterns.moc"
