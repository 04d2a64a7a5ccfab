// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/change.h"
#include "core/diagnose/predict/change_words.h"
#include "tests/support/test_main.h"

#include <QtCore/QFile>
#include <QtCore/QRegularExpression>
#include <QtTest/QTest>

#include <filesystem>
#include <set>

namespace tidemark::tst_change {

using namespace tidemark::diagnose;

class TstChange : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyChangeOfTheContractIsReadAndPrintedAgain();
    void theTableHasEveryKindInItsOrder();
    void whatTheHelpListsIsRead();
    void anOldWordIsReadButNotListed();
    void whatTheSourcesApplyIsRead();
    void severalChangesAreReadInOrder();
    void namesOfLayersMayFollowARank();
    void ratiosMayBeWrittenAsFractions();
    void aMistakeIsNamedWithWhatIsAllowed_data();
    void aMistakeIsNamedWithWhatIsAllowed();
};

void TstChange::everyChangeOfTheContractIsReadAndPrintedAgain()
{
    for (const char* text : {"micro-batch=0.5",
                             "accumulation=4",
                             "sequence=0.75",
                             "checkpointing=full",
                             "checkpointing=selective",
                             "checkpointing=attention",
                             "precision=bf16",
                             "precision=pure-bf16",
                             "optimizer=sgd",
                             "optimizer=sgd-momentum",
                             "optimizer=lion",
                             "optimizer=adamw8bit",
                             "optimizer=paged-adamw8bit",
                             "optimizer=adafactor",
                             "optimizer=muon",
                             "foreach=off",
                             "fused=on",
                             "set-to-none=on",
                             "attention=flash",
                             "fused-loss=on",
                             "fused-loss=16",
                             "fused-loss=on-4",
                             "fused-loss=recompute",
                             "fused-loss=recompute-16",
                             "zero=1",
                             "zero=2",
                             "zero=3",
                             "gpus=8",
                             "offload=optimizer",
                             "offload=parameters",
                             "offload=activations",
                             "lora=16",
                             "lora=16:q_proj",
                             "qlora=64:q_proj,layers.0.self_attn.v_proj",
                             "qlora=64",
                             "eval-accumulation=8"}) {
        const auto changes = parseChanges(text);
        QVERIFY2(changes.has_value(), text);
        QCOMPARE(changes.value().size(), std::size_t{1});
        QCOMPARE(changeText(changes.value()[0]), std::string(text));
    }
}

void TstChange::theTableHasEveryKindInItsOrder()
{
    QCOMPARE(changeWords().size(), static_cast<std::size_t>(ChangeKind::eval_accumulation) + 1);
    std::set<std::string_view> ids;
    for (std::size_t i = 0; i < changeWords().size(); ++i) {
        const ChangeWord& word = changeWords()[i];
        QCOMPARE(static_cast<std::size_t>(word.kind), i);
        QVERIFY(ids.insert(word.id).second);
        for (const char* text : {word.title, word.help, word.no_effect}) {
            QVERIFY(text != nullptr && *text != '\0');
        }
        QVERIFY(word.values.empty() == (word.form == ValueForm::ratio || word.usual > 0));
        QVERIFY((word.largest > 0) == (word.form != ValueForm::word));
        if (word.excludes) {
            QVERIFY(changeWord(*word.excludes).excludes == word.kind);
        }
    }
}

void TstChange::whatTheHelpListsIsRead()
{
    for (const ChangeWord& word : changeWords()) {
        const QString grammar = QString::fromStdString(grammarOf(word));
        const auto equals = grammar.indexOf(u'=') + 1;
        for (QString value : grammar.mid(equals).split(u'|')) {
            const QString unit = QString::fromUtf8(word.unit.data(), qsizetype(word.unit.size()));
            value.replace(QStringLiteral("RANK:LAYERS"), QStringLiteral("4:q_proj,v_proj"));
            value.replace(QRegularExpression(u'(' + unit + QStringLiteral(")$")),
                          unit.isEmpty() ? QString() : QStringLiteral("4"));
            const std::string text = QString(grammar.left(equals) + value).toStdString();
            const auto changes = parseChanges(text);
            QVERIFY2(changes.has_value(), text.c_str());
            QCOMPARE(changeText(changes.value()[0]), text);
        }
    }
    QCOMPARE(grammarOf(changeWord(ChangeKind::fused_loss)),
             std::string("fused-loss=on|recompute|PARTS|recompute-PARTS"));
}

void TstChange::anOldWordIsReadButNotListed()
{
    QCOMPARE(changeText(parseChanges("fused-loss=remade-16").value()[0]),
             std::string("fused-loss=recompute-16"));
    QVERIFY(!parseChanges("fused-loss=").has_value());
    QVERIFY(!QString::fromStdString(parseChanges("fused-loss=x").error().message)
                 .contains(QStringLiteral("remade")));
}

/// Literals such as "optimizer=sgd" or "zero={},gpus={}".
void TstChange::whatTheSourcesApplyIsRead()
{
    QStringList ids;
    for (const ChangeWord& word : changeWords()) {
        ids << QString::fromUtf8(word.id.data(), qsizetype(word.id.size()));
    }
    const QRegularExpression literal(QStringLiteral("\"((?:%1)=[^\"\\s]+)\"").arg(ids.join(u'|')));
    const QRegularExpression figure(QStringLiteral("\\{[^}]*\\}"));
    int found = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(TIDEMARK_SOURCE_DIR "/core")) {
        QFile file(QString::fromStdString(entry.path().string()));
        if (entry.path().extension() != ".cpp" || !file.open(QIODevice::ReadOnly)) {
            continue;
        }
        const QString code = QString::fromUtf8(file.readAll());
        for (const auto& match : literal.globalMatch(code)) {
            const QString text = match.captured(1).replace(figure, QStringLiteral("2"));
            QVERIFY2(parseChanges(text.toStdString()).has_value(), qPrintable(text));
            ++found;
        }
    }
    QVERIFY(found > 10);
}

void TstChange::severalChangesAreReadInOrder()
{
    const auto changes = parseChanges(" zero=2, gpus=4 ,micro-batch=0.25");
    QVERIFY(changes.has_value());
    QCOMPARE(changes.value().size(), std::size_t{3});
    QVERIFY(changes.value()[0].kind == ChangeKind::zero);
    QCOMPARE(changes.value()[1].number, 4.0);
    QCOMPARE(changes.value()[2].number, 0.25);
}

void TstChange::namesOfLayersMayFollowARank()
{
    const auto changes = parseChanges("lora=16: q_proj, v_proj ,checkpointing=full");
    QVERIFY(changes.has_value());
    QCOMPARE(changes.value().size(), std::size_t{2});
    QCOMPARE(changes.value()[0].layers, (std::vector<std::string>{"q_proj", "v_proj"}));
    QCOMPARE(changesText(changes.value()), std::string("lora=16:q_proj,v_proj,checkpointing=full"));
    QCOMPARE(grammarOf(changeWord(ChangeKind::lora)), std::string("lora=RANK|RANK:LAYERS"));
}

void TstChange::ratiosMayBeWrittenAsFractions()
{
    QCOMPARE(parseChanges("micro-batch=3/4").value()[0].number, 0.75);
}

void TstChange::aMistakeIsNamedWithWhatIsAllowed_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("named");
    QTest::newRow("unknown") << "batch=2"
                             << "There is no change named “batch”";
    QTest::newRow("word") << "checkpointing=some"
                          << "allowed: full, attention";
    QTest::newRow("no value") << "precision"
                              << "precision=bf16";
    QTest::newRow("zero ratio") << "micro-batch=0"
                                << "ratio";
    QTest::newRow("divided by zero") << "micro-batch=1/0"
                                     << "ratio";
    QTest::newRow("not a number") << "sequence=half"
                                  << "ratio";
    QTest::newRow("infinite") << "sequence=inf"
                              << "ratio";
    QTest::newRow("stage") << "zero=4"
                           << "integer from 1 to 3";
    QTest::newRow("no parts") << "fused-loss=0"
                              << "integer";
    QTest::newRow("no such loss") << "fused-loss=off"
                                  << "allowed: on, recompute";
    QTest::newRow("half a part") << "fused-loss=recompute-0.5"
                                 << "allowed: on, recompute";
    QTest::newRow("half a rank") << "lora=0.5"
                                 << "integer";
    QTest::newRow("no layers") << "lora=16:"
                               << "names of layers";
    QTest::newRow("a layer without a list") << "lora=16,q_proj"
                                            << "no change named “q_proj”";
    QTest::newRow("a change behind layers") << "lora=16:q_proj,precision"
                                            << "precision=bf16";
    QTest::newRow("layers of a batch") << "accumulation=2:q_proj"
                                       << "integer";
    QTest::newRow("trailing text") << "gpus=2x"
                                   << "integer";
    QTest::newRow("nothing") << " , "
                             << "No change was named";
}

void TstChange::aMistakeIsNamedWithWhatIsAllowed()
{
    QFETCH(QString, text);
    QFETCH(QString, named);
    const auto changes = parseChanges(text.toStdString());
    QVERIFY(!changes.has_value());
    QVERIFY(changes.error().code == ErrorCode::badArgument);
    const QString message = QString::fromStdString(changes.error().message);
    QVERIFY2(message.contains(named), qPrintable(message));
}

TIDEMARK_TEST(TstChange)

} // namespace tidemark::tst_change

#include "tst_change.moc"
