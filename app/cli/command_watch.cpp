// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "core/pipeline/dump_watch.h"
#include "core/report/json.h"
#include "core/report/selection.h"
#include "core/report/text_tools.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

namespace tidemark::cli {
namespace {

struct Options : CommonOptions {
    std::string folder;
    double seconds = 1.0; ///< Between two looks.
    std::size_t most = 0; ///< Dumps after which it ends; 0: never.
};

/// The bands of each device, and what the diagnosis says of it in two sentences.
void printDump(const diagnose::Analysis& analysis)
{
    const report::Terminal terminal = terminalHere();
    for (std::size_t d = 0; d < analysis.snapshot->devices.size(); ++d) {
        const trace::Device& device = analysis.snapshot->devices[d];
        if (device.isEmpty()) {
            continue;
        }
        std::cout << report::deviceName(device) << '\n';
        if (device.events.count() > 0) {
            std::cout << report::terminalTimeline(analysis, d, terminal);
        }
        const diagnose::DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[d];
        for (const std::string& sentence : {diagnosis.headline, diagnosis.fix_headline}) {
            for (const std::string& line :
                 report::wrapText(report::visibleText(sentence),
                                  static_cast<std::size_t>(std::max(40, terminal.columns)))) {
                std::cout << line << '\n';
            }
        }
    }
}

/// Whether there was something to print.
bool printFile(const std::filesystem::path& file, const Options& options)
{
    const Result<diagnose::Analysis> analysis = open(file.string(), options);
    if (!analysis.has_value()) {
        printError(file.string(), analysis.error().message);
        return false;
    }
    if (options.json) {
        const std::size_t device =
            analysis.value().deviceCount() > 0 ? analysis.value().mainDevice() : 0;
        std::cout << report::toString(report::diagnosisJson(analysis.value(), device)) << std::endl;
        return true;
    }
    std::cout << '\n' << report::visibleText(file.string()) << '\n';
    printDump(analysis.value());
    std::cout << std::flush;
    return true;
}

int watch(const Options& options)
{
    pipeline::DumpWatch folder(options.folder);
    if (!options.json) {
        std::cerr << "Watching " << report::visibleText(options.folder)
                  << " for snapshots; Ctrl+C ends it.\n";
    }
    for (std::size_t shown = 0; options.most == 0 || shown < options.most;) {
        const auto files = folder.look();
        if (!files.has_value()) {
            printError(options.folder, files.error().message);
            return kUnusable;
        }
        for (const std::filesystem::path& file : files.value()) {
            shown += printFile(file, options) ? 1U : 0U;
            if (!std::cout || (options.most > 0 && shown == options.most)) {
                return kSuccess;
            }
        }
        std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
    }
    return kSuccess;
}

} // namespace

void addWatch(CLI::App& program, Run& run)
{
    CLI::App* const command = program.add_subcommand(
        "watch", "Waits for snapshots in a folder; draws and explains each as it arrives");
    const auto options = std::make_shared<Options>();
    command->add_option("FOLDER", options->folder, "Where dumps are written")->required();
    command->add_flag("--json", options->json, "Print one JSON object per dump, as diagnose does");
    command->add_option("--every", options->seconds, "Seconds between two looks; default: 1")
        ->check(CLI::Range(0.05, 3600.0));
    command->add_option("--count", options->most, "End after so many dumps; default: never");
    options->rules.use_saved = true;
    command->callback([options, &run] { run = [options] { return watch(*options); }; });
}

} // namespace tidemark::cli
