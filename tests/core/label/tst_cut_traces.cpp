// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tidemark::tst_cut_traces {

using namespace tidemark::test;

namespace {

/// A program as lines of a script, with what each allocation is for; it can be recorded from any
/// event on.
class Recording {
public:
    void make(const std::string& name, std::int64_t size, const char* stack, const char* bucket)
    {
        m_made[name] = {size, stack, bucket};
        m_lines.push_back({name, true});
    }
    void drop(const std::string& name)
    {
        m_lines.push_back({name, false});
    }
    std::size_t count() const
    {
        return m_lines.size();
    }

    bool isMade(std::size_t line) const
    {
        return m_lines[line].is_made;
    }

    /// What a recording that begins before a line says otherwise than it was of all that was there
    /// by then and was no temporary, in words.
    std::string mistakesFrom(std::size_t line, bool has_frames = true) const
    {
        std::vector<std::string> alive;
        for (std::size_t i = 0; i < line; ++i) {
            const auto& [name, is_made] = m_lines[i];
            if (is_made) {
                alive.push_back(name);
            } else {
                std::erase(alive, name);
            }
        }
        std::string text = "stack own = main /me/train.py:29\n";
        for (const std::string& name : alive) {
            const Made& made = m_made.at(name);
            const bool stays = std::ranges::none_of(
                m_lines, [&](const Line& l) { return l.name == name && !l.is_made; });
            const bool is_told = has_frames && stays && made.stack[1] != '-';
            text += fmt::format("live {} {} {}\n", name, made.size, is_told ? made.stack : "");
        }
        for (std::size_t i = line; i < m_lines.size(); ++i) {
            const auto& [name, is_made] = m_lines[i];
            const Made& made = m_made.at(name);
            text += is_made
                ? fmt::format("{} +{} {}\n", name, made.size, has_frames ? made.stack : "")
                : fmt::format("{} -\n", name);
        }
        const Labelled run(text);
        std::string words;
        for (std::size_t i = 0; i < alive.size(); ++i) {
            const Made& made = m_made.at(alive[i]);
            const std::string found(label::bucketId(run.labels.devices[0].bucket[i]));
            if (run.replay.devices[0].allocations.requested[i].value != made.size) {
                return "the order of what was there is another one";
            }
            if (found != made.bucket && std::string_view(made.bucket) != "temporary") {
                words += fmt::format("from {}: {} is {}, called {}\n", line, alive[i], made.bucket,
                                     found);
            }
        }
        return words;
    }

private:
    struct Made {
        std::int64_t size = 0;
        const char* stack = "";
        const char* bucket = "";
    };
    struct Line {
        std::string name;
        bool is_made = false;
    };
    std::map<std::string, Made> m_made;
    std::vector<Line> m_lines;
};

constexpr int kLayers = 5;

std::string named(const char* what, int step, int layer)
{
    return fmt::format("{}{}.{}", what, step, layer);
}

void trainingStep(Recording& r, int n, bool clears_before_step)
{
    r.make(named("x", n, 0), 70'000, "@data", "input");
    if (n > 0) {
        r.drop(named("x", n - 1, 0));
    }
    for (int i = 0; i < kLayers; ++i) {
        r.make(named("t", n, i), 33'000, "@linear", "temporary");
        r.make(named("a", n, i), 50'000 + i, "@linear", "activation");
        r.drop(named("t", n, i));
    }
    r.make(named("logits", n, 0), 90'000, "@linear", "activation");
    if (n > 0) {
        r.drop(named("logits", n - 1, 0)); // The variable is assigned anew.
    }
    r.make(named("root", n, 0), 4, "@-", "temporary");
    for (int i = kLayers; i-- > 0;) {
        r.make(named("ga", n, i), 50'000 + i, "@-", "temporary");
        r.make(named("g", n, i), 1000 * (i + 1), "@-", "gradient");
        r.drop(named("ga", n, i));
        r.drop(named("a", n, i));
    }
    r.drop(named("root", n, 0));
    for (int i = 0; i < kLayers; ++i) {
        if (n == 0) {
            r.make(named("m", n, i), 1000 * (i + 1), "@adaminit", "optimizer_state");
        }
        r.make(named("u", n, i), 1000 * (i + 1), "@adam", "temporary");
        if (!clears_before_step) {
            r.drop(named("u", n, i));
        }
    }
    for (int i = 0; i < kLayers && clears_before_step; ++i) {
        r.drop(named("u", n, i)); // As an optimizer does that works on lists.
    }
    for (int i = 0; i < kLayers; ++i) {
        r.drop(named("g", n, i));
    }
}

/// Six steps, and the line each begins at.
std::pair<Recording, std::vector<std::size_t>> training(bool works_on_lists)
{
    Recording r;
    for (int i = 0; i < kLayers; ++i) {
        r.make(named("w", 0, i), 1000 * (i + 1), "@load", "parameter");
    }
    std::vector<std::size_t> begins;
    for (int n = 0; n < 6; ++n) {
        begins.push_back(r.count());
        trainingStep(r, n, works_on_lists);
    }
    return {r, begins};
}

} // namespace

class TstCutTraces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTrainingMayBeRecordedFromAnyEventOn_data()
    {
        QTest::addColumn<bool>("works_on_lists");
        QTest::newRow("one by one") << false;
        QTest::newRow("lists") << true;
    }
    void aTrainingMayBeRecordedFromAnyEventOn()
    {
        QFETCH(bool, works_on_lists);
        const auto [r, begins] = training(works_on_lists);
        std::string words;
        for (std::size_t line = begins[1]; line < begins[3]; ++line) {
            // What is freed before anything is made leaves nothing to compare it with.
            words += r.isMade(line) ? r.mistakesFrom(line) : std::string();
        }
        QCOMPARE(QString::fromStdString(words), QString());
    }

    void withoutFramesFewPlacesToBeginMislead()
    {
        // The loss and the last activation of a backward are all that a recording may begin with.
        const auto [r, begins] = training(false);
        std::size_t cuts = 0;
        std::string words;
        for (std::size_t line = begins[1]; line < begins[3]; ++line) {
            cuts += r.isMade(line) ? 1U : 0U;
            words += r.isMade(line) ? r.mistakesFrom(line, false) : std::string();
        }
        const auto mistakes = static_cast<std::size_t>(std::ranges::count(words, '\n'));
        QVERIFY2(mistakes * 8 <= cuts, words.c_str()); // Of some twenty that are judged each time.
    }

    void anEvaluationMayBeRecordedFromAnyEventOn()
    {
        Recording r;
        for (int i = 0; i < kLayers; ++i) {
            r.make(named("w", 0, i), 10'000 * (i + 1), "@load", "parameter");
        }
        std::vector<std::size_t> begins;
        for (int n = 0; n < 8; ++n) {
            begins.push_back(r.count());
            r.make(named("x", n, 0), 70'000, "@own", "input");
            if (n > 0) {
                r.drop(named("x", n - 1, 0));
            }
            for (int i = 0; i < kLayers; ++i) {
                r.make(named("e", n, i), 50'000 + i, "@linear", "temporary");
                if (i > 0) {
                    r.drop(named("e", n, i - 1));
                }
            }
            r.make(named("kept", n, 0), 60'000, "@softmax", "output");
            r.drop(named("e", n, kLayers - 1));
        }
        std::string words;
        for (std::size_t line = begins[1]; line < begins[3]; ++line) {
            // What is freed before anything is made leaves nothing to compare it with.
            words += r.isMade(line) ? r.mistakesFrom(line) : std::string();
        }
        QCOMPARE(QString::fromStdString(words), QString());
    }

    void gradientsAreToldWhereTheTraceHasNoBackward()
    {
        // It begins in the first step's optimizer, and no other backward follows.
        Recording r;
        for (int i = 0; i < kLayers; ++i) {
            r.make(named("w", 0, i), 1000 * (i + 1), "@load", "parameter");
        }
        trainingStep(r, 0, false);
        const std::size_t after_backward = r.count() - kLayers - 3 * kLayers;
        r.make("x", 70'000, "@data", "input");
        for (int i = 0; i < kLayers; ++i) {
            r.make(named("b", 1, i), 50'000 + i, "@linear", "activation");
        }
        QCOMPARE(QString::fromStdString(r.mistakesFrom(after_backward)), QString());
    }

    void aDataSetAndACacheOfBeforeTheTraceAreNoModel()
    {
        std::string step;
        for (int n = 0; n < 3; ++n) {
            step += fmt::format("x{0} +7777 @data\na{0} +50000 @linear\nb{0} +60000 @linear\n"
                                "b{0} -\ng{0} +1000 @-\nh{0} +2000 @-\na{0} -\n"
                                "u{0} +2000 @adam\nu{0} -\ng{0} -\nh{0} -\nx{0} -\n",
                                n);
        }
        const std::string model = "live w 1000\nlive v 2000\nlive m 1000\nlive n 2000\n";
        const Labelled trained(model + "live set 900000\n" + step);
        QCOMPARE(trained.bucket(900'000), std::string("input"));
        QCOMPARE(trained.bucket(1000), std::string("parameter"));

        std::string passes;
        for (int n = 0; n < 4; ++n) {
            passes += fmt::format("x{0} +7777 @data\na{0} +50000 @linear\nb{0} +60000 @linear\n"
                                  "a{0} -\nc{0} +50000 @linear\nb{0} -\nc{0} -\nx{0} -\n",
                                  n);
        }
        const std::string caches = "live k1 80000\nlive k2 80000\nlive k3 80000\nlive k4 80000\n";
        QCOMPARE(Labelled(model + caches + passes).bucket(80'000, 3), std::string("kv_cache"));
        // Layers of a model are equal, too, but not larger than all else.
        const std::string more = "live e 400000\n";
        QCOMPARE(Labelled(more + model + caches + passes).bucket(80'000, 3),
                 std::string("parameter"));
    }

    void aFirstStepOfSgdThatIsCutOffWasMakingMomentum()
    {
        const std::string sgd = "_multi_tensor_sgd /x/site-packages/torch/optim/sgd.py:{}; step "
                                "/x/site-packages/torch/optim/sgd.py:151; main /me/train.py:34\n";
        std::string text = "stack decay = " + fmt::format(fmt::runtime(sgd), 270)
            + "stack momentum = " + fmt::format(fmt::runtime(sgd), 290);
        for (int i = 1; i <= 4; ++i) {
            text += fmt::format("w{0} +{1} @load\n", i, i * 1000);
        }
        const auto pass = [](int n) {
            std::string lines = fmt::format(
                "x{0} +777 @data\na{0} +50000 @linear\nb{0} +60000 @linear\nb{0} -\n", n);
            for (int i = 4; i >= 1; --i) {
                lines += fmt::format("g{0}.{1} +{2} @-\n", n, i, i * 1000);
            }
            return lines + fmt::format("a{0} -\n", n);
        };
        text += pass(1);
        for (int i = 1; i <= 4; ++i) {
            text += fmt::format("d{0} +{1} @decay\n", i, i * 1000);
        }
        const std::string made = "m1 +1000 @momentum\nm2 +2000 @momentum\n";
        const Labelled cut(text + made);
        QCOMPARE(cut.bucket(2000, 2), std::string("temporary"));
        QCOMPARE(cut.bucket(2000, 3), std::string("optimizer_state"));
        // Later steps make none.
        std::string later = text + made + "m3 +3000 @momentum\nm4 +4000 @momentum\n";
        for (int i = 1; i <= 4; ++i) {
            later += fmt::format("d{0} -\ng1.{0} -\n", i);
        }
        const Labelled second(later + "x1 -\n" + pass(2) + "e1 +1000 @decay\ne2 +2000 @decay\n");
        QCOMPARE(second.bucket(2000, 3), std::string("optimizer_state"));
        QCOMPARE(second.bucket(2000, 5), std::string("temporary"));
    }

    void copiesAreCountedWhereAFirstForwardWasCutOff()
    {
        std::string text;
        for (int copy = 0; copy < 3; ++copy) {
            for (int i = 1; i <= 3; ++i) {
                text += fmt::format("live c{0}.{1} {2}\n", copy, i, i * 1000);
            }
        }
        const Labelled run(text + "x +777 @data\na +50000 @linear\nb +60000 @linear\n");
        std::map<std::string, int> found;
        for (int i = 0; i < 3; ++i) {
            ++found[run.bucket(2000, i)];
        }
        QCOMPARE(found, (std::map<std::string, int>{{"optimizer_state", 2}, {"parameter", 1}}));
    }

    void momentsLieSideBySide()
    {
        // Weights, then gradients one by one, then two moments of each weight in turn.
        std::string text;
        for (const char* set : {"w", "g"}) {
            for (int i = 1; i <= 3; ++i) {
                text += fmt::format("live {0}{1} {2}\n", set, i, i * 512);
            }
        }
        for (int i = 1; i <= 3; ++i) {
            text += fmt::format("live m{0} {1}\nlive v{0} {1}\n", i, i * 512);
        }
        for (int n = 1; n <= 2; ++n) { // Gradients are added to; one odd tensor stays a while.
            text += fmt::format("x{0} +777 @data\na{0} +50000 @linear\nb{0} +60000 @linear\n"
                                "o{0} +64 @-\nt{0} +1536 @-\nt{0} -\nb{0} -\na{0} -\n"
                                "u{0} +1536 @adam\nu{0} -\no{0} -\nx{0} -\n",
                                n);
        }
        const Labelled run(text);
        for (const std::int64_t size : {512, 1024, 1536}) {
            QCOMPARE(run.bucket(size, 0), std::string("parameter"));
            QCOMPARE(run.bucket(size, 1), std::string("gradient"));
            QCOMPARE(run.bucket(size, 2), std::string("optimizer_state"));
            QCOMPARE(run.bucket(size, 3), std::string("optimizer_state"));
        }
    }

    void aStepByHandIsFoundInTheMiddleOfATraining()
    {
        // No setup shows which line feeds a pass: what it makes is there when the pass begins.
        std::string text = "stack own = main /me/train.py:29\nstack feed = main /me/train.py:21\n"
                           "live w 1000\nlive v 2000\n"
                           "g0 +1000 @-\nh0 +2000 @-\n";
        for (int n = 0; n < 3; ++n) {
            text += fmt::format("u{0} +1000 @own\nu{0} -\ng{0} -\ns{0} +2000 @own\ns{0} -\nh{0} -\n"
                                "x{1} +7777 @feed\na{1} +50000 @linear\nb{1} +60000 @linear\n"
                                "b{1} -\ng{1} +1000 @-\nh{1} +2000 @-\na{1} -\nx{1} -\n",
                                n, n + 1);
        }
        const Labelled run(text);
        QCOMPARE(run.phases(),
                 std::string("backward/1 optimizer/1 input/2 forward/2 backward/2 optimizer/2 "
                             "input/3 forward/3 backward/3 optimizer/3 input/4 forward/4 "
                             "backward/4"));
    }
    void whatHasNoFramesBesideStatesThatHaveIsGradients()
    {
        // The trace holds the begin of a forward pass only; before it came a whole step.
        const std::string state = "live m1 1000 @adaminit\nlive m2 2000 @adaminit\n";
        const auto found = [](const std::string& before) {
            std::string text = "live w1 1000 @load\nlive w2 2000 @load\n";
            text += before;
            text += "live g1 1000\nlive g2 2000\nx +777 @data\ne +30000 @embed\n";
            return Labelled(text);
        };
        QCOMPARE(found(state).bucket(2000, 2), std::string("gradient"));
        QCOMPARE(found("").bucket(2000, 1), std::string("parameter")); // nothing is trained
    }

    /// As cuBLASLt's workspace and the state of cuDNN's dropout; a buffer's line runs once.
    void whatALineKeepsOfItsFirstCallIsTheLibrarys()
    {
        std::string text =
            "stack buffer = _set_cos_sin_cache /me/model.py:9; forward "
            "/me/model.py:4; _call_impl /x/site-packages/torch/nn/modules/module.py:9"
            "; main /me/train.py:31\nw +10000 @load\n"
            + step(1, true);
        text.insert(text.find("t1 -"), "kept +60000 @linear\nonce +50000 @buffer\n");
        text += step(2, false) + step(3, false) + step(4, false);
        const Labelled run(text.substr(0, text.find("l4 +")));
        QCOMPARE(run.bucket(60000), std::string("workspace"));
        QCOMPARE(run.bucket(50000), std::string("parameter"));
        // What the last pass holds where it is cut off is none of either.
        QCOMPARE(run.bucket(40000, 6), std::string("activation")); // h4
    }

    /// On Hopper: cuBLAS' of forward and backward, and cuBLASLt's. Frozen weights may be as large.
    void workspacesOfBeforeTheTraceAreToldByTheirSizes()
    {
        constexpr std::int64_t kHopper = 33'554'432;
        constexpr std::int64_t kLt = 1'048'576;
        const auto found = [&](int hopper) {
            std::string text = fmt::format("live w 10000\nlive lt {}\n", kLt);
            for (int i = 0; i < hopper; ++i) {
                text += fmt::format("live ws{} {}\n", i, kHopper);
            }
            return Labelled(text + step(1, false) + step(2, false) + step(3, false));
        };
        QCOMPARE(found(2).bucket(kHopper, 0), std::string("workspace"));
        QCOMPARE(found(2).bucket(kHopper, 1), std::string("workspace"));
        QCOMPARE(found(2).bucket(kLt), std::string("workspace"));
        QVERIFY(found(0).bucket(kLt) != "workspace"); // No cuBLAS.
        QCOMPARE(found(4).bucket(kHopper, 0), std::string("parameter"));
    }

    /// What FSDP reduces into is of no weight's size.
    void whatAStepFreesOfBeforeAPassIsAGradient()
    {
        const std::string held = "live w 10000\nlive flat 7000\n";
        std::string text = step(1, false);
        text.insert(text.find("u1 -"), "flat -\n");
        QCOMPARE(Labelled(held + text + step(2, false)).bucket(7000), std::string("gradient"));
        // The step itself may have made it.
        QCOMPARE(Labelled(held + "u +10000 @adam\nflat -\nu -\n" + step(1, false)).bucket(7000),
                 std::string("temporary"));
    }

    void whereWeightsHaveFramesTheirSizesWithoutAreState()
    {
        const Labelled run("live w 10000 @load\nlive m 10000\nlive v 10000\n" + step(1, false)
                           + step(2, false));
        QCOMPARE(run.bucket(10000, 0), std::string("parameter"));
        QCOMPARE(run.bucket(10000, 1), std::string("optimizer_state"));
        QCOMPARE(run.bucket(10000, 2), std::string("optimizer_state"));
    }

    void whatIsGivenBackBeforeTheFirstPassIsNoWeight()
    {
        std::string text = "w +10000 @load\nflat +5000 @load\n" + step(1, true) + step(2, false);
        text.insert(text.find("e1 +"), "flat -\n"); // The batch is there by then.
        const Labelled run(text);
        QCOMPARE(run.bucket(5000), std::string("temporary"));
        QCOMPARE(run.bucket(10000), std::string("parameter"));
    }
};

TIDEMARK_TEST(TstCutTraces)

} // namespace tidemark::tst_cut_traces

#include "tst_cut_traces.moc"
