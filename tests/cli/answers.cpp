// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
//
// tidemark_answers FOLDER FILE...: what `summary`, `labels`, `diagnose` and `program` say of each
// file as JSON, from one reading, two files at a time. That of /a/b.pickle by `labels` becomes
// FOLDER/%a%b.pickle.labels.json.
#include "core/pipeline/pipeline.h"
#include "core/report/json.h"
#include "core/report/labels_list.h"
#include "core/report/program_report.h"
#include "core/report/selection.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace tidemark;

namespace {

constexpr int kAtATime = 2;

/// Where the answers to one file go.
class Answers {
public:
    Answers(const std::filesystem::path& folder, std::string file)
        : m_folder(folder)
    {
        std::ranges::replace(file, '/', '%');
        m_name = std::move(file);
    }
    [[nodiscard]] std::ofstream to(const char* command) const
    {
        std::ofstream stream(m_folder / (m_name + '.' + command + ".json"));
        stream.exceptions(std::ios::failbit | std::ios::badbit);
        return stream;
    }

private:
    const std::filesystem::path& m_folder;
    std::string m_name;
};

/// Whether the file could be read.
bool answer(const std::filesystem::path& folder, const std::string& file)
{
    NoProgress progress;
    const auto analysis = pipeline::analyze(file, {}, progress, {});
    if (!analysis.has_value()) {
        std::fprintf(stderr, "%s: %s\n", file.c_str(), analysis.error().message.c_str());
        return false;
    }
    const diagnose::Analysis& run = analysis.value();
    const auto devices = report::chosenDevices(run, {}).value();
    const Answers answers(folder, file);
    answers.to("summary") << report::toString(report::summaryJson(run)) << '\n';
    answers.to("program") << report::toString(report::programsJson(run, devices)) << '\n';
    answers.to("diagnose") << report::toString(
        report::diagnosisJson(run, run.deviceCount() > 0 ? run.mainDevice() : 0))
                           << '\n';
    std::ofstream labels = answers.to("labels");
    report::writeLabelsJson(labels, run, devices);
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3) {
        std::fputs("usage: tidemark_answers FOLDER FILE...\n", stderr);
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    const std::vector<std::string> files(argv + 2, argv + argc);
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> is_read = true;
    const auto work = [&] {
        for (std::size_t i = next++; i < files.size(); i = next++) {
            if (!answer(folder, files[i])) {
                is_read = false;
            }
        }
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < kAtATime; ++i) {
        threads.emplace_back(work);
    }
    threads.clear();
    return is_read ? 0 : 1;
}
