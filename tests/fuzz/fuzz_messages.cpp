// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"
#include "tests/fuzz/fuzz_input.h"

#include <cstdlib>
#include <string>

/// Any text is explained: with a cause, with figures inside their intervals, and with sentences
/// that have no name left to fill in.
int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    using namespace tidemark::diagnose;
    const std::string text(data, data + size);
    const Explanation explanation = explain(text);
    if (explanation.causes.empty() || explanation.headline.empty()) {
        std::abort();
    }
    for (const OomMessage& message : explanation.findings.messages) {
        for (const PrintedFigure& figure : message.printed) {
            if (figure.low > figure.bytes || figure.bytes > figure.high) {
                std::abort();
            }
        }
    }
    // A name that no figure was filled in for; the text itself may hold the sign.
    if (text.find("\xc2") == std::string::npos) {
        std::string said = explanation.headline + explanation.explanation;
        for (const CauseFinding& finding : explanation.causes) {
            for (const Evidence& evidence : finding.evidence) {
                said += evidence.text;
            }
        }
        for (const Fix& fix : explanation.fixes) {
            said += fix.title + fix.why;
        }
        if (said.find("«") != std::string::npos) {
            std::abort();
        }
    }
    return 0;
}
