// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/corrections_json.h"
#include "core/reader/reader.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <random>

namespace tidemark::tst_corrections_json {

using namespace tidemark::label;

namespace {

constexpr std::string_view kWhole = R"({
 "tidemark_rules": 1,
 "rules": [
  {"id": "cache",
   "match": {"device": "host", "alloc_event": -1, "address": "0xffff00000000ff00",
             "stack": [{"name": "f", "filename": "a.py", "line": 3}, {"name": "g", "filename": ""}],
             "function": "fn", "file": "fi", "bytes": 5, "min_bytes": 4, "max_bytes": 6,
             "bucket": "unknown", "phase": "inference", "rule": "r"},
   "bucket": "parameter", "role": "ema", "note": "since\nthen"}
 ]
})";

std::string withRule(std::string_view rule)
{
    return fmt::format(R"({{"tidemark_rules": 1, "rules": [{}]}})", rule);
}

} // namespace

class TstCorrectionsJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKeyIsRead()
    {
        const auto rules = parseCorrections(kWhole);
        QVERIFY2(rules.has_value(), rules.has_value() ? "" : rules.error().message.c_str());
        QCOMPARE(rules.value().size(), 1UL);
        Correction expected;
        expected.id = "cache";
        expected.match = {-1,
                          -1,
                          0xffff00000000ff00,
                          {{"f", "a.py", 3}, {"g", "", 0}},
                          "fn",
                          "fi",
                          Bytes{5},
                          Bytes{4},
                          Bytes{6},
                          Bucket::unknown,
                          Phase::inference,
                          "r"};
        expected.bucket = Bucket::parameter;
        expected.role = Role::ema;
        expected.note = "since\nthen";
        QVERIFY(rules.value()[0] == expected);
    }
    void whatIsWrittenIsReadBack()
    {
        std::vector<Correction> rules = parseCorrections(kWhole).value();
        Correction small;
        small.match.file = "\"quoted\" ü \t";
        small.role = Role::none;
        rules.push_back(small);
        small.role.reset();
        small.match.address = 1;
        rules.push_back(small);
        const auto again = parseCorrections(correctionsText(rules));
        QVERIFY(again.has_value());
        QVERIFY(again.value() == rules);
        QVERIFY(parseCorrections(correctionsText({})).value().empty());
    }
    void dimensionsAreReadAndWritten()
    {
        const auto rules = parseCorrections(
            withRule(R"({"dimension": "feed_forward", "value": 4096, "note": "config.json"},
                        {"dimension": "batch", "value": 4, "match": {"device": "host"}, "id": "b"},
                        {"dimension": "heads", "value": 16, "match": {}})"));
        QVERIFY2(rules.has_value(), rules.has_value() ? "" : rules.error().message.c_str());
        using program::DimensionName;
        using program::SaidDimension;
        QCOMPARE(rules.value().size(), 3UL);
        QVERIFY(rules.value()[0].dimension == SaidDimension({DimensionName::feed_forward, 4096}));
        QCOMPARE(rules.value()[0].note, std::string("config.json"));
        QVERIFY(rules.value()[0].match.isEmpty());
        QVERIFY(rules.value()[1].match.device == -1);
        QCOMPARE(rules.value()[1].id, std::string("b"));
        const std::string text = correctionsText(rules.value());
        QVERIFY(text.find("bucket") == std::string::npos);
        QVERIFY(parseCorrections(text).value() == rules.value());
    }
    void mistakesAreNamedWithTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const std::string& text, const char* sentence) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(sentence);
        };
        row("syntax", "{\n \"tidemark_rules\": 1,\n ]", "Invalid JSON at line 3, column 2.");
        row("empty", "", "Invalid JSON at line 1, column 1.");
        row("other JSON", "[1]",
            "Not a rules file: it must begin with {\"tidemark_rules\": 1, \"rules\": […]}.");
        row("version", R"({"tidemark_rules": 2, "rules": []})",
            "tidemark_rules: this program reads only rules files of version 1.");
        row("no list", R"({"tidemark_rules": 1})",
            "rules: it must be a list of rules in brackets.");
        row("no bucket", withRule(R"({"match": {"file": "x"}})"),
            "rules[0]: a rule needs a \"match\" and a \"bucket\", or a \"dimension\" and a "
            "\"value\".");
        row("no value", withRule(R"({"dimension": "heads"})"),
            "rules[0]: a rule about a dimension needs a \"dimension\" and a \"value\".");
        row("no dimension", withRule(R"({"value": 3, "match": {"device": 0}})"),
            "rules[0]: a rule about a dimension needs a \"dimension\" and a \"value\".");
        row("mistyped dimension", withRule(R"({"dimension": "head", "value": 3})"),
            "rules[0].dimension: 'head' is not a dimension; use batch, sequence, tokens, "
            "hidden, feed_forward, heads, kv_heads, layers, vocabulary, kv_width, head_width, "
            "rank, element_bytes.");
        row("no heads", withRule(R"({"dimension": "heads", "value": 0})"),
            "rules[0].value: it must be an integer from 1 to 1099511627776.");
        row("half a head", withRule(R"({"dimension": "heads", "value": 2.5})"),
            "rules[0].value: it must be an integer from 1 to 1099511627776.");
        row("wide element", withRule(R"({"dimension": "element_bytes", "value": 32})"),
            "rules[0].value: it must be an integer from 1 to 16.");
        row("dimension and bucket",
            withRule(R"({"dimension": "heads", "value": 3, "bucket": "input"})"),
            "rules[0]: a rule cannot have both a bucket and a dimension.");
        row("dimension of a function",
            withRule(R"({"dimension": "heads", "value": 3, "match": {"function": "f"}})"),
            "rules[0].match: 'function' is not a key here; use device.");
        row("mistyped key", withRule(R"({"match": {"min_byte": 1}, "bucket": "input"})"),
            "rules[0].match: 'min_byte' is not a key here; use device, alloc_event, address, "
            "stack, function, file, bytes, min_bytes, max_bytes, bucket, phase, rule.");
        row("everything", withRule(R"({"match": {}, "bucket": "input"})"),
            "rules[0].match: it has no condition, so the rule would relabel everything.");
        row("negative size", withRule(R"({"match": {"bytes": -1}, "bucket": "input"})"),
            "rules[0].match.bytes: it must be an integer from 0 to 4611686018427387904.");
        row("no number", withRule(R"({"match": {"bytes": 1.5}, "bucket": "input"})"),
            "rules[0].match.bytes: it must be an integer from 0 to 4611686018427387904.");
        row("huge size",
            withRule(R"({"match": {"bytes": 18446744073709551615}, "bucket": "input"})"),
            "rules[0].match.bytes: it must be an integer from 0 to 4611686018427387904.");
        row("address", withRule(R"({"match": {"address": "7f00"}, "bucket": "input"})"),
            "rules[0].match.address: it must be an address, as a number or such as "
            "\"0x7f0000000000\".");
        row("phase", withRule(R"({"match": {"phase": "fwd"}, "bucket": "input"})"),
            "rules[0].match.phase: 'fwd' is not a phase; use setup, input, forward, backward, "
            "optimizer, evaluation, inference, other.");
        row("role of another bucket",
            withRule(R"({"match": {"file": "x"}, "bucket": "gradient", "role": "ema"})"),
            "rules[0].role: 'ema' is not a role of bucket gradient; use none, accumulated, "
            "reduction_bucket, unsharded.");
        row("frame", withRule(R"({"match": {"stack": [{"name": "f"}]}, "bucket": "input"})"),
            "rules[0].match.stack[0]: a frame needs a \"name\" and a \"filename\".");
        row("text", withRule(R"({"match": {"file": 3}, "bucket": "input"})"),
            "rules[0].match.file: it must be a quoted string.");
        row("empty text", withRule(R"({"match": {"file": ""}, "bucket": "input"})"),
            "rules[0].match.file: it must not be empty; leave the key out instead.");
        row("number", withRule(R"({"match": {"bytes": 1e999}, "bucket": "input"})"),
            "A number is too large.");
    }
    void mistakesAreNamedWithTheirPlace()
    {
        QFETCH(QString, text);
        QFETCH(QString, sentence);
        const auto rules = parseCorrections(text.toStdString());
        QVERIFY(!rules.has_value());
        QVERIFY(rules.error().code == ErrorCode::badArgument);
        QCOMPARE(QString::fromStdString(rules.error().message), sentence);
    }
    void damagedTextsAreRefusedOrReadNeverWorse()
    {
        std::mt19937 random(11);
        int refused = 0;
        for (std::size_t cut = 0; cut < kWhole.size(); ++cut) {
            refused += parseCorrections(kWhole.substr(0, cut)).has_value() ? 0 : 1;
        }
        QCOMPARE(refused, static_cast<int>(kWhole.size()));
        for (int round = 0; round < 3000; ++round) {
            std::string text(kWhole);
            for (int change = 0; change < 3; ++change) {
                text[random() % text.size()] = static_cast<char>(random());
            }
            const auto rules = parseCorrections(text);
            if (rules.has_value()) {
                QVERIFY(parseCorrections(correctionsText(rules.value())).has_value());
            } else {
                QVERIFY(rules.error().message.ends_with('.'));
            }
        }
        QVERIFY(!parseCorrections(std::string(100000, '[')).has_value());
    }
    void stacksOfRealFilesMeanThemselvesAfterAFile()
    {
        int meant = 0;
        for (const auto& file : test::sampled(test::recordings())) {
            NoProgress progress;
            const auto snapshot = reader::read(file, {}, progress, {}).value();
            const auto replay = replay::run(snapshot, progress, {}).value();
            const auto labels = apply(snapshot, replay, progress, {}).value();
            const std::size_t count = snapshot.stacks.stackCount();
            for (std::size_t s = 0; s < count; s += 1 + count / 6) {
                const auto match = matchOfStack(snapshot, StackId(s));
                if (!match) {
                    continue; // The empty stack.
                }
                const std::vector<Correction> rules =
                    parseCorrections(
                        correctionsText(std::vector<Correction>{{"me", *match, {}, {}, {}}}))
                        .value();
                QVERIFY(rules[0].match == *match);
                const Corrected corrected = correct(snapshot, replay, labels, rules, {}).value();
                for (std::size_t d = 0; d < replay.devices.size(); ++d) {
                    const auto& stacks = replay.devices[d].allocations.stack;
                    for (std::size_t a = 0; a < stacks.size(); ++a) {
                        const bool is_meant =
                            corrected.labels.devices[d].reasonOf(AllocationId(a)).rule == "me";
                        meant += is_meant ? 1 : 0;
                        QVERIFY(is_meant || stacks[a] != StackId(s));
                        QVERIFY(!is_meant || stacks[a] == StackId(s)
                                || matchOfStack(snapshot, stacks[a]) == match);
                    }
                }
            }
        }
        QVERIFY(meant > 0);
    }
};

TIDEMARK_TEST(TstCorrectionsJson)

} // namespace tidemark::tst_corrections_json

#include "tst_corrections_json.moc"
