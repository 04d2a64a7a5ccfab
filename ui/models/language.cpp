// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/language.h"

#include "core/base/language.h"
#include "core/base/languages.h"
#include "ui/models/text.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QLibraryInfo>
#include <QtCore/QLocale>
#include <QtCore/QTranslator>

#include <algorithm>

namespace tidemark::ui {
namespace {

/// Answers `tr()` of this program's classes from the catalogue in use.
class CatalogueTranslator final : public QTranslator {
public:
    using QTranslator::QTranslator;

    [[nodiscard]] bool isEmpty() const override
    {
        return false;
    }

    [[nodiscard]] QString translate(const char* context, const char* source,
                                    const char* /*disambiguation*/, int n) const override
    {
        std::string_view english(source);
        if (!std::string_view(context).starts_with("tidemark::")) {
            return {}; // The toolkit's own words.
        }
        if (n >= 0) {
            const std::size_t border = english.find('|');
            english = n == 1 || border == std::string_view::npos ? english.substr(0, border)
                                                                 : english.substr(border + 1);
        }
        QString words = text(translated(english));
        // Before the toolkit does it, which groups digits from 1,000 on.
        return n >= 0 ? words.replace(QStringLiteral("%Ln"), countText(n)) : words;
    }
};

QString translatorName()
{
    return QStringLiteral("tidemarkTranslator");
}

/// Keeps and installs a translator that was loaded; drops one that was not.
void install(QTranslator* translator, bool is_loaded)
{
    if (is_loaded) {
        translator->setObjectName(translatorName());
        QCoreApplication::installTranslator(translator);
    } else {
        delete translator;
    }
}

} // namespace

bool isLanguage(const QString& code)
{
    return std::ranges::any_of(builtInLanguages(),
                               [&](const BuiltInLanguage& each) { return code == text(each.id); });
}

QString languageFor(const QString& choice, const QStringList& system)
{
    if (isLanguage(choice)) {
        return choice;
    }
    for (const QString& locale : system) {
        const QString code = locale.section(u'-', 0, 0).section(u'_', 0, 0);
        if (isLanguage(code)) {
            return code;
        }
    }
    return text(builtInLanguages().front().id);
}

void speakLanguage(const QString& code)
{
    QCoreApplication* const program = QCoreApplication::instance();
    qDeleteAll(program->findChildren<QTranslator*>(translatorName(), Qt::FindDirectChildrenOnly));
    const QString name = languageFor(code, {});
    QLocale::setDefault(QLocale(name));
    const Result<Done> said = useLanguage(utf8(name)); // The sentences of core.
    Q_ASSERT_X(said.has_value(), "speakLanguage", utf8(name).c_str());
    // The words of the toolkit's own buttons and dialogs, where it is installed with them.
    auto* toolkit = new QTranslator(program);
    install(toolkit,
            toolkit->load(QStringLiteral("qtbase_") + name,
                          QLibraryInfo::path(QLibraryInfo::TranslationsPath)));
    install(new CatalogueTranslator(program), true);
}

QString inSentence(const QString& name)
{
    return language().has_capital_nouns ? name : name.toLower();
}

} // namespace tidemark::ui
