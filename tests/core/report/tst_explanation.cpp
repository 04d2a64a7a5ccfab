// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"
#include "core/report/document.h"
#include "core/report/explanation.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_explanation {

namespace {

std::string said(std::string_view text)
{
    return report::toText(report::explanationDocument(diagnose::explain(text), "text"));
}

bool has(const std::string& text, std::string_view words)
{
    return text.find(words) != std::string::npos;
}

} // namespace

class TstExplanation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDriversPoolHasNoSegments();
    void heapsOfAMacAreReserved();
};

void TstExplanation::theDriversPoolHasNoSegments()
{
    const std::string pool = said(
        "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of "
        "memory)\nCurrently allocated     : 13.10 GiB\nRequested               : 1.75 "
        "GiB\nDevice limit            : 15.70 GiB\nFree (according to CUDA): 18.00 MiB\nPyTorch "
        "limit (set by user-supplied memory fraction)\n                        : 17179869184.00 "
        "GiB\n");
    QVERIFY2(has(pool, "Tried to allocate ") && has(pool, "1.75 GiB"), pool.c_str());
    QVERIFY2(!has(pool, "segment"), pool.c_str());
    const std::string cached = said(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.75 GiB. GPU 0 has a total "
        "capacity of 15.70 GiB of which 18.00 MiB is free. Of the allocated memory 13.10 GiB is "
        "allocated by PyTorch, and 1.10 GiB is reserved by PyTorch but unallocated.");
    QVERIFY2(has(cached, "(the segment, not the tensor)"), cached.c_str());
    QVERIFY2(has(cached, "had already freed every empty segment")
                 || has(cached, "had already freed every empty\nsegment"),
             cached.c_str());
}

void TstExplanation::heapsOfAMacAreReserved()
{
    const std::string mac =
        said("RuntimeError: MPS backend out of memory (MPS allocated: 16.20 GB, other allocations: "
             "512.00 KB, max allowed: 18.13 GB). Tried to allocate 2.50 GB on private pool. Use "
             "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations "
             "(may cause system failure).");
    QVERIFY2(has(mac, "Reserved by PyTorch") && has(mac, "Reserved and the request"), mac.c_str());
    QVERIFY2(!has(mac, "Allocated by PyTorch") && !has(mac, "the segment"), mac.c_str());
    QVERIFY2(has(mac, "By Metal outside PyTorch's allocator"), mac.c_str());
}

TIDEMARK_TEST(TstExplanation)

} // namespace tidemark::tst_explanation

#include "tst_explanation.moc"
