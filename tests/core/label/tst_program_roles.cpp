// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/program/program_roles.h"
#include "tests/core/diagnose/hand_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

Q_DECLARE_METATYPE(tidemark::label::Bucket)
Q_DECLARE_METATYPE(tidemark::label::Phase)
Q_DECLARE_METATYPE(tidemark::label::Role)
Q_DECLARE_METATYPE(tidemark::program::TensorKind)

namespace tidemark::tst_program_roles {

using label::Bucket;
using label::Phase;
using label::Role;
using program::TensorKind;
using test::HandRun;
using test::kM;

namespace {

constexpr std::uint8_t kInferred = 60; // percent
constexpr std::uint8_t kSaid = 100;

/// The labels of the device once a program has spoken whose only use, of all allocations and of the
/// failed request, is `what` in so many ways.
label::DeviceLabels toldLabels(const diagnose::Analysis& analysis, TensorKind what,
                               std::size_t ways, bool is_identified, bool knows_length = true)
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
    use.expressions.assign(ways, {{program::Factor::tokens}, 0, 4});
    program.sizes = {use};
    program.size_of.assign(analysis.replay->devices[0].allocations.count(), 0);
    program.failed = {use};
    const auto told = label::withRolesOf(std::vector{std::move(program)}, *analysis.snapshot,
                                         *analysis.replay, *analysis.labels, {});
    return (told ? *told : *analysis.labels).devices.front();
}

} // namespace

class TstProgramRoles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theProgramTellsWhatAMatrixIs_data();
    void theProgramTellsWhatAMatrixIs();
    void aFailedRequestIsToldAlike();
    void aSquareOfAnUnknownLengthIsNoMatrix();
    void whatIsNotIdentifiedStaysAsLabelled();
    void aCacheAsLargeIsNoMatrix();
};

void TstProgramRoles::theProgramTellsWhatAMatrixIs_data()
{
    QTest::addColumn<TensorKind>("what");
    QTest::addColumn<int>("ways");
    QTest::addColumn<Bucket>("bucket");
    QTest::addColumn<Phase>("phase");
    QTest::addColumn<Role>("labelled");
    QTest::addColumn<int>("confidence");
    QTest::addColumn<Role>("wanted");
    const auto row = [](const char* name, TensorKind what, int ways, Bucket bucket, Phase phase,
                        Role labelled, int confidence, Role wanted) {
        QTest::newRow(name) << what << ways << bucket << phase << labelled << confidence << wanted;
    };
    constexpr auto kNone = Role::none;
    constexpr auto kMatrix = Role::attention_matrix;
    row("no frame names it", TensorKind::attention_matrix, 1, Bucket::activation, Phase::forward,
        kNone, kInferred, kMatrix);
    row("scores in passing", TensorKind::attention_matrix, 1, Bucket::temporary, Phase::forward,
        kNone, kInferred, kMatrix);
    row("logits of a loss of one's own", TensorKind::logits, 1, Bucket::activation, Phase::forward,
        kNone, kInferred, Role::logits);
    row("logits that are returned", TensorKind::logits, 1, Bucket::output, Phase::inference, kNone,
        kInferred, Role::logits);
    row("a hidden state beside a softmax", TensorKind::hidden_state, 1, Bucket::activation,
        Phase::forward, kMatrix, kInferred, kNone);
    row("one of two things", TensorKind::hidden_state, 2, Bucket::activation, Phase::forward,
        kMatrix, kInferred, kMatrix);
    row("no product", TensorKind::unknown, 0, Bucket::activation, Phase::forward, kMatrix,
        kInferred, kMatrix);
    row("another role", TensorKind::attention_matrix, 1, Bucket::activation, Phase::forward,
        Role::weight_cast, kInferred, Role::weight_cast);
    row("a person said so", TensorKind::hidden_state, 1, Bucket::activation, Phase::forward,
        kMatrix, kSaid, kMatrix);
    row("backward's own", TensorKind::attention_matrix, 1, Bucket::temporary, Phase::backward,
        kNone, kInferred, kNone);
    row("a weight as large", TensorKind::attention_matrix, 1, Bucket::parameter, Phase::setup,
        kNone, kInferred, kNone);
}

void TstProgramRoles::theProgramTellsWhatAMatrixIs()
{
    QFETCH(TensorKind, what);
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
    const diagnose::Analysis analysis = run.finish();
    const auto labels = toldLabels(analysis, what, static_cast<std::size_t>(ways), true);
    QCOMPARE(labels.role.front(), wanted);
    const bool is_told = wanted != labelled;
    QCOMPARE(labels.reasonOf(AllocationId(0U)).evidence.ends_with("; its size is tokens · 4 B"),
             is_told);
    QCOMPARE(labels.reasonOf(AllocationId(0U)).rule,
             analysis.labels->devices[0].reasonOf(AllocationId(0U)).rule);
}

void TstProgramRoles::aFailedRequestIsToldAlike()
{
    HandRun run(64 * kM);
    run.phase(Phase::forward, 1);
    run.alloc(4 * kM, Bucket::activation);
    run.oom(32 * kM, 1 * kM, Bucket::activation);
    const auto labels = toldLabels(run.finish(), TensorKind::attention_matrix, 1, true);
    QCOMPARE(labels.failed.size(), std::size_t{1});
    QCOMPARE(labels.failed[0].role, Role::attention_matrix);
}

void TstProgramRoles::aSquareOfAnUnknownLengthIsNoMatrix()
{
    HandRun run(64 * kM);
    run.phase(Phase::forward, 1);
    run.confidence(kInferred);
    run.alloc(4 * kM, Bucket::activation);
    QCOMPARE(toldLabels(run.finish(), TensorKind::attention_matrix, 1, true, false).role.front(),
             Role::none);
}

void TstProgramRoles::whatIsNotIdentifiedStaysAsLabelled()
{
    HandRun run(64 * kM);
    run.phase(Phase::forward, 1);
    run.confidence(kInferred);
    run.alloc(4 * kM, Bucket::activation, Role::logits);
    QCOMPARE(toldLabels(run.finish(), TensorKind::attention_matrix, 1, false).role.front(),
             Role::logits);
}

void TstProgramRoles::aCacheAsLargeIsNoMatrix()
{
    const std::string cache =
        "update /usr/lib/python3/site-packages/transformers/cache_utils.py:128; "
        "forward /home/me/model.py:40";
    for (const std::string& stack : {cache, std::string("forward /home/me/model.py:40")}) {
        HandRun run(64 * kM);
        run.phase(Phase::inference, 1);
        run.confidence(kInferred);
        run.alloc(4 * kM, Bucket::temporary, Role::none, stack);
        QCOMPARE(toldLabels(run.finish(), TensorKind::attention_matrix, 1, true).role.front(),
                 stack == cache ? Role::none : Role::attention_matrix);
    }
}

TIDEMARK_TEST(TstProgramRoles)

} // namespace tidemark::tst_program_roles

#include "tst_program_roles.moc"
