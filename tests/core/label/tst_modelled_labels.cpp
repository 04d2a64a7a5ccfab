// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/labels.h"
#include "core/reader/reader.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QtTest/QTest>

#include <fstream>
#include <map>

namespace tidemark::tst_modelled_labels {

using namespace tidemark::label;

namespace {

nlohmann::json truthOf(const std::filesystem::path& file)
{
    std::ifstream in(test::beside(file, ".truth.json"));
    return in ? nlohmann::json::parse(in) : nlohmann::json();
}

/// The true bucket of an allocation of device 0, empty where the truth does not say.
class Truth {
public:
    explicit Truth(const nlohmann::json& json)
    {
        for (const auto& x : json.at("alloc_labels")) {
            m_by_alloc[x[0].get<std::uint32_t>()] = x[1].get<std::string>();
        }
        for (const auto& x : json.at("free_labels")) {
            m_by_free[x[0].get<std::uint32_t>()] = x[1].get<std::string>();
        }
        for (const auto& [address, bucket] : json.at("live_labels").items()) {
            m_by_address[std::stoull(address)] = bucket.get<std::string>();
        }
    }
    std::string of(const replay::Allocations& a, std::size_t i) const
    {
        const auto find = [](const auto& map, auto key) {
            const auto it = map.find(key);
            return it == map.end() ? std::string() : it->second;
        };
        if (!a.alloc_event[i].isNone()) {
            return find(m_by_alloc, a.alloc_event[i].value);
        }
        if (!a.free_event[i].isNone()) {
            return find(m_by_free, a.free_event[i].value);
        }
        return find(m_by_address, a.address[i]);
    }

private:
    std::map<std::uint32_t, std::string> m_by_alloc;
    std::map<std::uint32_t, std::string> m_by_free;
    std::map<Address, std::string> m_by_address;
};

} // namespace

class TstModelledLabels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesAtThePeakCarryTheirTrueBucket_data()
    {
        QTest::addColumn<QString>("file");
        for (const auto& f : test::modelledFiles()) {
            if (std::filesystem::exists(test::beside(f, ".truth.json"))) {
                QTest::newRow(test::bareName(f).c_str()) << QString::fromStdString(f.string());
            }
        }
    }
    void bytesAtThePeakCarryTheirTrueBucket()
    {
        QFETCH(QString, file);
        NoProgress progress;
        const trace::Snapshot snapshot = reader::read(file.toStdString(), {}, progress, {}).value();
        const replay::Replay replay = replay::run(snapshot, progress, {}).value();
        const Labels labels = apply(snapshot, replay, progress, {}).value();
        const auto json = truthOf(file.toStdString());
        const Truth truth(json);
        const replay::DeviceReplay& r = replay.devices[0];
        double all = 0;
        double right = 0;
        double unknown = 0;
        for (const AllocationId a : replay::liveAt(r, r.peak)) {
            const double bytes = static_cast<double>(r.allocations.requested[a.index()].value);
            const std::string is = truth.of(r.allocations, a.index());
            const std::string said(bucketId(labels.devices[0].bucket[a.index()]));
            const bool either = labels.devices[0].role[a.index()] == Role::recomputed
                && (is == "activation" || is == "temporary");
            all += bytes;
            right += said == is || either ? bytes : 0;
            unknown += said == "unknown" ? bytes : 0;
        }
        const std::string figures =
            fmt::format("{:.1f} % right, {:.1f} % unknown", 100 * right / all, 100 * unknown / all);
        qInfo("%s", figures.c_str());
        QVERIFY2(right >= 0.93 * all, figures.c_str());
        QVERIFY2(unknown <= 0.03 * all, figures.c_str());
        if (json.at("cut").get<int>() == 0) {
            QCOMPARE(labels.devices[0].steps.size(), json.at("steps").get<std::size_t>());
        }
    }
};

TIDEMARK_TEST(TstModelledLabels)

} // namespace tidemark::tst_modelled_labels

#include "tst_modelled_labels.moc"
