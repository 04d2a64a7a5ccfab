// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"
#include "tests/support/same_snapshot.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtTest/QTest>

#include <fstream>
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
    void readsEveryRecording_data()
    {
        QTest::addColumn<QString>("path");
        for (const auto& file : test::recordings()) {
            const std::string name = file.parent_path().filename().string() + '/';
            QTest::newRow((name + file.filename().string()).c_str())
                << QString::fromStdString(file.string());
        }
    }
    void readsEveryRecording()
    {
        QFETCH(QString, path);
        const std::filesystem::path file(path.toStdString());
        NoProgress progress;
        const auto result = reader::read(file, {}, progress, {});
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        const trace::Snapshot& snapshot = result.value();
        QCOMPARE(QString::fromStdString(snapshot.format.route), QStringLiteral("pickle"));
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
            if (test::isOfPrivateBuild(file) && std::string_view(code) == "unknown-keys") {
                QVERIFY(note != nullptr);
                continue;
            }
            QVERIFY2(note == nullptr, note == nullptr ? "" : note->text.c_str());
        }
    }

    void requestedBytesAtTheEndAgreeWithTheTruthOfModelledRuns()
    {
        int compared = 0;
        for (const auto& file : test::modelledFiles()) {
            const auto truth_file = test::beside(file, ".truth.json");
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
};

TIDEMARK_TEST(TstReaderFiles)

} // namespace tidemark::tst_reader_files

#include "tst_reader_files.moc"
