// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/pipeline.h"

#include "core/allocator/baseline.h"
#include "core/base/language.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "core/label/program/program_evidence.h"
#include "core/label/program/program_roles.h"
#include "core/pipeline/saved_rules.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::pipeline {
namespace {

using diagnose::Analysis;

/// Puts corrections between the labels that were found and those that are shown. `notes` is what
/// else there is to say about them.
Result<Done> applyRules(Analysis& analysis, std::vector<label::Correction> rules,
                        const trace::InputNotes& notes, const std::stop_token& stop)
{
    if (rules.empty()) {
        analysis.labels = analysis.inferred;
        analysis.corrections = notes.all().empty()
            ? nullptr
            : std::make_shared<const label::Corrections>(label::Corrections{{}, {}, notes});
        return Done{};
    }
    Result<label::Corrected> corrected =
        label::correct(*analysis.snapshot, *analysis.replay, *analysis.inferred, rules, stop);
    if (!corrected.has_value()) {
        return corrected.error();
    }
    label::Corrections applied{std::move(rules), std::move(corrected.value().effects), notes};
    applied.notes.merge(label::notesOn(applied.rules, applied.effects));
    analysis.labels = std::make_shared<const label::Labels>(std::move(corrected.value().labels));
    analysis.corrections = std::make_shared<const label::Corrections>(std::move(applied));
    return Done{};
}

/// The rules saved for a file and those given.
Result<Done> applyOptions(Analysis& analysis, const RuleOptions& options,
                          const std::stop_token& stop)
{
    SavedRules saved;
    if (options.use_saved) {
        saved = loadSavedRules(analysis.file, options.folder);
    }
    saved.rules.insert(saved.rules.end(), options.rules.begin(), options.rules.end());
    return applyRules(analysis, std::move(saved.rules), saved.notes, stop);
}

Result<Done> diagnoseAgain(Analysis& analysis, ProgressSink& progress, const std::stop_token& stop)
{
    Result<diagnose::Diagnosis> diagnosis = diagnose::run(analysis, progress, stop);
    if (!diagnosis.has_value()) {
        return diagnosis.error();
    }
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis).value());
    return Done{};
}

/// What the programs were, and the labels with the roles that their dimensions show.
struct Told {
    std::shared_ptr<const std::vector<program::Program>> programs;
    std::shared_ptr<const label::Labels> labels;

    void addTo(Analysis& analysis) &&
    {
        analysis.programs = std::move(programs);
        analysis.labels = std::move(labels);
    }
};

Told tellPrograms(const Analysis& analysis, const std::stop_token& stop)
{
    std::span<const label::Correction> rules;
    if (analysis.corrections) {
        rules = analysis.corrections->rules;
    }
    std::vector<program::Program> programs =
        label::findPrograms(*analysis.snapshot, *analysis.replay, *analysis.labels, rules, stop);
    Told told{nullptr, analysis.labels};
    if (std::optional<label::Labels> labels = label::withRolesOf(
            programs, *analysis.snapshot, *analysis.replay, *analysis.labels, stop)) {
        told.labels = std::make_shared<const label::Labels>(*std::move(labels));
    }
    told.programs = std::make_shared<const std::vector<program::Program>>(std::move(programs));
    return told;
}

/// Where the model of the allocator repeats the run, its block sizes take the place of the bounds.
void takeModel(Analysis& analysis, allocator::Baselines compared)
{
    std::vector<replay::BlockSizes> sizes;
    for (std::size_t d = 0; d < compared.size(); ++d) {
        std::optional<allocator::Baseline>& baseline = compared[d];
        const bool is_exact = baseline && baseline->sizes;
        sizes.push_back(is_exact ? *std::exchange(baseline->sizes, std::nullopt)
                                 : (*analysis.block_sizes)[d]);
    }
    analysis.block_sizes =
        std::make_shared<const std::vector<replay::BlockSizes>>(std::move(sizes));
    analysis.baselines = std::make_shared<const allocator::Baselines>(std::move(compared));
}

/// Does `work` on another thread; where the system allows none, when its result is asked for.
template <class Work>
auto beside(const Work& work)
{
    // A copy: std::async moves from what it is given before it finds that there is no thread.
    return std::async(std::launch::async | std::launch::deferred, work);
}

/// The sizes of the blocks, and the model of the allocator that they are compared with: on other
/// threads, since they need no labels. The end of this ends them.
class BlocksBeside {
public:
    using Sizes = std::shared_ptr<const std::vector<replay::BlockSizes>>;

    /// With the model or without. `stop` must outlive this.
    BlocksBeside(const Analysis& analysis, bool has_model, const std::stop_token& stop)
        : m_forward(stop, [this] { m_stop.request_stop(); })
    {
        m_sizes = beside([snapshot = analysis.snapshot, replay = analysis.replay] {
            return std::make_shared<const std::vector<replay::BlockSizes>>(
                replay::blockSizeBounds(*snapshot, *replay));
        });
        if (has_model) {
            m_model = beside(
                [this, sizes = m_sizes, snapshot = analysis.snapshot, replay = analysis.replay] {
                    return allocator::baselines(*snapshot, *replay, *sizes.get(), m_progress,
                                                m_stop.get_token());
                });
        }
    }
    ~BlocksBeside()
    {
        m_stop.request_stop();
    }
    BlocksBeside(const BlocksBeside&) = delete;
    BlocksBeside& operator=(const BlocksBeside&) = delete;

    [[nodiscard]] Sizes sizes() const
    {
        return m_sizes.get();
    }
    /// Waits for the model, and says meanwhile how far it is.
    Result<allocator::Baselines> model(ProgressSink& progress)
    {
        constexpr std::chrono::milliseconds kBetweenReports{50};
        do {
            progress.report(allocator::kBaselineStage, m_progress.share());
        } while (m_model.wait_for(kBetweenReports) == std::future_status::timeout);
        return m_model.get();
    }

private:
    /// Keeps what is reported, for another thread.
    class LastReport final : public ProgressSink {
    public:
        void report(std::string_view, double fraction) override
        {
            m_share = fraction;
        }
        [[nodiscard]] double share() const
        {
            return m_share;
        }

    private:
        std::atomic<double> m_share = 0;
    };
    std::stop_source m_stop;
    std::stop_callback<std::function<void()>> m_forward;
    LastReport m_progress;
    std::shared_future<Sizes> m_sizes;
    std::future<Result<allocator::Baselines>> m_model; ///< Last: waits for its end.
};

/// For stages that have no stop of their own: they take less than a second per million events.
Error cancelled()
{
    return {ErrorCode::cancelled, say("Reading was cancelled."), {}};
}

/// What `work` returns; without memory enough, the error that says so.
template <class Work>
Result<Analysis> inMemory(const Work& work)
{
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::outOfMemory,
                     say("Not enough free memory to open the file; close other programs or use a "
                         "larger machine."),
                     {}};
    }
}

/// Whether each stage made as much as the one before it: views index one's columns by another's.
bool areOfOneShape(const Analysis& analysis)
{
    const auto& devices = analysis.snapshot->devices;
    if (analysis.replay->devices.size() != devices.size()
        || analysis.labels->devices.size() != devices.size()) {
        return false;
    }
    for (std::size_t d = 0; d < devices.size(); ++d) {
        const replay::DeviceReplay& replay = analysis.replay->devices[d];
        const label::DeviceLabels& labels = analysis.labels->devices[d];
        const std::size_t events = devices[d].events.count();
        const std::size_t count = replay.allocations.count();
        const bool fits = replay.event_allocation.size() == events
            && replay.active.size() == events + 1 && replay.reserved.size() == events + 1
            && replay.allocations.end.size() == count && labels.bucket.size() == count
            && labels.role.size() == count && labels.reason.size() == count
            && labels.confidence.size() == count && labels.failed.size() == replay.ooms.size();
        if (!fits) {
            return false;
        }
    }
    return true;
}

Error misshapen()
{
    return {ErrorCode::internal,
            say("The analysis is inconsistent; please report it with the file."),
            {}};
}

using Labeller = std::function<Result<label::Labels>(const Analysis&)>;

/// Runs one stage after the other; each adds its part and publishes. The snapshot is there.
Result<Analysis> runStages(Analysis analysis, const Labeller& labeller, const Options& options,
                           ProgressSink& progress, const std::stop_token& stop,
                           const Publish& publish)
{
    const auto publishNow = [&] {
        ++analysis.generation;
        if (publish) {
            publish(analysis);
        }
    };
    Result<replay::Replay> replay = replay::run(*analysis.snapshot, progress, stop);
    if (!replay.has_value()) {
        return replay.error();
    }
    analysis.replay = std::make_shared<const replay::Replay>(std::move(replay).value());
    if (stop.stop_requested()) {
        return cancelled();
    }
    BlocksBeside blocks(analysis, options.last != Stage::curves, stop);
    Result<label::Labels> labels = labeller(analysis);
    if (!labels.has_value()) {
        return labels.error();
    }
    analysis.inferred = std::make_shared<const label::Labels>(std::move(labels).value());
    if (const auto corrected = applyOptions(analysis, options.rules, stop);
        !corrected.has_value()) {
        return corrected.error();
    }
    if (!areOfOneShape(analysis)) {
        return misshapen();
    }
    if (stop.stop_requested()) {
        return cancelled();
    }
    analysis.curves =
        std::make_shared<const curves::Curves>(curves::build(analysis.replay, *analysis.labels));
    analysis.block_sizes = blocks.sizes();
    publishNow();
    if (options.last == Stage::curves) {
        return analysis;
    }
    std::future<Told> told;
    if (options.last >= Stage::programs) {
        told = beside([labelled = analysis, &stop] { return tellPrograms(labelled, stop); });
    }
    Result<allocator::Baselines> compared = blocks.model(progress);
    if (!compared.has_value()) {
        return compared.error();
    }
    if (stop.stop_requested()) {
        return cancelled();
    }
    takeModel(analysis, std::move(compared).value());
    if (told.valid()) {
        told.get().addTo(analysis);
    }
    if (options.last != Stage::diagnosis) {
        publishNow();
        return analysis;
    }
    if (const auto diagnosed = diagnoseAgain(analysis, progress, stop); !diagnosed.has_value()) {
        return diagnosed.error();
    }
    publishNow();
    return analysis;
}

} // namespace

Result<Analysis> analyze(const std::filesystem::path& file, const Options& options,
                         ProgressSink& progress, std::stop_token stop, const Publish& publish)
{
    return inMemory([&]() -> Result<Analysis> {
        Analysis analysis;
        analysis.file = file;
        analysis.input = options.input;
        Result<trace::Snapshot> snapshot = reader::read(file, options.read, progress, stop);
        if (!snapshot.has_value()) {
            return snapshot.error();
        }
        analysis.snapshot = std::make_shared<const trace::Snapshot>(std::move(snapshot).value());
        const auto labeller = [&](const Analysis& replayed) {
            return label::apply(*replayed.snapshot, *replayed.replay, progress, stop);
        };
        return runStages(std::move(analysis), labeller, options, progress, stop, publish);
    });
}

Result<Analysis> analyzeMade(Result<MadeRun> made, const Options& options, ProgressSink& progress,
                             std::stop_token stop, const Publish& publish)
{
    if (!made.has_value()) {
        return made.error();
    }
    return inMemory([&]() -> Result<Analysis> {
        MadeRun run = std::move(made).value();
        Analysis analysis;
        analysis.file = std::move(run.name);
        analysis.input = options.input;
        analysis.planned = std::make_shared<const diagnose::PlannedFixes>(
            run.fixes ? std::move(run.fixes)
                      : [](std::optional<Bytes>) { return std::vector<diagnose::Fix>(); });
        analysis.snapshot = std::make_shared<const trace::Snapshot>(std::move(run.snapshot));
        const auto labeller = [&run](const Analysis& replayed) -> Result<label::Labels> {
            return run.labels(*replayed.replay);
        };
        return runStages(std::move(analysis), labeller, options, progress, stop, publish);
    });
}

Result<Analysis> withInput(const Analysis& analysis, diagnose::UserInput input,
                           ProgressSink& progress, std::stop_token stop)
{
    return inMemory([&]() -> Result<Analysis> {
        Analysis changed = analysis;
        changed.input = std::move(input);
        ++changed.generation;
        if (const auto diagnosed = diagnoseAgain(changed, progress, stop); !diagnosed.has_value()) {
            return diagnosed.error();
        }
        return changed;
    });
}

Result<Analysis> withCorrections(const Analysis& analysis, std::vector<label::Correction> rules,
                                 diagnose::UserInput input, ProgressSink& progress,
                                 std::stop_token stop, const Publish& publish)
{
    return inMemory([&]() -> Result<Analysis> {
        Analysis changed = analysis;
        changed.input = std::move(input);
        if (const auto corrected = applyRules(changed, std::move(rules), {}, stop);
            !corrected.has_value()) {
            return corrected.error();
        }
        if (!areOfOneShape(changed)) {
            return misshapen();
        }
        changed.curves =
            std::make_shared<const curves::Curves>(curves::build(changed.replay, *changed.labels));
        ++changed.generation;
        if (publish) {
            publish(changed);
        }
        tellPrograms(changed, stop).addTo(changed);
        if (const auto diagnosed = diagnoseAgain(changed, progress, stop); !diagnosed.has_value()) {
            return diagnosed.error();
        }
        ++changed.generation;
        return changed;
    });
}

} // namespace tidemark::pipeline
