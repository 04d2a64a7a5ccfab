// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/stack_search.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace tidemark::tst_stack_search {

using namespace tidemark::label;

namespace {

constexpr std::array kNames{"forward",      "for", "main",
                            "update_cache", "",    "torch::unwind::unwind()"};
constexpr std::array kPaths{"/me/model.py",
                            "/you/me/model.py",
                            "C:\\me\\model.py",
                            "model.py",
                            "",
                            "/me/tidemodel.py",
                            "??"};
constexpr std::array kEnds{"model.py", "/model.py", "me/model.py",  "\\me\\model.py",
                           "",         "??",        "/me/model.py", "odel.py"};

template <class List>
const char* oneOf(const List& list, std::mt19937& random)
{
    return list[random() % list.size()];
}

/// Stacks of a few frames, of which the outermost two come from few.
trace::Snapshot randomStacks(std::mt19937& random)
{
    trace::Snapshot snapshot;
    for (int s = 0; s < 40; ++s) {
        std::vector<FrameId> frames;
        for (std::size_t i = random() % 5; i > 0; --i) {
            frames.push_back(
                snapshot.stacks.internFrame({snapshot.strings.intern(oneOf(kNames, random)),
                                             snapshot.strings.intern(oneOf(kPaths, random)),
                                             static_cast<std::int32_t>(random() % 3)}));
        }
        snapshot.stacks.internStack(frames);
    }
    return snapshot;
}

/// A written stack that means a stack of the snapshot, or nearly.
std::vector<FrameText> randomStack(std::mt19937& random, const trace::Snapshot& snapshot)
{
    std::vector<FrameText> written;
    const StackId stack(random() % snapshot.stacks.stackCount());
    for (const FrameId id : snapshot.stacks.frames(stack)) {
        const Frame& frame = snapshot.stacks.frame(id);
        FrameText text{std::string(snapshot.text(frame.name)),
                       std::string(snapshot.text(frame.filename)), frame.line};
        if (random() % 2 == 0) {
            text.filename = oneOf(kEnds, random);
        }
        if (random() % 3 == 0) {
            text.line = static_cast<std::int32_t>(random() % 2);
        }
        written.push_back(std::move(text));
    }
    return written;
}

std::vector<Correction> randomRules(std::mt19937& random, const trace::Snapshot& snapshot)
{
    std::vector<Correction> rules(30);
    for (Correction& rule : rules) {
        if (random() % 3 == 0) {
            rule.match.function =
                std::array{"for", "forward", "main", "a", "nowhere"}[random() % 5];
        }
        if (random() % 3 == 0) {
            rule.match.file =
                std::array{"model", "me/", "y", "??", "/nowhere/at/all"}[random() % 5];
        }
        if (random() % 3 == 0) {
            rule.match.stack = randomStack(random, snapshot);
        }
    }
    return rules;
}

bool isNoise(std::string_view name)
{
    return name == "torch::unwind::unwind()";
}

bool isPath(std::string_view path, std::string_view end)
{
    const auto isSeparator = [](char c) { return c == '/' || c == '\\'; };
    return path == end
        || (path.ends_with(end) && !end.empty()
            && (isSeparator(end.front()) || isSeparator(path[path.size() - end.size() - 1])));
}

/// Read from the words alone.
bool isMeant(const trace::Snapshot& snapshot, const CorrectionMatch& match, StackId stack)
{
    bool has_texts = match.function.empty() && match.file.empty();
    std::vector<FrameText> all;
    std::vector<FrameText> telling;
    for (const FrameId id : snapshot.stacks.frames(stack)) {
        const Frame& frame = snapshot.stacks.frame(id);
        all.push_back({std::string(snapshot.text(frame.name)),
                       std::string(snapshot.text(frame.filename)), frame.line});
        has_texts = has_texts
            || (all.back().name.find(match.function) != std::string::npos
                && all.back().filename.find(match.file) != std::string::npos);
    }
    const auto withoutNoise = [](const std::vector<FrameText>& frames) {
        std::vector<FrameText> kept;
        std::ranges::copy_if(frames, std::back_inserter(kept), [](const FrameText& frame) {
            return !isNoise(frame.name) || frame.filename.ends_with(".py");
        });
        return kept.empty() ? frames : kept;
    };
    return has_texts
        && (match.stack.empty()
            || std::ranges::equal(withoutNoise(all), withoutNoise(match.stack),
                                  [](const FrameText& frame, const FrameText& wanted) {
                                      return frame.name == wanted.name
                                          && isPath(frame.filename, wanted.filename)
                                          && (wanted.line == 0 || wanted.line == frame.line);
                                  }));
}

} // namespace

class TstStackSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void meansWhatReadingEveryStackByItselfSays()
    {
        std::mt19937 random(11);
        std::size_t meant = 0;
        for (int round = 0; round < 100; ++round) {
            const trace::Snapshot snapshot = randomStacks(random);
            const FrameUses uses(snapshot);
            const std::vector<Correction> rules = randomRules(random, snapshot);
            StackSearch search(snapshot, &uses, rules);
            QCOMPARE(search.count(), rules.size());
            for (std::size_t r = 0; r < rules.size(); ++r) {
                const CorrectionMatch& match = rules[r].match;
                const bool asks =
                    !match.function.empty() || !match.file.empty() || !match.stack.empty();
                QCOMPARE(search.asks(r), asks);
                std::vector<StackId> expected;
                for (std::size_t s = 0; asks && s < snapshot.stacks.stackCount(); ++s) {
                    if (isMeant(snapshot, match, StackId(s))) {
                        expected.push_back(StackId(s));
                    }
                    QCOMPARE(search.isMeant(r, StackId(s)),
                             !expected.empty() && expected.back() == StackId(s));
                }
                if (asks) {
                    const std::span<const StackId> stacks = search.stacks(r);
                    QVERIFY(std::ranges::equal(stacks, expected));
                    QVERIFY(search.cost(r) >= stacks.size());
                    QVERIFY(!search.isMeant(r, StackId::none()));
                    meant += stacks.size();
                }
            }
        }
        QVERIFY(meant > 2000); // Or the rules of this test would say nothing.
    }
    void whatFindsTooMuchIsServedInParts()
    {
        std::mt19937 random(13);
        const trace::Snapshot snapshot = randomStacks(random);
        const FrameUses uses(snapshot);
        const std::vector<Correction> rules = randomRules(random, snapshot);
        StackSearch whole(snapshot, &uses, rules);
        std::size_t parts = 0;
        for (std::size_t first = 0; first < rules.size(); ++parts) {
            StackSearch part(snapshot, &uses, std::span(rules).subspan(first), 10);
            QVERIFY(part.count() > 0);
            for (std::size_t r = 0; r < part.count(); ++r) {
                QCOMPARE(part.asks(r), whole.asks(first + r));
                if (part.asks(r)) {
                    QVERIFY(std::ranges::equal(part.stacks(r), whole.stacks(first + r)));
                }
            }
            first += part.count();
        }
        QVERIFY(parts > 3);
    }
};

TIDEMARK_TEST(TstStackSearch)

} // namespace tidemark::tst_stack_search

#include "tst_stack_search.moc"
