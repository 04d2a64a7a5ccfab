// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/report/hand_made_job.h"
#include "tests/support/test_main.h"
#include "tests/ui_report/pdf_probe.h"
#include "ui/report/pdf_report.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

namespace tidemark::tst_job_pdf {
namespace {

class TestJobPdf : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] QString write(const job::Job& job) const
    {
        const QString path = m_folder.filePath(QStringLiteral("job.pdf"));
        const auto result = ui::writeJobPdf(path, job, {});
        if (!result.has_value()) {
            qWarning("%s", result.error().message.c_str());
        }
        return path;
    }

private Q_SLOTS:
    void fourRanksAreAPage()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const QString pdf = write(test::jobOfFour());
        QCOMPARE(test::inkPerPage(pdf).size(), std::size_t{1});
        QCOMPARE(test::overlappingWords(pdf), QStringList());
        const QString text = test::textOf(pdf);
        for (const char* words :
             {"Job of 4 ranks", "Rank 3 of 4 ran out first.", "Cut rank 3's sequences",
              "+60.0 MiB Activations", "Rank 2 was written twice.", "Activations", "Reserved"}) {
            QVERIFY2(text.contains(QString::fromUtf8(words)), words);
        }
    }

    void theLegendHasTheCapacityOnlyWhereItIsDrawn()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const QString entry = QStringLiteral("Capacity, out of memory");
        QVERIFY(test::textOf(write(test::jobOfFour())).contains(entry));
        job::Job job = test::jobOf(4);
        QVERIFY(!test::textOf(write(job)).contains(entry));
        job.rows[0].capacity = job.rows[0].reserved;
        QVERIFY(test::textOf(write(job)).contains(entry));
        job.rows[0].capacity = Bytes{10 * job.rows[0].reserved.value}; // Above the picture.
        QVERIFY(!test::textOf(write(job)).contains(entry));
    }

    void manyRanksAreAPage()
    {
        job::Job job = test::jobOf(512);
        job.outliers.assign(40, {});
        for (std::size_t i = 0; i < job.outliers.size(); ++i) {
            job.outliers[i].row = 2 * i + 3;
            job.rows[2 * i + 3].host = std::string(300, 'n');
        }
        TIDEMARK_NEED_PDF_TOOLS();
        const QString pdf = write(job);
        QCOMPARE(test::inkPerPage(pdf).size(), std::size_t{1});
        QCOMPARE(test::wordsOutside(pdf, 30), QStringList());
        QVERIFY(test::textOf(pdf).contains(QString::fromUtf8("… 471 more ranks like rank 1")));
    }

    void inputsAreNotWrittenOnto()
    {
        const QString path = m_folder.filePath(QStringLiteral("dump.pdf"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("%PDF-1.4 kept");
        file.close();
        const std::vector<std::filesystem::path> inputs{path.toStdString()};
        QVERIFY(!ui::writeJobPdf(path, test::jobOfFour(), inputs).has_value());
        QCOMPARE(file.size(), qint64{13});
    }
};

} // namespace

TIDEMARK_TEST(TestJobPdf)

} // namespace tidemark::tst_job_pdf

#include "tst_job_pdf.moc"
