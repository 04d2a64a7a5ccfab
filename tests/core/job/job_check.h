// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/read_job.h"

#include <nlohmann/json.hpp>

#include <QtTest/QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

/// The job of a folder, with what explains it.
inline job::Job jobIn(const std::filesystem::path& folder)
{
    const Result<job::Gathered> dumps =
        job::gather(std::vector<std::filesystem::path>{folder}, std::stop_token{});
    if (!dumps.has_value()) {
        return {};
    }
    NoProgress progress;
    Result<job::Job> job = job::readJob(dumps.value(), {}, progress, std::stop_token{});
    return job.has_value() ? std::move(job).value() : job::Job{};
}

/// What is said of it, for a test that fails.
inline std::string textOf(const job::Job& job)
{
    std::string text;
    for (const job::Sentence& sentence : job.sentences) {
        text += sentence.text + '\n';
    }
    for (const job::Outlier& outlier : job.outliers) {
        text += "because: " + outlier.because + '\n';
    }
    for (const std::string& note : job.notes) {
        text += "note: " + note + '\n';
    }
    return text;
}

inline bool saysOf(const job::Job& job, std::string_view words)
{
    return textOf(job).find(words) != std::string::npos;
}

/// Whether the first to fail and the outliers are those that the job's `job.json` names.
inline void compareWithTruth(const std::filesystem::path& folder, const job::Job& job)
{
    const auto truth = nlohmann::json::parse(std::ifstream(folder / "job.json"));
    const auto rankAt = [&job](std::size_t row) { return job.rows[row].rank.value_or(9999); };
    if (truth["first_to_fail"].is_null()) {
        QVERIFY2(!job.first, textOf(job).c_str());
    } else {
        QVERIFY2(job.first.has_value(), textOf(job).c_str());
        QCOMPARE(rankAt(job.first->row), truth["first_to_fail"].get<std::uint32_t>());
    }
    std::vector<std::uint32_t> odd;
    for (const job::Outlier& outlier : job.outliers) {
        odd.push_back(rankAt(outlier.row));
    }
    const auto expected = truth["outliers"].is_null()
        ? std::vector<std::uint32_t>{}
        : truth["outliers"].get<std::vector<std::uint32_t>>();
    QVERIFY2(odd == expected, textOf(job).c_str());
    QVERIFY(job.missing.empty());
}

} // namespace tidemark::test
