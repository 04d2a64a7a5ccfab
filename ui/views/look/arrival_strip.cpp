// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/arrival_strip.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>

#include <cmath>

namespace tidemark::ui {
namespace {

constexpr int kArrivedSteps = 1000;

} // namespace

ArrivalStrip::ArrivalStrip(QWidget* parent)
    : QWidget(parent)
    , m_words(new QLabel(this))
    , m_bar(new QProgressBar(this))
{
    setObjectName(QStringLiteral("arrivalStrip"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 8, 16, 0);
    row->setSpacing(12);
    m_words->setObjectName(QStringLiteral("arrivalWords"));
    row->addWidget(m_words);
    m_bar->setObjectName(QStringLiteral("arrivalBar"));
    m_bar->setAccessibleName(tr("Download progress"));
    m_bar->setRange(0, kArrivedSteps);
    m_bar->setTextVisible(false);
    row->addWidget(m_bar, 1);
    auto* stop = new QPushButton(tr("Stop"), this);
    stop->setObjectName(QStringLiteral("stopArrival"));
    row->addWidget(stop);
    connect(stop, &QPushButton::clicked, this, &ArrivalStrip::stopRequested);
    hide();
}

void ArrivalStrip::show(const QString& words, double share)
{
    m_words->setText(words);
    m_bar->setValue(static_cast<int>(std::lround(share * kArrivedSteps)));
    setVisible(true);
}

} // namespace tidemark::ui
