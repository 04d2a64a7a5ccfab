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

namespace tidemark::tst_others_files {

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

class TstOthersFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsWhatTheFactsOfRealRunsSay_data()
    {
        QTest::addColumn<QString>("name");
        TIDEMARK_NEED_OTHERS();
        const auto folder = test::othersData() / "snapshots/real";
        const json all = jsonFile(folder / "facts.json");
        for (const auto& [name, entry] : all.items()) {
            if (entry.at("facts").contains("n_blocks") && std::filesystem::exists(folder / name)) {
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
            }
        }
    }
    void countsWhatTheFactsOfRealRunsSay()
    {
        QFETCH(QString, name);
        const auto folder = test::othersData() / "snapshots/real";
        const json facts = jsonFile(folder / "facts.json").at(name.toStdString()).at("facts");
        NoProgress progress;
        const auto result = reader::read(folder / name.toStdString(), {}, progress, {});
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        const trace::Snapshot& snapshot = result.value();

        if (facts.contains("protocol")) {
            QCOMPARE(snapshot.format.protocol, facts.at("protocol").get<int>());
        }
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

    void theViewerPageHoldsTheSnapshotItWasMadeFrom()
    {
        TIDEMARK_NEED_OTHERS();
        NoProgress progress;
        const auto page = test::othersData() / "snapshots/real/viewer-page.html";
        const auto result = reader::read(page, {}, progress, {});
        QVERIFY(result.has_value());
        QCOMPARE(result.value().format.route, std::string("html"));
        const trace::Snapshot& snapshot = result.value();
        QCOMPARE(snapshot.devices.size(), std::size_t{1});
        QVERIFY(snapshot.devices[0].events.count() > 1000);
        QVERIFY(snapshot.devices[0].events.hasTimes());
        QVERIFY(snapshot.settings.present);
        QCOMPARE(snapshot.annotations.size(), std::size_t{2});
        QVERIFY(snapshot.text(snapshot.annotations[0].name)
                == "Optimizer.zero_grad#AdamW.zero_grad");
        reader::ReadOptions options;
        options.reader = reader::ReaderChoice::cpython;
        const auto oracle = reader::read(page, options, progress, {});
        const auto difference = test::firstDifference(snapshot, oracle.value());
        QVERIFY2(!difference, difference.value_or("").c_str());
    }

    void blocksOfTorch20GetTheirAddressesAndStacks()
    {
        TIDEMARK_NEED_OTHERS();
        NoProgress progress;
        const auto folder = test::othersData() / "snapshots/real";
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

TIDEMARK_TEST(TstOthersFiles)

} // namespace tidemark::tst_others_files

#include "tst_others_files.moc"
