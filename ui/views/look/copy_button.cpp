// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/copy_button.h"

#include "ui/views/look/pieces.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QTimer>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kSaidMs = 2000;

struct CopyWords {
    Q_DECLARE_TR_FUNCTIONS(CopyWords)
};

class CopyButton : public QuietButton {
public:
    CopyButton(QWidget* parent, const QString& words)
        : QuietButton(parent, words)
        , m_words(words)
        , m_copied(CopyWords::tr("Copied ✓"))
    {
        m_back.setSingleShot(true);
        m_back.setInterval(kSaidMs);
        connect(&m_back, &QTimer::timeout, this, [this] {
            setText(m_words);
            if (accessibleName() == CopyWords::tr("Copied")) { // Else it got another meanwhile.
                setAccessibleName(m_name);
            }
        });
    }

    void sayCopied()
    {
        if (!m_back.isActive()) {
            m_name = accessibleName();
            setText(m_copied);
            setAccessibleName(CopyWords::tr("Copied"));
        }
        m_back.start();
    }

    [[nodiscard]] QSize sizeHint() const override
    {
        QSize hint = QuietButton::sizeHint();
        const auto width = [this](const QString& words) {
            return fontMetrics().size(Qt::TextShowMnemonic, words).width();
        };
        hint.rwidth() += std::max(width(m_words), width(m_copied)) - width(text());
        return hint;
    }

private:
    QString m_words;
    QString m_copied;
    QString m_name; ///< Accessible, when it says what it does.
    QTimer m_back;
};

} // namespace

QToolButton* makeCopyButton(QWidget* parent, const QString& words)
{
    return new CopyButton(parent, words);
}

QToolButton* makeCopyButton(QWidget* parent, const QString& words, std::function<QString()> text)
{
    auto* button = new CopyButton(parent, words);
    QObject::connect(button, &QToolButton::clicked, button,
                     [button, text = std::move(text)] { copyFrom(*button, text()); });
    return button;
}

void copyFrom(QToolButton& button, const QString& text)
{
    QGuiApplication::clipboard()->setText(text);
    if (auto* copies = dynamic_cast<CopyButton*>(&button)) {
        copies->sayCopied();
    }
}

} // namespace tidemark::ui
