// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/snapshot_decoder.h"
#include "core/trace/lacking_segments.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/random_snapshot.h"
#include "tests/support/same_snapshot.h"
#include "tests/support/test_main.h"
#include "tests/support/value_pickler.h"

#include <QtTest/QTest>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tidemark::tst_random_snapshots {

using test::Dialect;
using test::ModelValue;
using test::ValueRef;

namespace {

/// More of them with TIDEMARK_RANDOM_SNAPSHOTS=number in the environment.
int snapshotCount()
{
    constexpr int kUsual = 100;
    return std::max(kUsual, qEnvironmentVariableIntValue("TIDEMARK_RANDOM_SNAPSHOTS"));
}

struct Form {
    const char* name;
    Dialect dialect;
    int protocol;
};
constexpr Form kForms[]{
    {"protocol 0", Dialect::python, 0},       {"protocol 1", Dialect::python, 1},
    {"protocol 2", Dialect::python, 2},       {"protocol 3", Dialect::python, 3},
    {"protocol 4", Dialect::python, 4},       {"protocol 5", Dialect::python, 5},
    {"torch's C++ route", Dialect::torch, 2}, {"torch with tags", Dialect::torch_tagged, 2},
};

Result<trace::Snapshot> read(const std::string& bytes, reader::ReaderChoice choice)
{
    reader::ReadOptions options;
    options.reader = choice;
    return test::readString(bytes, options);
}

/// What the decoder makes of the values themselves. `early`: entries of traces are handed over one
/// by one before the rest, as a reader does that meets them in a file.
Result<trace::Snapshot> decode(const ValueRef& root, bool early)
{
    test::ModelTree tree;
    trace::SnapshotBuilder builder;
    NoProgress progress;
    const reader::ReaderLimits limits;
    const std::stop_token stop;
    reader::SnapshotDecoder decoder(tree, builder, limits, progress, stop);
    std::vector<std::pair<ValueRef, std::vector<ValueRef>>> emptied;
    const auto hand_over = [&](const ValueRef& trace, std::int32_t device) {
        if (trace->kind == ModelValue::Kind::list || trace->kind == ModelValue::Kind::tuple) {
            for (const ValueRef& entry : trace->items) {
                decoder.event(test::ModelTree::nodeOf(*entry), device);
            }
            emptied.emplace_back(trace, std::exchange(trace->items, {}));
        }
    };
    for (std::size_t i = 0; early && root->kind == ModelValue::Kind::dict && i < root->items.size();
         i += 2) {
        const ValueRef part = root->items[i + 1];
        if (root->items[i]->text == "host_traces") {
            hand_over(part, trace::SnapshotBuilder::kHostDevice);
        } else if (root->items[i]->text == "device_traces"
                   && part->kind == ModelValue::Kind::list) {
            for (std::size_t d = 0; d < part->items.size(); ++d) {
                hand_over(part->items[d], static_cast<std::int32_t>(d));
            }
        }
    }
    const Result<Done> done = decoder.finish(test::ModelTree::nodeOf(*root));
    for (auto& [trace, items] : emptied) {
        trace->items = std::move(items);
    }
    if (!done.has_value()) {
        return done.error();
    }
    Result<trace::Snapshot> snapshot = std::move(builder).finish();
    if (snapshot.has_value()) {
        trace::fillLackingSegments(snapshot.value());
    }
    return snapshot;
}

/// In what the two results differ; nothing where they are the same snapshot or the same sentence.
std::optional<std::string> difference(const Result<trace::Snapshot>& a,
                                      const Result<trace::Snapshot>& b)
{
    if (a.has_value() && b.has_value()) {
        return test::firstDifference(a.value(), b.value());
    }
    const std::string first = test::outcome(a);
    const std::string second = test::outcome(b);
    return first == second ? std::nullopt : std::optional(first + " / " + second);
}

/// The same with what tells how a file was written taken over.
std::optional<std::string> contentDifference(Result<trace::Snapshot> a,
                                             const Result<trace::Snapshot>& b)
{
    if (a.has_value() && b.has_value()) {
        a.value().format = b.value().format;
        a.value().file_bytes = b.value().file_bytes;
    }
    return difference(a, b);
}

bool isOdd(const test::SnapshotTaste& taste)
{
    return taste.odd > 0 || taste.unknown > 0 || taste.has_repeated_keys;
}

} // namespace

class TstRandomSnapshots : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bothReadersAgree_data()
    {
        QTest::addColumn<int>("form");
        for (int form = 0; form < static_cast<int>(std::size(kForms)); ++form) {
            QTest::newRow(kForms[form].name) << form;
        }
    }
    void bothReadersAgree()
    {
        QFETCH(int, form);
        int read_natively = 0;
        for (int seed = 0; seed < snapshotCount(); ++seed) {
            const auto number = static_cast<std::uint64_t>(seed);
            const test::SnapshotTaste taste = test::randomTaste(number);
            const ValueRef root = test::randomSnapshot(number, taste);
            const std::string bytes =
                test::pickled(*root, kForms[form].dialect, kForms[form].protocol);
            const auto expected = read(bytes, reader::ReaderChoice::cpython);
            const auto found = read(bytes, reader::ReaderChoice::automatic);
            if (found.has_value() && found.value().format.reader == "native") {
                ++read_natively;
            }
            const auto problem = difference(found, expected);
            QVERIFY2(!problem,
                     qPrintable(QStringLiteral("seed %1: %2")
                                    .arg(seed)
                                    .arg(QString::fromStdString(problem.value_or("")))));
        }
        // Otherwise this would compare CPython with itself.
        QVERIFY2(read_natively > snapshotCount() / 2, qPrintable(QString::number(read_natively)));
    }

    void everyFormSaysTheSame()
    {
        for (int seed = 0; seed < snapshotCount(); ++seed) {
            const auto number = static_cast<std::uint64_t>(seed);
            const ValueRef root = test::randomSnapshot(number, test::randomTaste(number));
            const auto expected = decode(root, false);
            for (const Form& form : kForms) {
                const auto problem =
                    contentDifference(read(test::pickled(*root, form.dialect, form.protocol),
                                           reader::ReaderChoice::cpython),
                                      expected);
                QVERIFY2(!problem,
                         qPrintable(QStringLiteral("seed %1, %2: %3")
                                        .arg(seed)
                                        .arg(QString::fromLatin1(form.name),
                                             QString::fromStdString(problem.value_or("")))));
            }
        }
    }

    void entriesDecodedEarlyGiveTheSame()
    {
        int odd = 0;
        for (int seed = 0; seed < 5 * snapshotCount(); ++seed) {
            const auto number = static_cast<std::uint64_t>(seed);
            test::SnapshotTaste taste = test::randomTaste(number);
            taste.has_repeated_keys = false; // Only the last of two traces would count.
            odd += isOdd(taste) ? 1 : 0;
            const ValueRef root = test::randomSnapshot(number, taste);
            const auto problem = difference(decode(root, true), decode(root, false));
            QVERIFY2(!problem,
                     qPrintable(QStringLiteral("seed %1: %2")
                                    .arg(seed)
                                    .arg(QString::fromStdString(problem.value_or("")))));
        }
        QVERIFY(odd > snapshotCount());
    }
};

TIDEMARK_TEST(TstRandomSnapshots)

} // namespace tidemark::tst_random_snapshots

#include "tst_random_snapshots.moc"
