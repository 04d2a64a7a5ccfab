// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/user_input.h"

namespace tidemark::ui {

diagnose::UserInput completed(diagnose::UserInput input, const diagnose::UserInput& given)
{
    if (input.message.empty()) {
        input.message = given.message;
    }
    if (!input.capacity) {
        input.capacity = given.capacity;
        input.capacity_unsure = given.capacity_unsure;
        input.capacity_source = given.capacity_source;
        input.capacity_words = given.capacity_words;
    }
    if (input.gpus == 0) {
        input.gpus = given.gpus;
    }
    if (!input.config) {
        input.config = given.config;
        input.config_name = given.config_name;
    }
    return input;
}

} // namespace tidemark::ui
