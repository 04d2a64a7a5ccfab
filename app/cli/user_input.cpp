// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/user_input.h"

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "core/base/language.h"
#include "core/message/oom_message.h"
#include "core/plan/capacity_text.h"

namespace tidemark::cli {

void addUserInputOptions(CLI::App& command, UserInputOptions& options, WithMessage with_message)
{
    if (with_message == WithMessage::yes) {
        command.add_option("--message", options.message,
                           say("The out-of-memory message, or @LOG: a file that contains it"));
    }
    command.add_option("--capacity", options.capacity, capacityHelp());
    command
        .add_option("--gpus", options.gpus,
                    say("Number of GPUs available; default: from --config, else 1"))
        ->check(numberIn(1, 1000000));
    command.add_option("--config", options.config, configHelp())->allow_extra_args(false);
}

diagnose::UserInput userInput(const UserInputOptions& options)
{
    diagnose::UserInput input;
    input.gpus = options.gpus;
    if (!options.capacity.empty()) {
        valueOrThrow(plan::parseCapacity(options.capacity), "--capacity").giveTo(input);
    }
    if (!options.config.empty()) {
        input.config = valueOrThrow(configFrom(options.config), "--config");
        input.config_name = fileNamesIn(options.config);
    }
    if (!options.message.empty()) {
        input.message = valueOrThrow(textOrFile(options.message), "--message");
        if (!diagnose::parseOomMessage(input.message)) {
            throw CLI::ValidationError(
                "--message",
                say("No out-of-memory message found; give the line that begins with 'CUDA out of "
                    "memory', or the whole log as @LOG."));
        }
    }
    return input;
}

} // namespace tidemark::cli
