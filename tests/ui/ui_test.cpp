// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/ui/ui_test.h"

#include "core/diagnose/diagnosis.h"
#include "tests/support/labelled.h"
#include "tests/support/trace_script.h"
#include "ui/views/look/theme.h"

#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QDropEvent>
#include <QtGui/QMouseEvent>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>

namespace tidemark::test {
namespace {

QStringList& warnings()
{
    static QStringList list;
    return list;
}

QtMessageHandler& formerHandler()
{
    static QtMessageHandler handler = nullptr;
    return handler;
}

/// What the platform without a screen says about itself, whatever the program does.
bool isOfThePlatform(const QString& message)
{
    return message.startsWith(QStringLiteral("This plugin does not support"))
        || message.contains(QStringLiteral("XDG_RUNTIME_DIR"));
}

void collect(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if ((type == QtWarningMsg || type == QtCriticalMsg) && !isOfThePlatform(message)) {
        warnings() << message;
        if (qEnvironmentVariableIsSet("TIDEMARK_ABORT_ON_WARNING")) {
            qFatal("%s", qPrintable(message)); // With the stack of whoever is to blame.
        }
    }
    formerHandler()(type, context, message);
}

} // namespace

void UiTest::initTestCase()
{
    ui::applyTheme(*qApp, ui::Theme::light);
    formerHandler() = qInstallMessageHandler(collect);
}

void UiTest::init()
{
    warnings().clear();
}

void UiTest::cleanup()
{
    QVERIFY2(warnings().isEmpty(), qPrintable(warnings().join(u'\n')));
}

void UiTest::cleanupTestCase()
{
    qInstallMessageHandler(formerHandler());
}

diagnose::Analysis analysisOf(std::string_view script)
{
    return analysisOf(snapshotFromScript(script));
}

diagnose::Analysis analysisOf(trace::Snapshot snapshot)
{
    diagnose::Analysis analysis = labelledAnalysis(std::move(snapshot));
    analysis.file = "/runs/script.pickle";
    analysis.generation = 1;
    return analysis;
}

diagnose::Analysis diagnosedAnalysisOf(std::string_view script)
{
    diagnose::Analysis analysis = analysisOf(script);
    diagnose::Diagnosis diagnosis;
    for (std::size_t i = 0; i < analysis.deviceCount(); ++i) {
        const replay::DeviceReplay& replay = analysis.replay->devices[i];
        diagnose::DeviceDiagnosis device;
        device.moment.state = replay.peak;
        device.headline = "A headline";
        device.fix_headline = "A change";
        device.capacity = Bytes{3 * kGiB.value};
        device.overhead = kMiB;
        device.causes.push_back({diagnose::Cause::activations,
                                 0.9,
                                 {{"The peak is here.", replay.peak, StackId::none()}},
                                 {}});
        const Bytes peak = replay.activeAt(replay.peak);
        diagnose::Fix fix;
        fix.id = "micro-batch";
        fix.cost_rank = 1;
        fix.title = "Micro-batch 1/2, accumulation 2";
        fix.status = diagnose::FixStatus::recommended;
        fix.apply = "micro-batch=0.5,accumulation=2";
        fix.saves = {peak.value / 2};
        fix.new_peak = {peak.value / 2};
        fix.new_peak_low = fix.new_peak;
        fix.new_peak_high = fix.new_peak;
        fix.new_need = fix.new_peak;
        fix.new_reserved = {fix.new_need.value + kMiB.value};
        fix.fits = true;
        fix.why = "Half the batch makes half the activations.";
        fix.how = {{"PyTorch", "loss = loss / 2"}, {"HF Trainer", "batch_size=4"}};
        device.fixes.push_back(fix);
        fix.id = "sgd";
        fix.cost_rank = 2;
        fix.title = "SGD";
        fix.status = diagnose::FixStatus::not_applicable;
        fix.apply = "optimizer=sgd";
        fix.fits.reset();
        fix.how.clear();
        device.fixes.push_back(fix);
        diagnosis.devices.push_back(std::move(device));
    }
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    ++analysis.generation;
    return analysis;
}

std::string_view smallRun()
{
    return R"(stack forward = forward /home/me/model.py:10
stack step = adamw /usr/lib/python3/dist-packages/torch/optim/adamw.py:100; step /usr/lib/python3/dist-packages/torch/optim/optimizer.py:50; train /home/me/train.py:20
live w 512M
a +256M @forward
b +512M @forward
b -
c +1G @forward
c -
s +128M @step
a -
d +300M @forward
e +1200M @forward
oom 1G free=512M @forward
)";
}

bool dropFiles(QWidget& window, const QStringList& paths)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& path : paths) {
        urls << QUrl::fromLocalFile(path);
    }
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted()) {
        return false;
    }
    QDropEvent event(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &event);
    return event.isAccepted();
}

void drag(QWidget& widget, const QPointF& from, const QPointF& to, Qt::KeyboardModifiers modifiers)
{
    QTest::mousePress(&widget, Qt::LeftButton, modifiers, from.toPoint());
    QMouseEvent move(QEvent::MouseMove, to, widget.mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                     modifiers);
    QCoreApplication::sendEvent(&widget, &move);
    QTest::mouseRelease(&widget, Qt::LeftButton, modifiers, to.toPoint());
}

QString examplePath()
{
    return QStringLiteral(TIDEMARK_SOURCE_DIR "/tests/data/cases/gpt_oom_backward.pickle");
}

} // namespace tidemark::test
