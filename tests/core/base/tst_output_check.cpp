// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/output_check.h"
#include "tests/support/test_main.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <array>
#include <fstream>

namespace tidemark::tst_output_check {

namespace fs = std::filesystem;

class TstOutputCheck : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] fs::path file(std::string_view name, std::string_view content) const
    {
        const fs::path path = fs::path(m_folder.path().toStdString()) / name;
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }

private Q_SLOTS:
    void aFileThatIsReadIsNotWritten()
    {
        const fs::path input = file("run.pdf", "%PDF-1.4");
        const std::array inputs{input};
        const fs::path folder = input.parent_path();
        fs::create_symlink("run.pdf", folder / "soft.pdf");
        fs::create_hard_link(input, folder / "hard.pdf");
        fs::create_directory(folder / "sub");
        for (const fs::path& name :
             {input, folder / "soft.pdf", folder / "hard.pdf", folder / "sub/../run.pdf"}) {
            const auto result = checkOutput(name, OutputKind::pdf, inputs);
            QVERIFY2(!result.has_value(), name.c_str());
            QVERIFY(result.error().message.find(name.string()) == 0);
            QVERIFY(result.error().message.find("files to read") != std::string::npos);
        }
        QVERIFY(checkOutput(folder / "new.pdf", OutputKind::pdf, inputs).has_value());
    }

    void aFileOfAnotherKindIsLeftAsItIs()
    {
        const fs::path pickle = file("a.pickle", "\x80\4}.");
        const fs::path pdf = file("a.pdf", "%PDF-1.7\n");
        const fs::path json = file("in.json", "{\"segments\": []}");
        const fs::path ours = file("ours.json", "{\"report\":{}}");
        for (const auto kind : {OutputKind::pdf, OutputKind::png, OutputKind::svg, OutputKind::html,
                                OutputKind::json, OutputKind::markdown, OutputKind::csv}) {
            const auto result = checkOutput(pickle, kind, {});
            QVERIFY(!result.has_value());
            QVERIFY(result.error().message.find("left as it is; name another")
                    != std::string::npos);
            QCOMPARE(checkOutput(pdf, kind, {}).has_value(), kind == OutputKind::pdf);
            QCOMPARE(checkOutput(ours, kind, {}).has_value(), kind == OutputKind::json);
            QVERIFY(!checkOutput(json, kind, {}).has_value());
        }
    }

    void aListOfRanksIsAListOfOurs()
    {
        const fs::path ranks = file("job.csv", "file,rank,moment,coordinates\nx.pickle,0,,\n");
        QVERIFY(checkOutput(ranks, OutputKind::csv, {}).has_value());
        QVERIFY(!checkOutput(file("other.csv", "file,size\n"), OutputKind::csv, {}).has_value());
    }

    void whatIsEmptyOrNoFileMayBeWritten()
    {
        QVERIFY(checkOutput(file("empty", ""), OutputKind::pdf, {}).has_value());
        QVERIFY(checkOutput("/dev/null", OutputKind::pdf, {}).has_value());
    }
};

TIDEMARK_TEST(TstOutputCheck)

} // namespace tidemark::tst_output_check

#include "tst_output_check.moc"
