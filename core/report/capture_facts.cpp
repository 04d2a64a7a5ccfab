// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/capture_facts.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/json_parts.h"
#include "resources/capture/tidemark_capture.py.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace tidemark::report {
namespace {

using trace::Capture;
using trace::CaptureDevice;

std::string reasonText(const Capture& capture)
{
    if (capture.reason == "oom") {
        return say("at an out-of-memory error, before the stack unwound");
    }
    if (capture.reason == "exception") {
        return capture.error_type.empty() ? say("at an exception")
                                          : say("after the exception {}", capture.error_type);
    }
    constexpr auto kTexts = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"end", toSay("at the end of the recording")},
        {"exit", toSay("when the program ended")},
        {"manual", toSay("when the program requested it")},
        {"window", toSay("after the last step to record")},
        {"signal", toSay("at a signal")},
        {"terminated", toSay("when the launcher ended the program")},
        {"file", toSay("when the trigger file appeared")},
        {"memory", toSay("when reserved memory reached a limit")},
        {"segments", toSay("between two steps, without events")},
    });
    const auto it = std::ranges::find(kTexts, capture.reason, &decltype(kTexts)::value_type::first);
    return it == kTexts.end() ? capture.reason : std::string(translated(it->second));
}

/// In units where it is a number of bytes.
std::string settingText(const std::string& value)
{
    constexpr std::string_view kBytes = " bytes";
    std::int64_t bytes = 0;
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, bytes);
    return error == std::errc{} && std::string_view(rest, end) == kBytes ? formatBytes(Bytes{bytes})
                                                                         : value;
}

std::string deviceText(const CaptureDevice& device)
{
    std::string text = say("GPU {}", device.index);
    if (!device.name.empty()) {
        text += ": " + device.name;
    }
    if (device.total) {
        text += ", " + formatBytes(*device.total);
    }
    if (device.capacity) {
        text += ", " + say("{} for this process", *device.capacity);
    }
    return device.overflowed ? text + ", " + say("the ring buffer was full") : text;
}

std::string rankText(const Capture& capture)
{
    std::string text = capture.world_size ? say("{} of {}", *capture.rank, *capture.world_size)
                                          : fmt::format("{}", *capture.rank);
    if (capture.local_rank) {
        text += ", " + say("local rank {}", *capture.local_rank);
    }
    return text;
}

} // namespace

std::vector<std::pair<std::string, std::string>> captureFacts(const Capture& capture)
{
    std::vector<std::pair<std::string, std::string>> facts;
    facts.emplace_back(say("written"), reasonText(capture));
    if (!capture.torch.empty()) {
        facts.emplace_back(say("program"),
                           say("torch {}, Python {}", capture.torch,
                               capture.python.empty() ? "?" : capture.python));
    }
    if (capture.rank) {
        facts.emplace_back(say("rank"), rankText(capture));
    }
    for (const CaptureDevice& device : capture.devices) {
        facts.emplace_back(say("device"), deviceText(device));
    }
    facts.emplace_back(say("noted"),
                       sayCounted(capture.steps, "{} moments, {} tensor addresses, {} step",
                                  "{} moments, {} tensor addresses, {} steps",
                                  formatCount(static_cast<std::int64_t>(capture.moments.count())),
                                  formatCount(static_cast<std::int64_t>(capture.tensors.count())),
                                  formatCount(capture.steps)));
    if (capture.overhead_us) {
        facts.emplace_back(
            say("overhead"),
            say("{:.3f} s", static_cast<double>(*capture.overhead_us) / 1'000'000.0));
    }
    for (const auto& [name, value] : capture.settings) {
        if (!value.empty()) {
            facts.emplace_back(name, settingText(value));
        }
    }
    for (const std::string& warning : capture.warnings) {
        facts.emplace_back(say("warning"), warning);
    }
    return facts;
}

std::string_view captureModule()
{
    return resources::capture_module();
}

Json captureJson(const std::optional<Capture>& capture)
{
    if (!capture) {
        return nullptr;
    }
    Json devices = Json::array();
    for (const CaptureDevice& device : capture->devices) {
        devices.push_back({{"device", device.index},
                           {"name", device.name},
                           {"total_bytes", orNull(device.total)},
                           {"free_bytes", orNull(device.free)},
                           {"capacity_bytes", orNull(device.capacity)},
                           {"overflowed", device.overflowed}});
    }
    Json settings = Json::object();
    for (const auto& [name, value] : capture->settings) {
        settings[name] = value;
    }
    const Json error = capture->error_type.empty()
        ? Json(nullptr)
        : Json{{"type", capture->error_type}, {"message", capture->error_message}};
    return {{"reason", capture->reason},
            {"torch", capture->torch},
            {"python", capture->python},
            {"rank", orNull(capture->rank)},
            {"local_rank", orNull(capture->local_rank)},
            {"world_size", orNull(capture->world_size)},
            {"devices", std::move(devices)},
            {"settings", std::move(settings)},
            {"error", error},
            {"steps", capture->steps},
            {"moments", capture->moments.count()},
            {"tensors", capture->tensors.count()},
            {"overhead_us", orNull(capture->overhead_us)},
            {"warnings", capture->warnings}};
}

} // namespace tidemark::report
