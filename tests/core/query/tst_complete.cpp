// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/complete.h"
#include "core/query/keys.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_complete {

using namespace tidemark::query;

namespace {

std::string textsOf(std::string_view query)
{
    std::string texts;
    for (const Candidate& candidate : complete(query, query.size()).candidates) {
        texts.append(texts.empty() ? "" : " ").append(candidate.text);
    }
    return texts;
}

/// The query once its first candidate is taken.
std::string taken(std::string query, std::size_t cursor)
{
    const Completion completion = complete(query, cursor);
    return query.replace(completion.begin, completion.end - completion.begin,
                         completion.candidates.at(0).text);
}

} // namespace

class TstComplete : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anEmptyWordOffersAllKeys()
    {
        QCOMPARE(complete("", 0).candidates.size(), keyTable().size());
        QCOMPARE(complete("kept ", 5).candidates.size(), keyTable().size());
        for (const Candidate& candidate : complete("", 0).candidates) {
            QVERIFY(!candidate.what.empty() && !candidate.example.empty());
        }
    }
    void theBeginningOfAKeyOffersThoseWithIt()
    {
        QCOMPARE(textsOf("st"), std::string("stack: step: stream:"));
        QCOMPARE(textsOf("kept -Buck"), std::string("bucket:"));
        QCOMPARE(textsOf("si"), std::string("size>"));
        QCOMPARE(textsOf("live"), std::string("live@"));
        QCOMPARE(textsOf("nothing"), std::string());
        QCOMPARE(textsOf("kept"), std::string()); // It is complete.
    }
    void valuesOfAKeyWithFewAreOffered()
    {
        QCOMPARE(textsOf("bucket:act"), std::string("activation"));
        QCOMPARE(textsOf("bucket:activation,g"), std::string("gradient"));
        QCOMPARE(textsOf("live@"), std::string("start peak oom end"));
        QCOMPARE(textsOf("size>1"), std::string());
        QCOMPARE(textsOf("bucket:activation"), std::string());
    }
    void whatIsTakenReplacesTheWordAtTheCursorAlone()
    {
        QCOMPARE(taken("size>1 buck stack:x", 11), std::string("size>1 bucket: stack:x"));
        QCOMPARE(taken("bucket:act", 10), std::string("bucket:activation"));
        QCOMPARE(taken("-phase:forward,ba", 17), std::string("-phase:forward,backward"));
    }
    void betweenQuotationMarksNothingIsOffered()
    {
        QCOMPARE(textsOf("\"buck"), std::string());
        QCOMPARE(textsOf("stack:\"two buck"), std::string());
    }
};

TIDEMARK_TEST(TstComplete)

} // namespace tidemark::tst_complete

#include "tst_complete.moc"
