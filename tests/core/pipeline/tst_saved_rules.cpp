// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/saved_rules.h"
#include "tests/support/test_main.h"

#include <sys/stat.h>

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

namespace tidemark::tst_saved_rules {

namespace fs = std::filesystem;

namespace {

/// A snapshot in a folder of its own, and the user's folder beside it.
class Folders {
public:
    Folders()
        : snapshot(fs::path(m_root.path().toStdString()) / "runs/run.pickle")
        , away(fs::path(m_root.path().toStdString()) / "data/rules")
    {
        fs::create_directories(snapshot.parent_path());
        fs::copy_file(fs::path(TIDEMARK_SOURCE_DIR) / "tests/data/cases/gpt_oom_backward.pickle",
                      snapshot);
    }
    /// In the way of what is written beside the snapshot; the tests may run as root, whom
    /// permissions do not stop.
    void blockBeside() const
    {
        fs::create_symlink("/no such folder/at all", beside());
    }
    [[nodiscard]] fs::path beside() const
    {
        return fs::path(snapshot) += ".tidemark-rules.json";
    }
    void write(const fs::path& file, std::string_view text) const
    {
        std::ofstream(file) << text;
    }

private:
    QTemporaryDir m_root;

public:
    fs::path snapshot;
    fs::path away;
};

std::vector<label::Correction> oneRule(label::Bucket bucket = label::Bucket::kv_cache)
{
    label::Correction rule;
    rule.match.bucket = label::Bucket::activation;
    rule.bucket = bucket;
    return {rule};
}

} // namespace

class TstSavedRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsSavedBesideASnapshotIsLoadedWithIt()
    {
        const Folders folders;
        const auto saved = pipeline::saveRules(folders.snapshot, folders.away, oneRule());
        QVERIFY(saved.value().is_beside);
        QCOMPARE(saved.value().file, folders.beside());
        const auto loaded = pipeline::loadSavedRules(folders.snapshot, folders.away);
        QCOMPARE(loaded.rules.size(), 1UL);
        QVERIFY(loaded.rules[0].match == oneRule()[0].match);
        QCOMPARE(loaded.rules[0].source, std::string("run.pickle.tidemark-rules.json"));
        QCOMPARE(loaded.notes.all()[0].code, std::string("saved-rules"));
        QVERIFY(!fs::exists(folders.away));
    }
    void nothingSavedIsNothingToSay()
    {
        const Folders folders;
        const auto loaded = pipeline::loadSavedRules(folders.snapshot, folders.away);
        QVERIFY(loaded.file.empty());
        QVERIFY(loaded.rules.empty());
        QVERIFY(loaded.notes.all().empty());
        QVERIFY(pipeline::saveRules(folders.snapshot, folders.away, {}).value().file.empty());
    }
    void whereTheFolderCannotBeWrittenToTheyGoToTheUsersOwn()
    {
        const Folders folders;
        folders.blockBeside();
        QVERIFY(!pipeline::saveRules(folders.snapshot, {}, oneRule()).has_value());
        const auto saved = pipeline::saveRules(folders.snapshot, folders.away, oneRule());
        QVERIFY(!saved.value().is_beside);
        QVERIFY(saved.value().file.parent_path() == folders.away);
        const auto loaded = pipeline::loadSavedRules(folders.snapshot, folders.away);
        QCOMPARE(loaded.file, saved.value().file);
        QCOMPARE(loaded.rules.size(), 1UL);
        // Another file of the same name is another key.
        const Folders others;
        QVERIFY(pipeline::loadSavedRules(others.snapshot, folders.away).file.empty());
        // Once the folder can be written to again, only that file is left.
        fs::remove(folders.beside());
        QVERIFY(pipeline::saveRules(folders.snapshot, folders.away, oneRule()).value().is_beside);
        QVERIFY(!fs::exists(saved.value().file));
    }
    void theNewerOfTwoPlacesCounts()
    {
        const Folders folders;
        const auto places = pipeline::savedRulesPlaces(folders.snapshot, folders.away);
        fs::create_directories(folders.away);
        QVERIFY(pipeline::writeRulesFile(places.beside, oneRule()).has_value());
        QVERIFY(pipeline::writeRulesFile(places.away, oneRule(label::Bucket::input)).has_value());
        const auto now = fs::last_write_time(places.away);
        fs::last_write_time(places.beside, now - std::chrono::hours(1));
        QCOMPARE(pipeline::loadSavedRules(folders.snapshot, folders.away).file, places.away);
        fs::last_write_time(places.beside, now + std::chrono::hours(1));
        QCOMPARE(pipeline::loadSavedRules(folders.snapshot, folders.away).file, places.beside);
    }
    void anEmptyListRemovesTheFile()
    {
        const Folders folders;
        QVERIFY(pipeline::saveRules(folders.snapshot, folders.away, oneRule()).has_value());
        QVERIFY(pipeline::saveRules(folders.snapshot, folders.away, {}).has_value());
        QVERIFY(!fs::exists(folders.beside()));
    }
    void aDamagedFileIsANoteAndIsKeptWhenRulesAreSaved()
    {
        const Folders folders;
        folders.write(folders.beside(), "{\"tidemark_rules\": 1,");
        const auto loaded = pipeline::loadSavedRules(folders.snapshot, folders.away);
        QVERIFY(loaded.rules.empty());
        QCOMPARE(loaded.notes.all()[0].code, std::string("saved-rules-damaged"));
        QCOMPARE(
            loaded.notes.all()[0].text,
            std::string(
                "Corrections saved beside the snapshot, in run.pickle.tidemark-rules.json ignored: "
                "run.pickle.tidemark-rules.json: Invalid JSON at line 1, column 22."));
        QVERIFY(pipeline::saveRules(folders.snapshot, folders.away, oneRule()).has_value());
        QVERIFY(fs::exists(folders.beside() += ".damaged"));
        QCOMPARE(pipeline::loadSavedRules(folders.snapshot, folders.away).rules.size(), 1UL);
    }
    void nestingWithoutEndIsDamage()
    {
        const Folders folders;
        constexpr std::size_t kDeep = 200'000;
        for (const std::string& text :
             {std::string(kDeep, '['), std::string(kDeep, '[') + std::string(kDeep, ']'),
              R"({"tidemark_rules": 1, "rules": )" + std::string(kDeep, '[')
                  + std::string(kDeep, ']') + '}'}) {
            folders.write(folders.beside(), text);
            const auto loaded = pipeline::loadSavedRules(folders.snapshot, folders.away);
            QCOMPARE(loaded.notes.all()[0].code, std::string("saved-rules-damaged"));
            QVERIFY(loaded.notes.all()[0].text.find("ested too deep") != std::string::npos);
        }
    }
    void aPipeBesideTheSnapshotIsNotWaitedFor()
    {
        const Folders folders;
        QCOMPARE(::mkfifo(folders.beside().c_str(), 0600), 0);
        const auto loaded = pipeline::loadSavedRules(folders.snapshot, folders.away);
        QVERIFY(loaded.notes.all()[0].text.find("a pipe or a device") != std::string::npos);
        QVERIFY(pipeline::saveRules(folders.snapshot, folders.away, oneRule()).has_value());
        QCOMPARE(pipeline::loadSavedRules(folders.snapshot, folders.away).rules.size(), 1UL);
    }
    void whereTheNameGrowsTooLongTheyGoToTheUsersOwn()
    {
        Folders folders;
        const fs::path longest = folders.snapshot.parent_path() / std::string(255, 'n');
        fs::rename(folders.snapshot, longest);
        folders.snapshot = longest;
        const auto saved = pipeline::saveRules(folders.snapshot, folders.away, oneRule());
        QVERIFY(saved.has_value());
        QVERIFY(!saved.value().is_beside);
        QCOMPARE(pipeline::loadSavedRules(longest, folders.away).rules.size(), 1UL);
    }
    void whatAnotherWindowSavedMeanwhileIsKept()
    {
        const Folders folders;
        const auto rules = [](std::initializer_list<label::Bucket> buckets) {
            std::vector<label::Correction> list;
            for (const label::Bucket bucket : buckets) {
                list.push_back(oneRule(bucket).front());
            }
            return list;
        };
        using enum label::Bucket;
        const auto save = [&folders](const auto& list, const auto& known) {
            return pipeline::saveRules(folders.snapshot, folders.away, list, known).value();
        };
        const auto loaded = [&folders] {
            std::vector<label::Bucket> buckets;
            for (const auto& rule :
                 pipeline::loadSavedRules(folders.snapshot, folders.away).rules) {
                buckets.push_back(rule.bucket);
            }
            return buckets;
        };
        const std::vector<label::Correction> none;
        QVERIFY(!save(rules({kv_cache, input}), none).merged);
        QVERIFY(!save(rules({kv_cache, input, output}), rules({kv_cache, input})).merged);
        // The other window had read the first two, takes one out and adds one.
        const auto both = save(rules({input, gradient}), rules({kv_cache, input}));
        QCOMPARE(loaded(), (std::vector{output, input, gradient}));
        QVERIFY(both.merged && both.merged->size() == 3);
        // The first one takes out what both had.
        const auto again = save(rules({kv_cache, output}), rules({kv_cache, input, output}));
        QCOMPARE(loaded(), (std::vector{gradient, output}));
        QVERIFY(again.merged.has_value());
        // All taken out by one is nothing left of what the other knew.
        QVERIFY(!save(none, rules({gradient, output})).merged);
        QVERIFY(save(rules({gradient, output, workspace}), rules({gradient, output})).merged);
        QCOMPARE(loaded(), std::vector{workspace});
    }
    void programsThatSaveAtOnceLoseNothing()
    {
        // Each adds one correction after the other to what it last saw.
        constexpr int kPrograms = 4;
        constexpr int kEach = 20;
        const Folders folders;
        std::atomic<int> failed = 0;
        {
            std::vector<std::jthread> programs;
            for (int program = 0; program < kPrograms; ++program) {
                programs.emplace_back([&folders, &failed, program] {
                    std::vector<label::Correction> known;
                    for (int i = 0; i < kEach; ++i) {
                        std::vector<label::Correction> list = known;
                        list.push_back(oneRule().front());
                        list.back().match.min_bytes = Bytes{program * kEach + i + 1};
                        auto saved =
                            pipeline::saveRules(folders.snapshot, folders.away, list, known);
                        failed += saved.has_value() ? 0 : 1;
                        known = saved.has_value() && saved.value().merged ? *saved.value().merged
                                                                          : std::move(list);
                    }
                });
            }
        }
        QCOMPARE(failed.load(), 0);
        std::set<std::int64_t> sizes;
        for (const auto& rule : pipeline::loadSavedRules(folders.snapshot, folders.away).rules) {
            sizes.insert(rule.match.min_bytes.value_or(Bytes{}).value);
        }
        QCOMPARE(sizes.size(), std::size_t{kPrograms * kEach});
        QCOMPARE(*sizes.begin(), std::int64_t{1});
    }
    void aNamedFileThatCannotBeReadIsAnError()
    {
        const Folders folders;
        const auto missing = pipeline::readRulesFile(folders.away / "none.json");
        QVERIFY(missing.error().code == ErrorCode::cannotOpen);
        QVERIFY(pipeline::readRulesFile(folders.snapshot.parent_path()).error().code
                == ErrorCode::cannotOpen);
        QVERIFY(pipeline::readRulesFile(folders.snapshot).error().code == ErrorCode::badArgument);
    }
    void anAnalysisFollowsSavedAndGivenRulesAndGoesBack()
    {
        const Folders folders;
        NoProgress progress;
        const auto plain = pipeline::analyze(folders.snapshot, {}, progress, {}).value();
        QVERIFY(plain.corrections == nullptr);
        QVERIFY(pipeline::saveRules(folders.snapshot, {}, oneRule()).has_value());
        pipeline::Options options;
        options.rules.use_saved = true;
        label::Correction given = oneRule(label::Bucket::output)[0];
        given.match.bucket = label::Bucket::kv_cache; // What the saved one leaves.
        options.rules.rules = {given};
        const auto corrected = pipeline::analyze(folders.snapshot, options, progress, {}).value();
        const StateId peak = corrected.replay->devices[0].peak;
        const auto at_peak = [peak](const diagnose::Analysis& a, label::Bucket bucket) {
            return a.curves->devices[0].at(peak)[label::indexOf(bucket)];
        };
        QVERIFY(at_peak(plain, label::Bucket::activation) > 0);
        QCOMPARE(at_peak(corrected, label::Bucket::output),
                 at_peak(plain, label::Bucket::activation) + at_peak(plain, label::Bucket::output));
        QCOMPARE(at_peak(corrected, label::Bucket::activation), std::int64_t{0});
        QCOMPARE(corrected.corrections->effects.size(), 2UL);
        QVERIFY(corrected.inferred->devices[0].bucket == plain.labels->devices[0].bucket);
        int published = 0;
        const auto back = pipeline::withCorrections(corrected, {}, {}, progress, {},
                                                    [&](const diagnose::Analysis& a) {
                                                        ++published;
                                                        QVERIFY(a.diagnosis == corrected.diagnosis);
                                                    })
                              .value();
        QCOMPARE(published, 1);
        QVERIFY(back.snapshot == corrected.snapshot && back.replay == corrected.replay);
        QVERIFY(back.corrections == nullptr);
        QVERIFY(back.labels->devices[0].bucket == corrected.inferred->devices[0].bucket);
        QVERIFY(back.labels->devices[0].role == plain.labels->devices[0].role);
        QVERIFY(back.generation > corrected.generation);
        QCOMPARE(back.diagnosis->devices[0].headline, plain.diagnosis->devices[0].headline);
        QCOMPARE(at_peak(back, label::Bucket::activation),
                 at_peak(plain, label::Bucket::activation));
    }
};

TIDEMARK_TEST(TstSavedRules)

} // namespace tidemark::tst_saved_rules

#include "tst_saved_rules.moc"
