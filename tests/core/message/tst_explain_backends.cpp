// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What messages of other backends, drivers and libraries mean.
#include "core/message/explain.h"
#include "core/message/proof.h"
#include "tests/core/message/fix_of.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_explain_backends {

using namespace tidemark::diagnose;
using test::fixOf;

namespace {

/// Of a Mac: what PyTorch holds, what Metal does, and the limit, as torch prints them.
std::string macMessage(const char* allocated, const char* other, const char* allowed)
{
    return fmt::format(
        "RuntimeError: MPS backend out of memory (MPS allocated: {}, other allocations: {}, max "
        "allowed: {}). Tried to allocate 512.00 MB on private pool. Use "
        "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may "
        "cause system failure).",
        allocated, other, allowed);
}

} // namespace

class TstExplainBackends : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLimitOfAMacIsNoneThatSomeoneSet();
    void noTensorIsAsLargeAsAnExbibyte();
    void intelsDriversRefuseLargeBlocks();
    void ranksThatLostEachOtherFollowTheDriversRefusal();
    void settingsHaveTheNameOfTheBackend();
    void otherProgramsHaveNoCacheOfPyTorchs();
};

void TstExplainBackends::theLimitOfAMacIsNoneThatSomeoneSet()
{
    const Explanation e = explain(macMessage("17.00 GB", "1.00 GB", "18.13 GB"));
    QCOMPARE(e.causes.front().cause, Cause::unclear);
    QVERIFY(e.causes.front().evidence.front().text.find("18.00 GiB") != std::string::npos);
    QCOMPARE(fixOf(e, "mps-limit").status, FixStatus::would_help);
    QCOMPARE(fixOf(e, "memory-fraction").status, FixStatus::not_applicable);
    // A good part of it is not PyTorch's.
    const Explanation metal = explain(macMessage("9.00 GB", "9.00 GB", "18.13 GB"));
    QCOMPARE(metal.causes.front().cause, Cause::non_pytorch_memory);
    QCOMPARE(fixOf(metal, "headroom").status, FixStatus::not_applicable);
    // Below the limit something else refused.
    const Explanation below = explain(macMessage("1.00 GB", "0 bytes", "18.13 GB"));
    QCOMPARE(fixOf(below, "mps-limit").status, FixStatus::not_applicable);
}

void TstExplainBackends::noTensorIsAsLargeAsAnExbibyte()
{
    const Explanation e =
        explain("RuntimeError: CUDA out of memory. Tried to allocate more than 1EB memory.");
    QCOMPARE(e.causes.front().cause, Cause::single_huge_tensor);
    QVERIFY(e.headline.find("more than 1 EiB") != std::string::npos);
    for (const Fix& fix : e.fixes) {
        QCOMPARE(fix.status == FixStatus::recommended, fix.id == "wrong-shape");
    }
}

void TstExplainBackends::intelsDriversRefuseLargeBlocks()
{
    const auto isBlockLimit = [](const char* tried, const char* allocated) {
        return prove(*parseOomMessage(fmt::format(
                         "XPU out of memory. Tried to allocate {}. GPU 0 has a total capacity of "
                         "15.11 GiB. Of the allocated memory {} is allocated by PyTorch, and 0 "
                         "bytes is reserved by PyTorch but unallocated.",
                         tried, allocated)))
            .may_hit_block_limit;
    };
    QVERIFY(isBlockLimit("4.00 GiB", "1.00 GiB"));
    QVERIFY(!isBlockLimit("3.90 GiB", "1.00 GiB"));
    QVERIFY(!isBlockLimit("4.00 GiB", "12.00 GiB")); // the card is full
    QVERIFY(!isBlockLimit("16.00 GiB", "1.00 GiB")); // larger than the card
    const Explanation e = explain(
        "XPU out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 15.11 GiB.");
    QCOMPARE(fixOf(e, "driver-limit").status, FixStatus::recommended);
}

void TstExplainBackends::ranksThatLostEachOtherFollowTheDriversRefusal()
{
    const std::string lost = "ncclUnhandledCudaError: Call to CUDA function failed.\n";
    QCOMPARE(explain(lost).causes.front().cause, Cause::not_gpu_memory);
    const Explanation e = explain(lost + "Last error:\nFailed to CUDA calloc async 608 bytes\n");
    QCOMPARE(e.causes.front().cause, Cause::non_pytorch_memory);
    QVERIFY(e.headline.find("unstated") == std::string::npos);
}

void TstExplainBackends::settingsHaveTheNameOfTheBackend()
{
    const auto line = [](const char* backend, const char* id = "expandable-segments") {
        const Explanation e = explain(fmt::format(
            "{} out of memory. Tried to allocate 200.00 MiB. GPU 0 has a total capacity of 24.00 "
            "GiB of which 10.00 MiB is free. Of the allocated memory 12.00 GiB is allocated by "
            "PyTorch, and 11.00 GiB is reserved by PyTorch but unallocated.",
            backend));
        return fixOf(e, id).how.front().second;
    };
    QVERIFY(line("CUDA").starts_with("PYTORCH_CUDA_ALLOC_CONF="));
    QVERIFY(line("HIP").starts_with("PYTORCH_HIP_ALLOC_CONF="));
    QVERIFY(line("NPU").starts_with("PYTORCH_NPU_ALLOC_CONF="));
    QVERIFY(line("XPU").starts_with("PYTORCH_ALLOC_CONF="));
    QVERIFY(line("XPU").find("2.1+") == std::string::npos);
    QVERIFY(line("HIP").find("torch 2.12") != std::string::npos);
    QVERIFY(line("CUDA", "bf16").find("autocast(\"cuda\"") != std::string::npos);
    QVERIFY(line("XPU", "bf16").find("autocast(\"xpu\"") != std::string::npos);
    QVERIFY(line("NPU", "bf16").find("autocast(\"npu\"") != std::string::npos);
    const auto myth = [](const char* backend) {
        return explain(
                   fmt::format("{} out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
                               "capacity of 16.00 GiB of which 10.00 MiB is free. Of the "
                               "allocated memory 14.00 GiB is allocated by PyTorch, and 500.00 "
                               "MiB is reserved by PyTorch but unallocated.",
                               backend))
            .explanation;
    };
    QVERIFY2(myth("CUDA").find("torch.cuda.empty_cache()") != std::string::npos,
             myth("CUDA").c_str());
    QVERIFY2(myth("XPU").find("torch.xpu.empty_cache()") != std::string::npos, myth("XPU").c_str());
    QVERIFY2(myth("NPU").find("torch.npu.empty_cache()") != std::string::npos, myth("NPU").c_str());
    const Explanation mac = explain(macMessage("17.00 GB", "1.00 GB", "18.13 GB"));
    QVERIFY(fixOf(mac, "bf16").how.front().second.find("autocast(\"mps\"") != std::string::npos);
}

void TstExplainBackends::otherProgramsHaveNoCacheOfPyTorchs()
{
    const std::string paddle = "ResourceExhaustedError: Out of memory error on GPU 0. Cannot "
                               "allocate 1.500000GB memory on GPU 0.";
    const Explanation alone = explain(paddle);
    QCOMPARE(alone.causes.front().cause, Cause::not_gpu_memory);
    QCOMPARE(fixOf(alone, "headroom").status, FixStatus::not_applicable);
    const Explanation beside = explain("import torch, paddle\n" + paddle);
    QCOMPARE(fixOf(beside, "headroom").status, FixStatus::would_help);
}

TIDEMARK_TEST(TstExplainBackends)

} // namespace tidemark::tst_explain_backends

#include "tst_explain_backends.moc"
