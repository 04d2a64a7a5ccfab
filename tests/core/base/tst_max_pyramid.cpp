// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/max_pyramid.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>

namespace tidemark::tst_max_pyramid {

class TstMaxPyramid : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePyramidFindsTheFirstLargestLikeAScan()
    {
        std::mt19937 random(7);
        for (const std::size_t n : {1UL, 63UL, 64UL, 65UL, 4095UL, 4096UL, 4097UL, 20000UL}) {
            std::vector<std::int64_t> series(n);
            for (auto& v : series) {
                v = static_cast<std::int64_t>(random() % 50);
            }
            const MaxPyramid pyramid(series);
            for (std::size_t leaf = 0; leaf * 64 < n; ++leaf) {
                QCOMPARE(pyramid.leaves()[leaf],
                         pyramid.argMax(series, {leaf * 64, std::min(n, leaf * 64 + 64)}));
            }
            for (int i = 0; i < 300; ++i) {
                std::size_t a = random() % n;
                std::size_t b = random() % n;
                if (a > b) {
                    std::swap(a, b);
                }
                const auto scan =
                    std::max_element(series.begin() + static_cast<std::ptrdiff_t>(a),
                                     series.begin() + static_cast<std::ptrdiff_t>(b) + 1);
                QCOMPARE(pyramid.argMax(series, {a, b + 1}),
                         static_cast<std::size_t>(scan - series.begin()));
                QCOMPARE(pyramid.largest(series, {a, b + 1}), *scan);
            }
        }
    }
};

TIDEMARK_TEST(TstMaxPyramid)

} // namespace tidemark::tst_max_pyramid

#include "tst_max_pyramid.moc"
