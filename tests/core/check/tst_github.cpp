// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/check_outputs.h"
#include "core/check/github.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>
#include <vector>

namespace tidemark::tst_github {

using check::Verdict;

Verdict broken(const std::string& file)
{
    Verdict verdict;
    verdict.file = file;
    verdict.budget.limit = 1;
    verdict.actual = 2;
    return verdict;
}

class TstGithub : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void data_and_properties_are_escaped_as_the_toolkit_does()
    {
        QCOMPARE(check::githubData("100%\r\n::x"), std::string("100%25%0D%0A::x"));
        QCOMPARE(check::githubProperty("a:b,c%3A"), std::string("a%3Ab%2Cc%253A"));
    }

    void a_hostile_name_makes_no_command()
    {
        Verdict verdict = broken("x\n::error::owned\r::set-output name=a::b");
        verdict.budget.name = "n,file=/etc/passwd::\n::warning::w";
        verdict.where.text = "f\n::debug::d";
        verdict.where.filename = "/w/a,line=1::\n::error::e.py";
        const std::string text = check::githubAnnotations(std::vector{verdict}, "/w");
        QCOMPARE(std::ranges::count(text, '\n'), 1);
        const std::string properties = text.substr(0, text.find("::", 2));
        QCOMPARE(std::ranges::count(properties, ','), 1); // title and file
        QVERIFY(properties.starts_with("::error title="));
        for (const std::string& output : {check::checkText(std::vector{verdict}, {}),
                                          check::githubSummary(std::vector{verdict}),
                                          check::checkJunit(std::vector{verdict})}) {
            QVERIFY2(output.find("\n::") == std::string::npos, output.c_str());
        }
    }

    void each_test_case_of_a_file_has_a_name_of_its_own()
    {
        const std::vector verdicts{broken("a.pickle"), broken("a.pickle"), broken("b.pickle")};
        const std::string xml = check::checkJunit(verdicts);
        const std::string name = check::budgetName(verdicts[0].budget, verdicts[0].device);
        for (const std::string& of_case :
             {"\"a.pickle\" name=\"" + name + '"', "\"a.pickle\" name=\"" + name + " (2)\"",
              "\"b.pickle\" name=\"" + name + '"'}) {
            QVERIFY2(xml.find(of_case) != std::string::npos, xml.c_str());
        }
    }

    void a_hostile_name_makes_no_command_of_the_older_form()
    {
        Verdict verdict = broken("run.pickle");
        verdict.where.text = "f.py:1 ###[set-output name=a]b";
        const std::vector verdicts{verdict};
        const std::string text = check::withoutOldCommands(check::checkText(verdicts, {}), false);
        QVERIFY2(text.find("##[") == std::string::npos, text.c_str());
        const std::string json = report::toString(check::checkJson(verdicts, {}));
        QVERIFY(json.find("##[") != std::string::npos);
        const std::string safe = check::withoutOldCommands(json, true);
        QVERIFY2(safe.find("##[") == std::string::npos, safe.c_str());
        QVERIFY(report::Json::parse(safe) == report::Json::parse(json));
    }

    void only_a_file_of_the_workspace_is_annotated()
    {
        Verdict verdict = broken("run.pickle");
        verdict.where.filename = "/home/space/model.py";
        verdict.where.line = 7;
        const std::vector verdicts{verdict};
        QVERIFY(check::githubAnnotations(verdicts, "/home/space/").find(",file=model.py,line=7::")
                != std::string::npos);
        QVERIFY(check::githubAnnotations(verdicts, "/home/spa").find("file=") == std::string::npos);
        QVERIFY(check::githubAnnotations(verdicts, "").find("file=") == std::string::npos);
    }

    void ten_at_most_and_the_tenth_counts_the_rest()
    {
        const std::vector ten(10, broken("a"));
        QCOMPARE(std::ranges::count(check::githubAnnotations(ten, ""), '\n'), 10);
        const std::vector many(30, broken("a"));
        const std::string text = check::githubAnnotations(many, "");
        QCOMPARE(std::ranges::count(text, '\n'), 10);
        QVERIFY(text.find("21 more budgets") != std::string::npos);
    }
};

} // namespace tidemark::tst_github

using tidemark::tst_github::TstGithub;
TIDEMARK_TEST(TstGithub)
#include "tst_github.moc"
