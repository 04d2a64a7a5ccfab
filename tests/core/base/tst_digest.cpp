// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/digest.h"
#include "tests/support/test_main.h"

#include <QtCore/QByteArray>
#include <QtCore/QCryptographicHash>
#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_digest {

class TstDigest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Every length around the ends of its chunks, and every byte.
    void bothAreThoseOfAnotherLibrary()
    {
        std::string bytes;
        for (int length = 0; length < 300; ++length) {
            const QByteArray same(bytes.data(), static_cast<qsizetype>(bytes.size()));
            QCOMPARE(QByteArray::fromStdString(base64(bytes)), same.toBase64());
            QCOMPARE(QByteArray::fromStdString(sha256(bytes)),
                     QCryptographicHash::hash(same, QCryptographicHash::Sha256));
            bytes += static_cast<char>(length * 7);
        }
    }
};

TIDEMARK_TEST(TstDigest)

} // namespace tidemark::tst_digest

#include "tst_digest.moc"
