// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "core/label/stacks/stack_text.h"
#include "core/pipeline/redaction.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace tidemark::pipeline {
namespace {

using trace::Snapshot;

constexpr std::string_view kHiddenText = "(hidden)";

/// Keys of what a program noted of its surroundings; nobody needs their values.
bool tellsSurroundings(std::string_view key)
{
    constexpr std::array<std::string_view, 13> kKeys{
        "env",  "environ", "user", "username", "login", "host",   "hostname",
        "node", "cwd",     "argv", "command",  "home",  "address"};
    const std::string word = loweredAlphanumeric(key);
    return word.starts_with("env")
        || std::ranges::any_of(kKeys, [&](std::string_view k) { return word == k; });
}

enum class TextUse : std::uint8_t { text, library_function, function, path };

/// torch's own C++ is public as well, though its namespaces are known, not its files.
bool isOfLibrary(const Snapshot& snapshot, FrameId frame)
{
    const label::FrameOrigin origin = label::frameOrigin(snapshot, frame);
    const std::string_view name = snapshot.text(snapshot.stacks.frame(frame).name);
    return origin == label::FrameOrigin::library || origin == label::FrameOrigin::noise
        || (origin == label::FrameOrigin::native
            && (name.starts_with("at::") || name.starts_with("c10::")
                || name.starts_with("torch::")));
}

/// What frames use a snapshot's texts for, the most private use of each. A library's functions have
/// public names: `max_pool2d` stays where a user is called max.
std::vector<TextUse> usesOf(const Snapshot& snapshot)
{
    std::vector<TextUse> uses(snapshot.strings.size());
    const auto note = [&uses](StringId id, TextUse use) {
        if (!id.isNone()) {
            uses[id.index()] = std::max(uses[id.index()], use);
        }
    };
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const FrameId id(static_cast<std::uint32_t>(f));
        const Frame& frame = snapshot.stacks.frame(id);
        note(frame.filename, TextUse::path);
        note(frame.name, isOfLibrary(snapshot, id) ? TextUse::library_function : TextUse::function);
    }
    return uses;
}

/// The same texts and stacks under the same ids.
void copyPools(const Snapshot& from, Snapshot& to, Redaction& names)
{
    const std::vector<TextUse> uses = usesOf(from);
    for (std::size_t i = 0; i < from.strings.size(); ++i) {
        const std::string_view text = from.strings.text(StringId(static_cast<std::uint32_t>(i)));
        std::string made = uses[i] == TextUse::path ? names.path(text)
            : uses[i] == TextUse::function          ? names.name(text)
            : uses[i] == TextUse::library_function  ? std::string(text)
                                                    : names.text(text);
        // Texts that were different are different.
        while (to.strings.intern(made).index() != i) {
            made += "'";
        }
    }
    for (std::size_t f = 0; f < from.stacks.frameCount(); ++f) {
        to.stacks.internFrame(from.stacks.frame(FrameId(static_cast<std::uint32_t>(f))));
    }
    for (std::size_t s = 0; s < from.stacks.stackCount(); ++s) {
        to.stacks.internStack(from.stacks.frames(StackId(static_cast<std::uint32_t>(s))));
    }
}

void noteNames(const Snapshot& snapshot, Redaction& names)
{
    const std::vector<TextUse> uses = usesOf(snapshot);
    for (std::size_t i = 0; i < snapshot.strings.size(); ++i) {
        const std::string_view text =
            snapshot.strings.text(StringId(static_cast<std::uint32_t>(i)));
        if (uses[i] == TextUse::path) {
            names.notePath(text);
        } else if (uses[i] == TextUse::text) {
            names.noteText(text);
        }
    }
    names.noteText(snapshot.settings.conf);
    for (const trace::InputNote& note : snapshot.notes.all()) {
        names.noteText(note.text);
    }
    if (snapshot.capture) {
        names.noteText(snapshot.capture->error_message);
        for (const auto& setting : snapshot.capture->settings) {
            names.noteText(setting.second);
        }
        for (const std::string& moment : snapshot.capture->moments.name) {
            names.noteText(moment);
        }
        for (const std::string& warning : snapshot.capture->warnings) {
            names.noteText(warning);
        }
    }
}

/// Of what people said about a run.
void noteNames(const diagnose::Analysis& run, Redaction& names)
{
    names.noteText(run.input.message);
    names.noteText(run.input.config_name);
    names.noteText(run.input.capacity_source);
    if (run.input.config) {
        for (const auto& setting : run.input.config->read) {
            names.noteText(setting.second);
        }
        for (const std::string& one : run.input.config->unread) {
            names.noteText(one);
        }
    }
    if (run.corrections != nullptr) {
        for (const label::Correction& rule : run.corrections->rules) {
            names.noteText(rule.note);
            names.notePath(rule.source);
            names.notePath(rule.match.file);
        }
    }
}

trace::InputNotes hidden(const trace::InputNotes& notes, Redaction& names)
{
    trace::InputNotes made;
    for (const trace::InputNote& note : notes.all()) {
        made.add(note.code, names.text(note.text), note.count);
    }
    return made;
}

void hideSettings(std::vector<std::pair<std::string, std::string>>& settings, Redaction& names)
{
    for (auto& [key, value] : settings) {
        value = tellsSurroundings(key) ? std::string(kHiddenText) : names.text(value);
    }
}

void hide(trace::Capture& capture, Redaction& names)
{
    hideSettings(capture.settings, names);
    capture.error_type = names.name(capture.error_type);
    capture.error_message = names.text(capture.error_message);
    for (std::string& name : capture.moments.name) {
        name = names.text(name);
    }
    for (trace::CaptureThing& thing : capture.things) {
        thing.name = names.name(thing.name);
    }
    for (std::string& warning : capture.warnings) {
        warning = names.text(warning);
    }
}

Snapshot hidden(const Snapshot& snapshot, Redaction& names)
{
    Snapshot made;
    made.format = snapshot.format;
    made.devices = snapshot.devices;
    copyPools(snapshot, made, names);
    made.annotations = snapshot.annotations;
    made.settings = snapshot.settings;
    made.settings.conf = names.text(made.settings.conf);
    hideSettings(made.settings.others, names);
    made.fx = snapshot.fx;
    made.capture = snapshot.capture;
    if (made.capture) {
        hide(*made.capture, names);
    }
    made.other_fields = snapshot.other_fields;
    for (trace::OtherField& field : made.other_fields) {
        if (tellsSurroundings(snapshot.text(field.key))) {
            field.value = made.strings.intern(kHiddenText);
        }
    }
    made.notes = hidden(snapshot.notes, names);
    made.file_bytes = snapshot.file_bytes;
    return made;
}

/// Labels as they were found, in texts without names.
std::shared_ptr<const label::Labels> hidden(const std::shared_ptr<const label::Labels>& labels,
                                            Redaction& names)
{
    if (labels == nullptr) {
        return nullptr;
    }
    auto made = std::make_shared<label::Labels>(*labels);
    for (label::DeviceLabels& device : made->devices) {
        for (label::Reason& reason : device.reasons) {
            reason.rule = names.name(reason.rule);
            reason.evidence = names.text(reason.evidence);
        }
        device.notes = hidden(device.notes, names);
    }
    return made;
}

std::shared_ptr<const label::Corrections>
hidden(const std::shared_ptr<const label::Corrections>& corrections, Redaction& names)
{
    if (corrections == nullptr) {
        return nullptr;
    }
    auto made = std::make_shared<label::Corrections>(*corrections);
    for (label::Correction& rule : made->rules) {
        rule.id = names.name(rule.id);
        rule.note = names.text(rule.note);
        rule.source = names.path(rule.source);
        rule.match.file = names.path(rule.match.file);
        rule.match.function = names.name(rule.match.function);
        for (label::FrameText& frame : rule.match.stack) {
            frame.filename = names.path(frame.filename);
            frame.name = names.name(frame.name);
        }
    }
    made->notes = hidden(made->notes, names);
    return made;
}

std::shared_ptr<const std::vector<program::Program>>
hidden(const std::shared_ptr<const std::vector<program::Program>>& programs, Redaction& names)
{
    if (programs == nullptr) {
        return nullptr;
    }
    auto made = std::make_shared<std::vector<program::Program>>(*programs);
    for (program::Program& program : *made) {
        program.unidentified = names.text(program.unidentified);
        for (program::Dimension& dimension : program.dimensions) {
            dimension.evidence = names.text(dimension.evidence);
        }
    }
    return made;
}

void hide(diagnose::UserInput& input, Redaction& names)
{
    input.message = names.text(input.message);
    input.config_name = names.path(input.config_name);
    input.capacity_source = names.text(input.capacity_source);
    if (!input.config) {
        return;
    }
    for (auto& [key, value] : input.config->read) {
        value = tellsSurroundings(key) ? std::string(kHiddenText) : names.text(value);
    }
    for (std::string& one : input.config->unread) {
        one = names.text(one);
    }
    for (config::SwitchedOn& on : input.config->on) {
        on.by = names.text(on.by);
    }
}

} // namespace

bool isRedacted(const diagnose::Analysis& analysis)
{
    return analysis.snapshot->notes.find(kRedactedNote) != nullptr;
}

Result<Done> redact(std::span<diagnose::Analysis> runs, Redaction& names, ProgressSink& progress,
                    const std::stop_token& stop)
{
    for (const diagnose::Analysis& run : runs) {
        names.noteFile(run.file.string());
        noteNames(run, names);
        noteNames(*run.snapshot, names);
    }
    for (diagnose::Analysis& run : runs) {
        Snapshot snapshot = hidden(*run.snapshot, names);
        run.file = names.path(run.file.string());
        hide(run.input, names);
        run.inferred = hidden(run.inferred, names);
        run.labels = hidden(run.labels, names);
        run.corrections = hidden(run.corrections, names);
        run.programs = hidden(run.programs, names);
        snapshot.notes.add(kRedactedNote, names.sentence());
        run.snapshot = std::make_shared<const Snapshot>(std::move(snapshot));
        ++run.generation;
        if (run.diagnosis == nullptr) {
            continue;
        }
        Result<diagnose::Diagnosis> diagnosis = diagnose::run(run, progress, stop);
        if (!diagnosis.has_value()) {
            return diagnosis.error();
        }
        run.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis).value());
    }
    return Done{};
}

} // namespace tidemark::pipeline
