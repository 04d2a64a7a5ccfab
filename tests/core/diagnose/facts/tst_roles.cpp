// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/roles.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

Q_DECLARE_METATYPE(tidemark::label::Bucket)
Q_DECLARE_METATYPE(tidemark::label::Phase)
Q_DECLARE_METATYPE(tidemark::label::Role)
Q_DECLARE_METATYPE(tidemark::program::What)

namespace tidemark::tst_roles {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using program::What;
using test::HandRun;
using test::kM;

namespace {

constexpr std::uint8_t kInferred = 60; // percent
constexpr std::uint8_t kSaid = 100;

/// A program whose only use, of all allocations and of the failed request, is `what` in so many
/// ways.
void setProgram(Analysis& analysis, What what, std::size_t ways, bool is_identified,
                bool knows_length = true)
{
    program::Program program;
    if (is_identified) {
        program.dimensions.push_back({program::DimensionName::tokens, 512, 1, "", {}});
        if (knows_length) {
            program.dimensions.push_back({program::DimensionName::sequence, 128, 1, "", {}});
        }
    }
    program::SizeUse use;
    use.what = what;
    use.expressions.resize(ways);
    program.sizes = {use};
    program.size_of.assign(analysis.replay->devices[0].allocations.count(), 0);
    program.failed = {use};
    analysis.programs =
        std::make_shared<const std::vector<program::Program>>(std::vector{std::move(program)});
}

} // namespace

class TstRoles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theProgramTellsWhatAMatrixIs_data();
    void theProgramTellsWhatAMatrixIs();
    void aFailedRequestIsToldAlike();
    void aSquareOfAnUnknownLengthIsNoMatrix();
    void whatIsNotIdentifiedStaysAsLabelled();
};

void TstRoles::theProgramTellsWhatAMatrixIs_data()
{
    QTest::addColumn<What>("what");
    QTest::addColumn<int>("ways");
    QTest::addColumn<Bucket>("bucket");
    QTest::addColumn<Phase>("phase");
    QTest::addColumn<Role>("labelled");
    QTest::addColumn<int>("confidence");
    QTest::addColumn<Role>("wanted");
    const auto row = [](const char* name, What what, int ways, Bucket bucket, Phase phase,
                        Role labelled, int confidence, Role wanted) {
        QTest::newRow(name) << what << ways << bucket << phase << labelled << confidence << wanted;
    };
    constexpr auto kNone = Role::none;
    constexpr auto kMatrix = Role::attention_matrix;
    row("no frame names it", What::attention_matrix, 1, Bucket::activation, Phase::forward, kNone,
        kInferred, kMatrix);
    row("scores in passing", What::attention_matrix, 1, Bucket::temporary, Phase::forward, kNone,
        kInferred, kMatrix);
    row("logits of a loss of one's own", What::logits, 1, Bucket::activation, Phase::forward, kNone,
        kInferred, Role::logits);
    row("logits that are returned", What::logits, 1, Bucket::output, Phase::inference, kNone,
        kInferred, Role::logits);
    row("a hidden state beside a softmax", What::hidden_state, 1, Bucket::activation,
        Phase::forward, kMatrix, kInferred, kNone);
    row("one of two things", What::hidden_state, 2, Bucket::activation, Phase::forward, kMatrix,
        kInferred, kMatrix);
    row("no product", What::unknown, 0, Bucket::activation, Phase::forward, kMatrix, kInferred,
        kMatrix);
    row("another role", What::attention_matrix, 1, Bucket::activation, Phase::forward,
        Role::weight_cast, kInferred, Role::weight_cast);
    row("a person said so", What::hidden_state, 1, Bucket::activation, Phase::forward, kMatrix,
        kSaid, kMatrix);
    row("backward's own", What::attention_matrix, 1, Bucket::temporary, Phase::backward, kNone,
        kInferred, kNone);
    row("a weight as large", What::attention_matrix, 1, Bucket::parameter, Phase::setup, kNone,
        kInferred, kNone);
}

void TstRoles::theProgramTellsWhatAMatrixIs()
{
    QFETCH(What, what);
    QFETCH(int, ways);
    QFETCH(Bucket, bucket);
    QFETCH(Phase, phase);
    QFETCH(Role, labelled);
    QFETCH(int, confidence);
    QFETCH(Role, wanted);
    HandRun run(64 * kM);
    run.phase(phase, 1);
    run.confidence(static_cast<std::uint8_t>(confidence));
    run.alloc(4 * kM, bucket, labelled);
    Analysis analysis = run.finish();
    setProgram(analysis, what, static_cast<std::size_t>(ways), true);
    QCOMPARE(test::GatheredRun(std::move(analysis)).facts.roles.front(), wanted);
}

void TstRoles::aFailedRequestIsToldAlike()
{
    HandRun run(64 * kM);
    run.phase(Phase::forward, 1);
    run.alloc(4 * kM, Bucket::activation);
    run.oom(32 * kM, 1 * kM, Bucket::activation);
    Analysis analysis = run.finish();
    setProgram(analysis, What::attention_matrix, 1, true);
    const test::GatheredRun gathered(std::move(analysis));
    QVERIFY(gathered.facts.failed() != nullptr);
    QCOMPARE(gathered.facts.failed()->role, Role::attention_matrix);
}

void TstRoles::aSquareOfAnUnknownLengthIsNoMatrix()
{
    HandRun run(64 * kM);
    run.phase(Phase::forward, 1);
    run.confidence(kInferred);
    run.alloc(4 * kM, Bucket::activation);
    Analysis analysis = run.finish();
    setProgram(analysis, What::attention_matrix, 1, true, false);
    QCOMPARE(test::GatheredRun(std::move(analysis)).facts.roles.front(), Role::none);
}

void TstRoles::whatIsNotIdentifiedStaysAsLabelled()
{
    HandRun run(64 * kM);
    run.phase(Phase::forward, 1);
    run.confidence(kInferred);
    run.alloc(4 * kM, Bucket::activation, Role::logits);
    Analysis analysis = run.finish();
    setProgram(analysis, What::attention_matrix, 1, false);
    QCOMPARE(test::GatheredRun(std::move(analysis)).facts.roles.front(), Role::logits);
}

TIDEMARK_TEST(TstRoles)

} // namespace tidemark::tst_roles

#include "tst_roles.moc"
