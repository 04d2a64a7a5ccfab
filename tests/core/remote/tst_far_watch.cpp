// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/far_watch.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <set>

namespace tidemark::tst_far_watch {

using namespace tidemark::remote;

namespace {

/// A machine whose folder "runs" is this; some lines to it fail.
struct FarFolder {
    std::vector<FarFile> files;
    std::set<std::string> broken;
    bool is_down = false;

    Fetch fetch()
    {
        return [this](const Address& address, const FetchOptions&,
                      const std::stop_token&) -> Result<Fetched> {
            if (is_down) {
                return Error{ErrorCode::cannotOpen, "down", {}};
            }
            Fetched fetched;
            if (address.path == "runs") {
                fetched.listing = files;
                return fetched;
            }
            fetched.file = "/copies/" + address.fileName();
            if (broken.contains(address.fileName())) {
                fetched.broken = "broke off";
            }
            return fetched;
        };
    }
};

std::vector<std::string> names(const Result<FarLook>& look)
{
    std::vector<std::string> result;
    for (const FarArrival& arrival : look.value().arrived) {
        result.push_back(arrival.address.path);
    }
    return result;
}

using Names = std::vector<std::string>;

} // namespace

class TstFarWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aDumpIsFetchedOnceItIsComplete()
    {
        FarFolder far{{{"old.pickle", 5, 1}}, {}, false};
        FarWatch watch({"box", "", "", "runs"}, {}, far.fetch());
        QCOMPARE(names(watch.look({})), Names{});
        far.files.push_back({"new.pickle", 10, 2});
        QCOMPARE(names(watch.look({})), Names{});
        far.files.back().size = 80;
        QCOMPARE(names(watch.look({})), Names{});
        const auto arrivals = watch.look({});
        QCOMPARE(names(arrivals), Names{"runs/new.pickle"});
        QCOMPARE(arrivals.value().arrived[0].file.string(), std::string("/copies/new.pickle"));
        QCOMPARE(names(watch.look({})), Names{});
        far.files.front().modified = 9; // Written anew.
        (void)watch.look({}).has_value();
        QCOMPARE(names(watch.look({})), Names{"runs/old.pickle"});
    }
    void ranksOfOneNameInSeveralFoldersAllArrive()
    {
        FarFolder far;
        FarWatch watch({"box", "", "", "runs"}, {}, far.fetch());
        (void)watch.look({}).has_value();
        far.files = {{"oom_1/rank0.pickle", 5, 1}, {"oom_2/rank0.pickle", 5, 2}};
        (void)watch.look({}).has_value();
        QCOMPARE(names(watch.look({})),
                 (Names{"runs/oom_1/rank0.pickle", "runs/oom_2/rank0.pickle"}));
    }
    void whatDidNotComeWhollyComesWithTheNextLook()
    {
        FarFolder far{{}, {"b.pickle"}, false};
        FarWatch watch({"box", "", "", "runs"}, {}, far.fetch());
        (void)watch.look({}).has_value();
        far.files = {{"a.pickle", 5, 1}, {"b.pickle", 5, 2}, {"c.pickle", 5, 3}};
        (void)watch.look({}).has_value();
        QCOMPARE(names(watch.look({})), Names{"runs/a.pickle"});
        far.is_down = true;
        QCOMPARE(names(watch.look({})), Names{});
        far.is_down = false;
        far.broken.clear();
        QCOMPARE(names(watch.look({})), (Names{"runs/b.pickle", "runs/c.pickle"}));
    }
    void aLineThatFailsIsToldOnceUntilItWorksAgain()
    {
        FarFolder far{{}, {}, true};
        FarWatch watch({"box", "", "", "runs"}, {}, far.fetch());
        QVERIFY(!watch.look({}).has_value()); // It never worked: whoever asked should know.
        far.is_down = false;
        QCOMPARE(watch.look({}).value().interruption, std::string());
        far.is_down = true;
        QCOMPARE(watch.look({}).value().interruption, std::string("down Retrying."));
        QCOMPARE(watch.look({}).value().interruption, std::string());
        far.is_down = false;
        QCOMPARE(watch.look({}).value().interruption, std::string());
        far.is_down = true;
        QCOMPARE(watch.look({}).value().interruption, std::string("down Retrying."));
    }
    void aFileThatDoesNotComeWhollyIsToldOnce()
    {
        FarFolder far{{}, {"a.pickle"}, false};
        FarWatch watch({"box", "", "", "runs"}, {}, far.fetch());
        (void)watch.look({}).has_value();
        far.files = {{"a.pickle", 5, 1}};
        (void)watch.look({}).has_value();
        QCOMPARE(watch.look({}).value().interruption,
                 std::string("The connection was lost while fetching a.pickle. Retrying."));
        QCOMPARE(watch.look({}).value().interruption, std::string());
        far.broken.clear();
        QCOMPARE(names(watch.look({})), Names{"runs/a.pickle"});
    }
    void whatIsCancelledIsNoInterruption()
    {
        bool is_cancelled = false;
        FarWatch watch(
            {"box", "", "", "runs"}, {},
            [&](const Address&, const FetchOptions&, const std::stop_token&) -> Result<Fetched> {
                return is_cancelled ? Result<Fetched>(Error{ErrorCode::cancelled, "cancelled", {}})
                                    : Result<Fetched>(Fetched{});
            });
        QVERIFY(watch.look({}).has_value());
        is_cancelled = true;
        QVERIFY(!watch.look({}).has_value());
    }
    void whatIsRemovedThereIsNotWaitedFor()
    {
        FarFolder far{{}, {"a.pickle"}, false};
        FarWatch watch({"box", "", "", "runs"}, {}, far.fetch());
        (void)watch.look({}).has_value();
        far.files = {{"a.pickle", 5, 1}, {"b.pickle", 5, 2}};
        (void)watch.look({}).has_value();
        QCOMPARE(names(watch.look({})), Names{});
        far.files.erase(far.files.begin());
        QCOMPARE(names(watch.look({})), Names{"runs/b.pickle"});
    }
    void aFileIsNoFolder()
    {
        FarFolder far;
        FarWatch watch({"box", "", "", "run.pickle"}, {}, far.fetch());
        const auto looked = watch.look({});
        QVERIFY(!looked.has_value());
        QVERIFY(looked.error().message.find("give its folder") != std::string::npos);
    }
};

TIDEMARK_TEST(TstFarWatch)

} // namespace tidemark::tst_far_watch

#include "tst_far_watch.moc"
