// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/dump_watch.h"
#include "core/remote/far_watch.h"
#include "core/report/json.h"
#include "core/report/selection.h"
#include "core/report/text_tools.h"

#include <unistd.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

namespace tidemark::cli {
namespace {

struct WatchOptions : CommonOptions {
    std::string folder;
    double seconds = 0; ///< Between two looks; 0: as suits the folder.
    std::size_t most = 0; ///< Dumps after which it ends; 0: never.
    bool takes_existing = false; ///< Dumps that are there already, too.
};

/// The bands of each device, and what the diagnosis says of it in two sentences.
void printDump(const diagnose::Analysis& analysis)
{
    report::Terminal terminal = terminalHere();
    if (!isTerminal()) {
        terminal.depth = report::ColourDepth::none; // A log is no terminal, whatever TERM says.
    }
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

/// A dump that arrived: what it is called, and where it can be opened.
struct Dump {
    std::string name;
    std::filesystem::path file;
};

/// Whether there was something to print.
bool printFile(const Dump& dump, const WatchOptions& options)
{
    Result<diagnose::Analysis> analysis = open(dump.file.string(), options);
    if (!analysis.has_value()) {
        printError(dump.name, analysis.error().message);
        return false;
    }
    analysis.value().file = dump.name;
    if (options.json) {
        const std::size_t device =
            analysis.value().deviceCount() > 0 ? analysis.value().mainDevice() : 0;
        std::cout << report::toString(report::diagnosisJson(analysis.value(), device)) << std::endl;
        return true;
    }
    std::cout << '\n' << report::visibleText(dump.name) << '\n';
    printDump(analysis.value());
    std::cout << std::flush;
    return true;
}

/// Says which dumps became complete since the last time.
using Look = std::function<Result<std::vector<Dump>>()>;

Look lookHere(const WatchOptions& watched)
{
    const auto watch =
        std::make_shared<pipeline::DumpWatch>(watched.folder, watched.takes_existing);
    return [watch]() -> Result<std::vector<Dump>> {
        const auto files = watch->look();
        if (!files.has_value()) {
            return files.error();
        }
        std::vector<Dump> dumps;
        for (const std::filesystem::path& file : files.value()) {
            dumps.push_back({file.string(), file});
        }
        return dumps;
    };
}

/// Over ssh.
Look lookThere(const remote::Address& folder, bool takes_existing)
{
    remote::FetchOptions options;
    options.has_terminal = ::isatty(STDIN_FILENO) == 1;
    const auto watch =
        std::make_shared<remote::FarWatch>(folder, options, remote::fetch, takes_existing);
    return [=]() -> Result<std::vector<Dump>> {
        const Result<remote::FarLook> look = watch->look({});
        if (!look.has_value()) {
            return look.error();
        }
        if (!look.value().interruption.empty()) {
            printError(folder.text(), look.value().interruption);
        }
        std::vector<Dump> dumps;
        for (const remote::FarArrival& arrival : look.value().arrived) {
            dumps.push_back({arrival.address.text(), arrival.file});
        }
        return dumps;
    };
}

int watch(const WatchOptions& options)
{
    const auto address = remote::farAddress(options.folder);
    const Look look = address ? lookThere(*address, options.takes_existing) : lookHere(options);
    constexpr double kHere = 1;
    constexpr double kThere = 10; // Each look is a connection.
    const double seconds = options.seconds > 0 ? options.seconds : address ? kThere : kHere;
    bool is_first = true;
    for (std::size_t shown = 0; options.most == 0 || shown < options.most;) {
        const Result<std::vector<Dump>> dumps = look();
        if (!dumps.has_value()) {
            printError(options.folder, dumps.error().message);
            return kUnusable;
        }
        if (std::exchange(is_first, false) && !options.json) {
            std::cerr << say("Watching {} for snapshots; Ctrl+C ends it.",
                             report::visibleText(options.folder))
                      << '\n';
        }
        for (const Dump& dump : dumps.value()) {
            shown += printFile(dump, options) ? 1U : 0U;
            if (!std::cout || (options.most > 0 && shown == options.most)) {
                return kSuccess;
            }
        }
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    }
    return kSuccess;
}

} // namespace

void addWatch(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<WatchOptions>();
    command
        .add_option("FOLDER", options->folder,
                    say("Folder of the dumps, here or on another machine"))
        ->required();
    command.add_flag("--json", options->json,
                     say("Print one JSON object per dump, as diagnose does"));
    command
        .add_option("--every", options->seconds,
                    say("Polling interval in seconds; default: 1, or 10 on another machine"))
        ->check(fractionIn(0.05, 3600.0));
    command.add_flag("--existing", options->takes_existing,
                     say("Print the dumps that are there already, too"));
    command.add_option("--count", options->most, say("Stop after this many dumps; default: never"))
        ->check(numberIn(1, kMostRows));
    options->rules.use_saved = true;
    command.callback([options, &run] { run = [options] { return watch(*options); }; });
}

} // namespace tidemark::cli
