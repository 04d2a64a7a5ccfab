// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/redaction.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_redaction {

using pipeline::Redaction;

#define COMPARE_TEXT(actual, expected)                                                             \
    QCOMPARE(QString::fromStdString(actual), QString::fromStdString(expected))

class TstRedaction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foldersAndUsersOfAPath()
    {
        Redaction names;
        names.notePath("/home/adalove/moonshot/src/train.py");
        COMPARE_TEXT(names.path("/home/adalove/moonshot/src/train.py"),
                     "/home/user-1/folder-1/src/train.py");
        COMPARE_TEXT(names.path("/nas7/moonshot/x.py"), "/folder-2/folder-1/x.py");
        COMPARE_TEXT(names.path("C:\\Users\\Erika Muster\\my work\\a.py"),
                     "C:\\Users\\user-2\\folder-3\\a.py");
        COMPARE_TEXT(names.path("train_adalove.py"), "train_user-1.py");
        COMPARE_TEXT(names.path("/tmp/torchinductor_adalove/ab/c.py"),
                     "/tmp/torchinductor_user-1/folder-4/c.py");
        COMPARE_TEXT(names.path("<string>"), "<string>");
        COMPARE_TEXT(names.path(""), "");
    }

    void whatRulesLookForStays_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* path, const char* shown) {
            QTest::newRow(path) << QString::fromUtf8(path) << QString::fromUtf8(shown);
        };
        row("/opt/conda/lib/python3.11/site-packages/torch/nn/modules/linear.py",
            "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/linear.py");
        row("/x/Megatron-LM/megatron/core/transformer/module.py",
            "/folder-1/folder-2/megatron/core/transformer/module.py");
        row("/x/torch/zanzibar/a.py", "/folder-1/torch/folder-2/a.py");
        row("/x/my_optimizers/a.py", "/folder-1/folder-2-optim/a.py");
        row("/opt/conda/lib/python3.11/site-packages/acme/a.py",
            "/opt/conda/lib/python3.11/site-packages/folder-1/a.py");
    }
    void whatRulesLookForStays()
    {
        QFETCH(const QString, path);
        QFETCH(const QString, shown);
        Redaction names;
        COMPARE_TEXT(names.path(path.toStdString()), shown.toStdString());
    }

    void textsWithNames_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* text, const char* shown) {
            QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(shown);
        };
        row("saved by adalove at /home/adalove/a b", "saved by user-1 at /home/user-1/a b");
        row("File \"/home/adalove/a b/c.py\", line 3",
            "File \"/home/user-1/folder-1/c.py\", line 3");
        row("adalove@gpu7: done on gpu7.lab.example", "user-1@host-1: done on host-1");
        row("gpu9:4711:4720 [0] NCCL INFO ready", "host-1:4711:4720 [0] NCCL INFO ready");
        row("connect to 10.20.30.40:29500", "connect to address-1:29500");
        row("it was 10.20.30.40.", "it was address-1.");
        row("init tcp://10.20.30.40:29500", "init tcp://address-1:29500");
        row("Using [0]eth0:10.20.30.40<0>", "Using [0]eth0:address-1<0>");
        row("connect to [fd00:12::5]:29500", "connect to [address-1]:29500");
        row("eth0:fe80::1ff:fe23:4567:890a%eth0<0>", "eth0:address-1%eth0<0>");
        row("2001:db8::7: connected at 10:15:00", "address-1: connected at 10:15:00");
        row("c10::add, fade::add, fcd::add", "c10::add, fade::add, fcd::add");
        row("library.so.1.2.3.4 and v1.2.3.4", "library.so.1.2.3.4 and v1.2.3.4");
        row("zanzibar/moonshot/run.py failed", "folder-1/folder-2/run.py failed");
        // What only looks like a name stays.
        row("1.50 GiB/s, fp16/bf16, and/or, 3/4, 12/24/2026",
            "1.50 GiB/s, fp16/bf16, and/or, 3/4, 12/24/2026");
        row("file </torch_1234> of /dev/shm", "file </torch_1234> of /dev/shm");
        row("CUDA 12.1.105 with torch 2.6.0", "CUDA 12.1.105 with torch 2.6.0");
        row("malloc@@GLIBC_2.2.5", "malloc@@GLIBC_2.2.5");
        row("meta-llama/Llama-2-7b", "meta-llama/Llama-2-7b");
        row("adaloves adalover", "adaloves adalover");
        row("", "");
    }
    void textsWithNames()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, shown);
        Redaction names;
        if (text.contains(QStringLiteral("adalove"))) {
            names.notePath("/home/adalove/x.py");
        }
        names.noteText(text.toStdString());
        COMPARE_TEXT(names.text(text.toStdString()), shown.toStdString());
        COMPARE_TEXT(names.text(text.toStdString()), shown.toStdString()); // The same again.
    }

    void hostsOfFiles_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* file, const char* shown) {
            QTest::newRow(file) << QString::fromUtf8(file) << QString::fromUtf8(shown);
        };
        row("gpu7_Nov_28_10_15_00.pickle", "host-1_Nov_28_10_15_00.pickle");
        row("gpu7_4711.1795800869.pickle", "host-1_4711.1795800869.pickle");
        row("adalove@gpu7:runs/a.pickle", "user-1@host-1:folder-1/a.pickle");
        row("rank3_memory_snapshot.pickle", "rank3_memory_snapshot.pickle");
        row("run_2.pickle", "run_2.pickle");
    }
    void hostsOfFiles()
    {
        QFETCH(const QString, file);
        QFETCH(const QString, shown);
        Redaction names;
        names.noteFile(file.toStdString());
        COMPARE_TEXT(names.path(file.toStdString()), shown.toStdString());
    }
};

TIDEMARK_TEST(TstRedaction)

} // namespace tidemark::tst_redaction

#include "tst_redaction.moc"
