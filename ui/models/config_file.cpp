// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/config_file.h"

#include "core/config/settings.h"
#include "core/report/fix_words.h"
#include "ui/models/text.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>

#include <algorithm>

namespace tidemark::ui {
namespace {

/// The context of these texts for translators.
struct ConfigFileTexts {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::ConfigFile)
};

Result<std::string> contentOf(const QString& path)
{
    QFile file(path);
    if (QFileInfo::exists(path) && !QFileInfo(path).isFile()) {
        return Error{ErrorCode::cannotOpen,
                     utf8(ConfigFileTexts::tr("Not a regular file; drop a file instead.")),
                     {}};
    }
    if (!file.open(QIODevice::ReadOnly)) {
        return Error{ErrorCode::cannotOpen,
                     utf8(ConfigFileTexts::tr("Cannot read the file: %1.").arg(file.errorString())),
                     {}};
    }
    constexpr qint64 kMost = config::kMostConfigBytes;
    const QByteArray bytes = file.read(kMost + 1);
    if (bytes.size() > kMost) {
        return Error{ErrorCode::tooLarge,
                     utf8(ConfigFileTexts::tr(
                         "Too large for a configuration; drop the script that launches the run.")),
                     {}};
    }
    return bytes.toStdString();
}

bool isConfigByName(const QFileInfo& info)
{
    static const QStringList endings{
        QStringLiteral("yaml"),  QStringLiteral("yml"),    QStringLiteral("toml"),
        QStringLiteral("ini"),   QStringLiteral("cfg"),    QStringLiteral("conf"),
        QStringLiteral("sh"),    QStringLiteral("py"),     QStringLiteral("bash"),
        QStringLiteral("slurm"), QStringLiteral("sbatch"), QStringLiteral("args"),
        QStringLiteral("cmd"),
    };
    return endings.contains(info.suffix().toLower());
}

/// Of a file in JSON.
bool isConfigInside(const QFileInfo& info)
{
    const auto content = contentOf(info.filePath());
    if (!content.has_value()) {
        return false;
    }
    for (const char* word : {"\"device_traces\"", "\"segments\""}) {
        if (content.value().find(word) != std::string::npos) {
            return false;
        }
    }
    const QString name = info.completeBaseName().toLower();
    const bool is_named_so = name.contains(QStringLiteral("config"))
        || name.contains(QStringLiteral("deepspeed")) || name.contains(QStringLiteral("args"));
    return is_named_so || config::readRunConfig(content.value()).has_value();
}

} // namespace

QStringList configsAmong(const QStringList& paths)
{
    QStringList configs;
    for (const QString& path : paths) {
        const QFileInfo info(path);
        const bool is_json = info.suffix().toLower() == QStringLiteral("json");
        if (isConfigByName(info) || (is_json && isConfigInside(info))) {
            configs << path;
        }
    }
    return configs;
}

Result<config::RunConfig> readConfigFiles(const QStringList& paths)
{
    std::vector<std::string> texts;
    for (const QString& path : paths) {
        auto content = contentOf(path);
        if (!content.has_value()) {
            return content.error();
        }
        texts.push_back(std::move(content).value());
    }
    return config::readRunConfigs(texts);
}

QString configSummary(const config::RunConfig& config)
{
    config::RunConfig stated = config;
    stated.on.clear();
    stated.unread.clear();
    QStringList parts;
    for (const std::string& line : report::configLines(stated)) {
        parts << text(line);
    }
    if (!config.on.empty()) {
        QStringList by;
        for (const config::SwitchedOn& one : config.on) {
            by << text(one.by);
        }
        parts << ConfigFileTexts::tr("Already on: %1.").arg(by.join(QStringLiteral(", ")));
    }
    if (!config.unread.empty()) {
        parts << ConfigFileTexts::tr("%Ln setting ignored.|%Ln settings ignored.", nullptr,
                                     static_cast<int>(config.unread.size()));
    }
    return parts.join(u' ');
}

QString configDetails(const config::RunConfig& config)
{
    QStringList lines{ConfigFileTexts::tr("Understood (%1):").arg(text(config.form))};
    for (const auto& [name, value] : config.read) {
        lines << QStringLiteral("  %1 = %2").arg(text(name), text(value));
    }
    if (!config.unread.empty()) {
        lines << ConfigFileTexts::tr("Ignored:");
        for (const std::string& name : config.unread) {
            lines << QStringLiteral("  ") % text(name);
        }
    }
    return lines.join(u'\n');
}

} // namespace tidemark::ui
