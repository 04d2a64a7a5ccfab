// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/config_strip.h"

#include "ui/models/config_file.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/strips.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFrame>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>

#include <utility>

namespace tidemark::ui {

ConfigStrip::ConfigStrip(Session& session, NoticeStrip& notices, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_notices(notices)
    , m_words(nullptr)
{
    setObjectName(QStringLiteral("configStrip"));
    auto* outer = new QHBoxLayout(this);
    outer->setContentsMargins(14, 10, 14, 0);
    auto* card = new QFrame(this);
    card->setProperty("notice", true);
    outer->addWidget(card);
    auto* row = new QHBoxLayout(card);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(10);
    m_words = makeText(card, QStringLiteral("configWords"));
    m_words->setFont(smallFont(*this));
    row->addWidget(m_words, 1);
    QToolButton* remove = makeQuietButton(card, tr("Remove"));
    remove->setObjectName(QStringLiteral("removeConfig"));
    remove->setProperty("link", true);
    remove->setFont(smallFont(*this));
    remove->setToolTip(tr("Remove the configuration"));
    row->addWidget(remove, 0, Qt::AlignTop);
    connect(remove, &QToolButton::clicked, this, &ConfigStrip::removeConfig);
    connect(&m_session, &Session::filesChanged, this, &ConfigStrip::refresh);
    refresh();
}

void ConfigStrip::setCurrent(FileId id)
{
    m_current = id;
    refresh();
}

QStringList ConfigStrip::withoutConfigs(const QStringList& paths)
{
    const QStringList configs = configsAmong(paths);
    QStringList others = paths;
    others.removeIf([&](const QString& path) { return configs.contains(path); });
    if (!configs.isEmpty()) {
        take(configs, !others.isEmpty());
    }
    return others;
}

bool ConfigStrip::take(const QStringList& paths, bool keep_for_others)
{
    QStringList names;
    for (const QString& path : paths) {
        names << QFileInfo(path).fileName();
    }
    const QString name = names.join(QStringLiteral(" + "));
    auto config = readConfigFiles(paths);
    if (!config.has_value()) {
        m_notices.showFailure(name % QStringLiteral(": ") % text(config.error().message));
        return false;
    }
    m_next = {};
    m_next.config = std::move(config).value();
    m_next.config_name = utf8(name);
    if (keep_for_others) {
        return true;
    }
    if (m_session.find(m_current) != nullptr) {
        useFor(std::span(&m_current, 1));
    } else {
        m_notices.showNotice(tr("%1 applies to the next snapshot you open.").arg(name));
        refresh();
    }
    return true;
}

void ConfigStrip::useFor(std::span<const FileId> ids)
{
    if (!m_next.config || ids.empty()) {
        return;
    }
    const diagnose::UserInput config = std::exchange(m_next, {});
    for (const FileId id : ids) {
        apply(id, config);
    }
    refresh();
}

void ConfigStrip::apply(FileId id, const diagnose::UserInput& config)
{
    const OpenFile* file = m_session.find(id);
    // One that is being opened with it needs nothing more.
    if (file == nullptr || (file->is_loading && file->input.config_name == config.config_name)) {
        return;
    }
    diagnose::UserInput input = file->input;
    input.config = config.config;
    input.config_name = config.config_name;
    m_session.setUserInput(id, input);
    m_notices.showNotice(tr("Diagnosing %1 again with %2.")
                             .arg(fileName(file->analysis.file), text(config.config_name)));
}

void ConfigStrip::choose()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Run configuration"), {},
        tr("Configurations (*.json *.yaml *.yml *.toml *.ini *.cfg *.conf *.sh *.bash *.slurm "
           "*.sbatch *.args *.txt);;All files (*)"));
    if (!path.isEmpty()) {
        take({path});
    }
}

void ConfigStrip::removeConfig()
{
    const OpenFile* file = m_session.find(m_current);
    if (file != nullptr && file->input.config) {
        diagnose::UserInput input = file->input;
        input.config.reset();
        input.config_name.clear();
        m_session.setUserInput(m_current, input);
    } else {
        m_next = {};
    }
    refresh();
}

const diagnose::UserInput* ConfigStrip::shown() const
{
    const OpenFile* file = m_session.find(m_current);
    if (file != nullptr && file->input.config) {
        return &file->input;
    }
    return m_next.config ? &m_next : nullptr;
}

void ConfigStrip::refresh()
{
    const diagnose::UserInput* input = shown();
    setVisible(input != nullptr);
    if (input == nullptr) {
        return;
    }
    const QString name =
        input->config_name.empty() ? text(input->config->form) : text(input->config_name);
    const QString begin = input == &m_next ? tr("Configuration of the next snapshot, %1:")
                                           : tr("Configuration of the run, %1:");
    m_words->setText(begin.arg(name) % u' ' % configSummary(*input->config));
    m_words->setToolTip(configDetails(*input->config));
}

} // namespace tidemark::ui
