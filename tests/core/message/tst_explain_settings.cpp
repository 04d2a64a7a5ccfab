// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"
#include "tests/core/message/fix_of.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_explain_settings {

using namespace tidemark::diagnose;
using test::fixOf;

namespace {

std::string message(const std::string& allocated, const std::string& unallocated)
{
    return "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a "
           "total capacity of 24.00 GiB of which 10.00 MiB is free. Of the allocated memory "
        + allocated + " is allocated by PyTorch, and " + unallocated
        + " is reserved by PyTorch but unallocated. If reserved but unallocated memory is large "
          "try "
          "setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
}

} // namespace

/// What the allocator's settings, its limits and its own warnings have to do with it.
class TstExplainSettings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRefusalHasTheFiguresOfTheWarningBeforeIt();
    void addressesThatRanOutAreNoMemory();
    void twoSettingsThatClashAreSaid();
    void noFixHasBothSettings();
};

void TstExplainSettings::aRefusalHasTheFiguresOfTheWarningBeforeIt()
{
    const std::string warning =
        "[W1127 CUDACachingAllocator.cpp:3400] Preemptively rejecting allocation: requested 4.00 "
        "GiB but total_allocated_memory (13.50 GiB) + requested size would exceed memory limit "
        "(14.40 GiB = 90% of 16.00 GiB). Set throw_on_cudamalloc_oom:false to disable.\n";
    const std::string error =
        "Traceback (most recent call last):\ntorch.OutOfMemoryError: CUDA out of memory. "
        "Allocation was preemptively rejected because it would exceed per_process_memory_fraction "
        "limit. Requested size: 3.99 GiB\n";
    for (const std::string& text : {warning, warning + error}) {
        const Explanation e = explain(text);
        QCOMPARE(e.causes.front().cause, Cause::memory_fraction);
        QCOMPARE(e.message->tried.value().value, 4LL << 30);
        QCOMPARE(e.message->reserved.value().value, 27LL << 29);
        QCOMPARE(e.message->total.value().value, 16LL << 30);
        QCOMPARE(e.message->backend, std::string("CUDA"));
        QVERIFY2(fixOf(e, "memory-fraction").why.find("14.4 GiB of 16.0 GiB") != std::string::npos,
                 fixOf(e, "memory-fraction").why.c_str());
        QCOMPARE(fixOf(e, "early-refusal").status, FixStatus::would_help);
    }
    const Explanation alone = explain(error);
    QCOMPARE(alone.causes.front().cause, Cause::memory_fraction);
    QVERIFY(fixOf(alone, "memory-fraction").why.find("unstated") == std::string::npos);
    QCOMPARE(fixOf(explain(message("18.00 GiB", "5.00 GiB")), "early-refusal").status,
             FixStatus::not_applicable);
    QVERIFY(
        explain("Preemptively rejecting query: requested 3 documents").findings.messages.empty());
}

void TstExplainSettings::addressesThatRanOutAreNoMemory()
{
    const std::string line =
        "[E1127 CUDACachingAllocator.cpp:512] [ExpandableSegmentVA] Failed to reserve 90.00 GiB of "
        "virtual address space. This process already holds 1423 live expandable segment(s) "
        "reserving 125.00 TiB; this is not physical GPU OOM.\n";
    for (const std::string& text :
         {line, line + "torch.AcceleratorError: CUDA error: out of memory\n"}) {
        const Explanation e = explain(text);
        QCOMPARE(e.findings.events.front().kind, LogEventKind::address_space);
        QCOMPARE(e.causes.front().cause, Cause::not_gpu_memory);
        QVERIFY(e.causes.front().evidence.front().text.find("1423 live") != std::string::npos);
        QCOMPARE(fixOf(e, "address-space").status, FixStatus::recommended);
    }
    // PyTorch's hint at the end of every message with expandable segments on speaks of them, too.
    const Explanation full = explain("NCCL error: unhandled\n");
    QCOMPARE(full.causes.front().cause, Cause::not_gpu_memory);
    QCOMPARE(fixOf(full, "address-space").status, FixStatus::not_applicable);
}

void TstExplainSettings::twoSettingsThatClashAreSaid()
{
    const std::string cached = message("18.00 GiB", "5.00 GiB");
    const std::string full = message("23.00 GiB", "20.00 MiB");
    const auto says = [](const Explanation& e) {
        return e.explanation.find("Unset max_split_size_mb") != std::string::npos
            || std::ranges::any_of(e.causes.front().evidence, [](const Evidence& one) {
                   return one.text.find("Unset max_split_size_mb") != std::string::npos;
               });
    };
    for (const std::string_view settings :
         {"export PYTORCH_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True\n",
          "os.environ[\"PYTORCH_CUDA_ALLOC_CONF\"] = "
          "\"expandable_segments:True,max_split_size_mb:128\"\n",
          "env:\n  PYTORCH_HIP_ALLOC_CONF: 'expandable_segments:True, max_split_size_mb:64'\n",
          "torch.cuda.memory._set_allocator_settings(\"max_split_size_mb:64,"
          "expandable_segments:True\")\n"}) {
        const std::string text(settings);
        const Explanation e = explain(text + cached);
        QVERIFY2(e.findings.max_split_is_on, text.c_str());
        QCOMPARE(e.causes.front().cause, Cause::fragmentation);
        QVERIFY(says(e));
        QCOMPARE(fixOf(e, "drop-max-split").status, FixStatus::recommended);
        QVERIFY(fixOf(e, "drop-max-split").how.front().second.find("max_split_size_mb:")
                == std::string::npos);
        QCOMPARE(fixOf(e, "expandable-segments").status, FixStatus::already_on);
        QVERIFY(says(explain(text + full)));
        QVERIFY(says(explain(text + "step 3\n")));
    }
    for (const std::string_view settings :
         {"PYTORCH_ALLOC_CONF=max_split_size_mb:128 python x.py\n",
          "PYTORCH_ALLOC_CONF: expandable_segments:True\nPYTORCH_CUDA_ALLOC_CONF: "
          "max_split_size_mb:128\n",
          "try setting PYTORCH_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True\n",
          "PYTORCH_ALLOC_CONF with expandable_segments:True and max_split_size_mb:64\n"}) {
        const Explanation e = explain(std::string(settings) + cached);
        QVERIFY2(!says(e) && !e.findings.max_split_is_on, std::string(settings).c_str());
        QCOMPARE(fixOf(e, "drop-max-split").status, FixStatus::not_applicable);
    }
}

void TstExplainSettings::noFixHasBothSettings()
{
    const Explanation e = explain(message("18.00 GiB", "5.00 GiB"));
    for (const Fix& fix : e.fixes) {
        for (const auto& [framework, line] : fix.how) {
            const std::string set = line.substr(0, line.find('#'));
            QVERIFY2(set.find("max_split_size_mb") == std::string::npos
                         || set.find("expandable_segments:True") == std::string::npos,
                     line.c_str());
        }
    }
}

TIDEMARK_TEST(TstExplainSettings)

} // namespace tidemark::tst_explain_settings

#include "tst_explain_settings.moc"
