// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/simulator.h"

#include "core/allocator/simulated_layout.h"
#include "ui/models/text.h"

#include <utility>
#include <vector>

namespace tidemark::ui {
namespace {

using allocator::Study;
using report::SimulatedDevice;

constexpr int kReportEveryMs = 60;

class Fraction final : public ProgressSink {
public:
    explicit Fraction(std::shared_ptr<std::atomic<double>> fraction)
        : m_fraction(std::move(fraction))
    {
    }
    void report(std::string_view, double fraction) override
    {
        *m_fraction = fraction;
    }

private:
    std::shared_ptr<std::atomic<double>> m_fraction;
};

std::optional<SimulatedDevice> studyOf(const diagnose::Analysis& analysis, std::size_t device,
                                       const allocator::StudyOptions& options,
                                       ProgressSink& progress, const std::stop_token& stop)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const replay::BlockSizes& sizes = (*analysis.block_sizes)[device];
    const allocator::Baseline* const known = analysis.baseline(device);
    Result<Study> study = known != nullptr
        ? allocator::study(*analysis.snapshot, device, replay, sizes, *known, options, progress,
                           stop)
        : allocator::study(*analysis.snapshot, device, replay, sizes, options, progress, stop);
    if (!study.has_value()) {
        return std::nullopt;
    }
    return SimulatedDevice{device, std::move(study).value()};
}

/// The recorded analysis with the places of a simulation.
diagnose::Analysis withPlaces(diagnose::Analysis analysis, std::size_t device,
                              const allocator::SimulatedLayout& layout)
{
    auto replay = std::make_shared<replay::Replay>();
    replay->devices.resize(analysis.deviceCount());
    replay->devices[device] = *layout.replay;
    std::vector<replay::BlockSizes> sizes(analysis.deviceCount());
    sizes[device] = *layout.sizes;
    analysis.replay = std::move(replay);
    analysis.block_sizes =
        std::make_shared<const std::vector<replay::BlockSizes>>(std::move(sizes));
    return analysis;
}

allocator::Settings recordedOf(const diagnose::Analysis& analysis, std::size_t device)
{
    const allocator::Baseline* const known = analysis.baseline(device);
    return known != nullptr ? known->settings
                            : allocator::recordedSettings(analysis.snapshot->settings,
                                                          analysis.snapshot->devices[device]);
}

std::optional<SimulatedRun> runOf(const diagnose::Analysis& analysis, std::size_t device,
                                  const allocator::Conditions& conditions,
                                  const std::stop_token& stop)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const trace::Device& of = analysis.snapshot->devices[device];
    const allocator::Trace trace(*analysis.snapshot, of, replay, (*analysis.block_sizes)[device],
                                 recordedOf(analysis, device));
    NoProgress silent;
    const auto layout =
        allocator::simulateLayout(trace, conditions, {silent, stop, "simulating", 0, 1});
    if (!layout.has_value()) {
        return std::nullopt;
    }
    SimulatedRun run;
    const std::string& settings = conditions.settings.text;
    run.settings = settings.empty() ? Simulator::tr("default settings") : text(settings);
    run.known_until = layout.value().known_until;
    run.reserved_peak = layout.value().simulation.reserved_peak;
    run.reserved_peak_state = layout.value().simulation.reserved_peak_state;
    run.pyramid = MaxPyramid(layout.value().replay->reserved);
    run.device = device;
    run.analysis = withPlaces(analysis, device, layout.value());
    return run;
}

} // namespace

Simulator::Simulator(QObject* parent)
    : QObject(parent)
    , m_fraction(std::make_shared<std::atomic<double>>(0.0))
{
    m_clock.setInterval(kReportEveryMs);
    connect(&m_clock, &QTimer::timeout, this, [this] { Q_EMIT progressed(*m_fraction); });
}

void Simulator::study(const diagnose::Analysis& analysis, std::size_t device,
                      const allocator::StudyOptions& options)
{
    cancel();
    m_fraction = std::make_shared<std::atomic<double>>(0.0);
    m_clock.start();
    m_studies.start(
        this,
        [analysis, device, options, fraction = m_fraction](const std::stop_token& stop) {
            Fraction sink(fraction);
            return studyOf(analysis, device, options, sink, stop);
        },
        [this](const std::shared_ptr<const std::optional<SimulatedDevice>>& study) {
            m_clock.stop();
            if (study->has_value()) {
                Q_EMIT studied({study, &**study});
            }
        });
}

void Simulator::layOut(const diagnose::Analysis& analysis, std::size_t device,
                       const allocator::Simulation& simulation)
{
    m_layouts.start(
        this,
        [analysis, device, conditions = simulation.conditions](const std::stop_token& stop) {
            return runOf(analysis, device, conditions, stop);
        },
        [this](const std::shared_ptr<const std::optional<SimulatedRun>>& run) {
            if (run->has_value()) {
                Q_EMIT laidOut({run, &**run});
            }
        });
}

void Simulator::cancel()
{
    m_clock.stop();
    m_studies.cancel();
    cancelLayout();
}

void Simulator::cancelLayout()
{
    m_layouts.cancel();
}

} // namespace tidemark::ui
