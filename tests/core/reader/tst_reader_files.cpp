// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"
#include "tests/support/same_snapshot.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtTest/QTest>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace tidemark::tst_reader_files {

using nlohmann::json;

namespace {

json jsonFile(const std::filesystem::path& path)
{
    std::ifstream stream(path);
    return json::parse(stream);
}

std::map<std::string, std::int64_t> actionCounts(const trace::Snapshot& snapshot)
{
    std::map<std::string, std::int64_t> counts;
    for (const trace::Device& device : snapshot.devices) {
        for (const trace::Action action : device.events.action) {
            ++counts[std::string(trace::actionName(action))];
        }
    }
    return counts;
}

std::int64_t blockCount(const trace::Snapshot& snapshot)
{
    std::int64_t count = 0;
    for (const trace::Device& device : snapshot.devices) {
        count += static_cast<std::int64_t>(device.blocks.size());
    }
    return count;
}

std::int64_t segmentCount(const trace::Snapshot& snapshot)
{
    std::int64_t count = 0;
    for (const trace::Device& device : snapshot.devices) {
        count += static_cast<std::int64_t>(device.segments.size());
    }
    return count;
}

std::int64_t reserved(const trace::Snapshot& snapshot)
{
    Bytes sum;
    for (const trace::Device& device : snapshot.devices) {
        for (const trace::Segment& segment : device.segments) {
            sum += segment.total_size;
        }
    }
    return sum.value;
}

std::int64_t activeRequested(const trace::Snapshot& snapshot)
{
    Bytes sum;
    for (const trace::Device& device : snapshot.devices) {
        for (const trace::Block& block : device.blocks) {
            sum += block.requested;
        }
    }
    return sum.value;
}

} // namespace

class TstReaderFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEveryFileOfTheDataFolder_data()
    {
        QTest::addColumn<QString>("path");
        auto files = test::snapshotFiles();
        const auto page = test::dataDir() / "snapshots" / "real" / "viewer-page.html";
        if (std::filesystem::exists(page)) {
            files.push_back(page);
        }
        for (const auto& file : files) {
            QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string());
        }
    }
    void readsEveryFileOfTheDataFolder()
    {
        TIDEMARK_NEED_DATA();
        QFETCH(QString, path);
        const std::filesystem::path file(path.toStdString());
        NoProgress progress;
        const auto result = reader::read(file, {}, progress, {});
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        const trace::Snapshot& snapshot = result.value();
        const bool is_page = file.extension() == ".html";
        QCOMPARE(QString::fromStdString(snapshot.format.route),
                 is_page ? QStringLiteral("html") : QStringLiteral("pickle"));
        QCOMPARE(QString::fromStdString(snapshot.format.reader), QStringLiteral("native"));
        reader::ReadOptions options;
        options.reader = reader::ReaderChoice::cpython;
        const auto oracle = reader::read(file, options, progress, {});
        QVERIFY2(oracle.has_value(), oracle.has_value() ? "" : oracle.error().message.c_str());
        QCOMPARE(QString::fromStdString(oracle.value().format.reader), QStringLiteral("cpython"));
        const auto difference = test::firstDifference(snapshot, oracle.value());
        QVERIFY2(!difference, difference.value_or("").c_str());
        QCOMPARE(snapshot.file_bytes, std::filesystem::file_size(file));
        QVERIFY(!snapshot.devices.empty());
        for (const char* code :
             {"unknown-keys", "unknown-actions", "wrong-type", "missing-values"}) {
            const trace::InputNote* note = snapshot.notes.find(code);
            QVERIFY2(note == nullptr, note == nullptr ? "" : note->text.c_str());
        }
    }

    void countsWhatTheFactsOfRealRunsSay_data()
    {
        QTest::addColumn<QString>("name");
        const auto path = test::dataDir() / "snapshots" / "real" / "facts.json";
        if (!std::filesystem::exists(path)) {
            QTest::newRow("no data") << QString();
            return;
        }
        const json all = jsonFile(path);
        for (const auto& [name, entry] : all.items()) {
            if (entry.at("facts").contains("n_blocks")) {
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
            }
        }
    }
    void countsWhatTheFactsOfRealRunsSay()
    {
        TIDEMARK_NEED_DATA();
        QFETCH(QString, name);
        const auto folder = test::dataDir() / "snapshots" / "real";
        const json facts = jsonFile(folder / "facts.json").at(name.toStdString()).at("facts");
        NoProgress progress;
        const auto result = reader::read(folder / name.toStdString(), {}, progress, {});
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        const trace::Snapshot& snapshot = result.value();

        QCOMPARE(snapshot.format.protocol, facts.at("protocol").get<int>());
        if (facts.contains("trace_entries")) { // a bare list of segments has none
            const auto entries = facts.at("trace_entries").get<std::vector<std::size_t>>();
            QCOMPARE(snapshot.devices.size(), entries.size());
            for (std::size_t d = 0; d < entries.size(); ++d) {
                QCOMPARE(snapshot.devices[d].events.count(), entries[d]);
            }
            const auto actions = facts.at("actions").get<std::map<std::string, std::int64_t>>();
            QCOMPARE(actionCounts(snapshot), actions);
        }
        QCOMPARE(segmentCount(snapshot), facts.at("n_segments").get<std::int64_t>());
        QCOMPARE(blockCount(snapshot), facts.at("n_blocks").get<std::int64_t>());
        QCOMPARE(reserved(snapshot), facts.at("reserved").get<std::int64_t>());
        // The figure of the facts is the segments' own, which in the hand-made file is invented.
        const bool is_handmade = name.startsWith(QStringLiteral("handmade"));
        QCOMPARE(snapshot.notes.find("segment-sum-mismatch") != nullptr, is_handmade);
        if (!is_handmade) {
            QCOMPARE(activeRequested(snapshot), facts.at("seg_requested").get<std::int64_t>());
        }
    }

    void requestedBytesAtTheEndAgreeWithTheTruthOfModelledRuns()
    {
        TIDEMARK_NEED_DATA();
        int compared = 0;
        for (const auto& file : test::modelledFiles()) {
            auto truth_file = file;
            truth_file.replace_extension(".truth.json");
            if (!std::filesystem::exists(truth_file)) {
                continue;
            }
            NoProgress progress;
            const auto result = reader::read(file, {}, progress, {});
            QVERIFY2(result.has_value(), file.c_str());
            QCOMPARE(activeRequested(result.value()),
                     jsonFile(truth_file).at("requested_end").get<std::int64_t>());
            ++compared;
        }
        QVERIFY(compared >= 5);
    }

    void theViewerPageHoldsTheSnapshotItWasMadeFrom()
    {
        TIDEMARK_NEED_DATA();
        NoProgress progress;
        const auto result = reader::read(
            test::dataDir() / "snapshots" / "real" / "viewer-page.html", {}, progress, {});
        QVERIFY(result.has_value());
        const trace::Snapshot& snapshot = result.value();
        QCOMPARE(snapshot.devices.size(), std::size_t{1});
        QVERIFY(snapshot.devices[0].events.count() > 1000);
        QVERIFY(snapshot.devices[0].events.hasTimes());
        QVERIFY(snapshot.settings.present);
        QCOMPARE(snapshot.annotations.size(), std::size_t{2});
        QVERIFY(snapshot.text(snapshot.annotations[0].name)
                == "Optimizer.zero_grad#AdamW.zero_grad");
    }

    void blocksOfTorch20GetTheirAddressesAndStacks()
    {
        TIDEMARK_NEED_DATA();
        NoProgress progress;
        const auto folder = test::dataDir() / "snapshots" / "real";
        const auto old = reader::read(folder / "opt1.3b-state-torch2.0.pickle", {}, progress, {});
        QVERIFY(old.has_value());
        // Torch 2.0 writes no block addresses and keeps stacks in the history of each block.
        const trace::Device& device = old.value().devices.at(0);
        std::size_t with_stack = 0;
        for (const trace::Segment& segment : device.segments) {
            Address at = segment.address;
            for (const trace::Block& block : device.blocksOf(segment)) {
                QCOMPARE(block.address, at);
                at += static_cast<Address>(block.size.value);
                with_stack += block.stack.isNone() ? 0U : 1U;
            }
        }
        QVERIFY(with_stack > 100);
    }
};

TIDEMARK_TEST(TstReaderFiles)

} // namespace tidemark::tst_reader_files

#include "tst_reader_files.moc"
