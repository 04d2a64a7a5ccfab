// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// resources/traps.json, read.
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/message/log_window.h"
#include "core/message/texts.h"
#include "core/message/traps.h"
#include "core/message/word_finder.h"
#include "resources/traps.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace tidemark::diagnose {
namespace {

using TrapJson = nlohmann::ordered_json;

Cause causeOfTrap(std::string_view id)
{
    const auto* const found = std::ranges::find(kCauses, id, &CauseInfo::id);
    return found == kCauses.end() ? Cause::unclear : found->cause;
}

/// The catalogue has libraries' own names in lower case; fixes have names for people.
std::string frameworkName(const std::string& name)
{
    static const std::map<std::string, std::string, std::less<>> kNames{
        {"pytorch", "PyTorch"},
        {"transformers", "HF Trainer"},
        {"trl", "TRL"},
        {"accelerate", "Accelerate"},
        {"lightning", "Lightning"},
        {"deepspeed", "DeepSpeed"},
        {"fsdp", "FSDP"},
        {"vllm", "vLLM"},
        {"sglang", "SGLang"},
        {"verl", "veRL"},
        {"megatron", "Megatron"},
        {"linux", "Linux"},
        {"windows", "Windows"},
        {"wsl", "WSL"},
        {"docker", "Docker"},
        {"kubernetes", "Kubernetes"},
        {"slurm", "Slurm"},
        {"jax", "JAX"},
        {"comfyui", "ComfyUI"},
        {"peft", "PEFT"},
        {"ray", "Ray"}};
    const auto found = kNames.find(name);
    return found == kNames.end() ? name : found->second;
}

InSnapshot inSnapshotOf(std::string_view word)
{
    return word == "line" ? InSnapshot::line
        : word == "own"   ? InSnapshot::own
        : word == "copy"  ? InSnapshot::copy
        : word == "peak"  ? InSnapshot::peak
        : word == "oom"   ? InSnapshot::oom
        : word == "graph" ? InSnapshot::graph
                          : InSnapshot::no;
}

class CatalogueReader {
public:
    TrapCatalogue read()
    {
        const TrapJson file = TrapJson::parse(resources::trapsJson());
        for (const TrapJson& entry : file.at("traps")) {
            m_out.traps.push_back(trapOf(entry));
        }
        return std::move(m_out);
    }

private:
    Trap trapOf(const TrapJson& entry)
    {
        const TrapJson& signs = entry.at("signs");
        Trap trap;
        trap.id = entry.at("id");
        trap.cause = causeOfTrap(entry.at("cause").get<std::string>());
        trap.say = entry.at("say");
        trap.next = entry.at("next");
        trap.source = entry.at("source");
        trap.library = signs.value("library", "");
        trap.figures = signs.value("figures", "");
        trap.strength = entry.at("strength");
        trap.in_snapshot = inSnapshotOf(entry.at("in_snapshot").get<std::string>());
        for (const TrapJson& sign : signs.at("any")) {
            TrapSign parts;
            parts.strength = sign.value("strength", trap.strength);
            parts.figures = sign.value("figures", "");
            for (const TrapJson& phrase : sign.value("phrases", TrapJson::array())) {
                parts.phrases.push_back(phraseIndex(phrase));
            }
            for (const TrapJson& frame : sign.value("frames", TrapJson::array())) {
                parts.frames.push_back(frameIndex(frame));
            }
            for (const TrapJson& relation : sign.value("options", TrapJson::array())) {
                parts.options.push_back(m_out.options.size());
                m_out.options.push_back(optionOf(relation.get<std::string>()));
            }
            for (const TrapJson& fault : sign.value("code", TrapJson::array())) {
                parts.faults.push_back(codeFaultOf(fault.get<std::string>()).value());
            }
            if (sign.contains("says")) {
                parts.sayings.push_back(m_out.sayings.size());
                m_out.sayings.push_back(
                    {sign.at("says").get<std::vector<std::vector<std::string>>>(),
                     sign.value("unless", std::vector<std::string>())});
            }
            trap.signs.push_back(std::move(parts));
        }
        for (const TrapJson& phrase : signs.value("not", TrapJson::array())) {
            trap.absent.push_back(phraseIndex(phrase));
        }
        for (const TrapJson& line : entry.at("fixes")) {
            trap.lines.push_back(lineOf(line));
        }
        trap.never = entry.at("never").get<std::vector<std::string>>();
        return trap;
    }

    static TrapLine lineOf(const TrapJson& entry)
    {
        TrapLine line{entry.value("id", ""),
                      frameworkName(entry.at("framework")),
                      entry.at("line").get<std::string>(),
                      {},
                      {}};
        if (entry.contains("behind")) {
            line.stated = line.line;
            const std::string unstated = entry.at("unstated");
            line.line = lineFilledIn(line.stated, {{"number", unstated}, {"share", unstated}});
            for (const TrapJson& phrase : entry.at("behind")) {
                line.behind.push_back(squeezedText(phrase.get<std::string>()));
            }
        }
        return line;
    }

    /// "gpu_memory_utilization>=0.95".
    static TrapOption optionOf(const std::string& relation)
    {
        const std::size_t sign = relation.find_first_of("<>=");
        const std::size_t number = relation.find_first_not_of("<>=", sign);
        TrapOption option{relation.substr(0, sign), relation.substr(sign, number - sign), 0};
        std::from_chars(relation.data() + number, relation.data() + relation.size(), option.number);
        return option;
    }

    std::size_t phraseIndex(const std::string& phrase)
    {
        const std::string small = lowered(phrase);
        const auto [at, is_new] = m_phrases.try_emplace(small, m_out.phrases.size());
        if (is_new) {
            m_out.phrases.push_back(small);
            std::string squeezed_phrase;
            for (const char c : small) {
                if (const char kept = squeezed(c); kept != '\0') {
                    squeezed_phrase.push_back(kept);
                }
            }
            m_out.squeezed_phrases.push_back(std::move(squeezed_phrase));
        }
        return at->second;
    }

    std::size_t frameIndex(const std::string& frame)
    {
        const auto [at, is_new] = m_frames.try_emplace(frame, m_out.frames.size());
        if (!is_new) {
            return at->second;
        }
        const std::size_t colon = frame.rfind(':');
        m_out.frames.push_back({frame.substr(0, colon), frame.substr(colon + 1)});
        const std::string& path = m_out.frames.back().path;
        if (path == "*") {
            return at->second;
        }
        const std::string name = lowered(path.substr(path.rfind('/') + 1));
        const auto [file, is_new_file] = m_files.try_emplace(name, m_out.files.size());
        if (is_new_file) {
            m_out.files.push_back(name);
            m_out.frames_of_file.emplace_back();
        }
        m_out.frames_of_file[file->second].push_back(at->second);
        return at->second;
    }

    TrapCatalogue m_out;
    std::map<std::string, std::size_t> m_phrases;
    std::map<std::string, std::size_t> m_frames;
    std::map<std::string, std::size_t> m_files;
};

} // namespace

const TrapCatalogue& trapCatalogue()
{
    static const TrapCatalogue kCatalogue = CatalogueReader().read();
    return kCatalogue;
}

std::string claimOf(const Trap& trap)
{
    std::string claim(translated(trap.say));
    while (!claim.empty() && claim.back() == '.') {
        claim.pop_back();
    }
    return claim;
}

bool isOfLibrary(const Trap& trap, std::string_view path)
{
    static constexpr std::array<std::string_view, 4> kOfTorch{"fsdp", "monai", "mmdet", "torch"};
    if (trap.library.empty() || std::ranges::find(kOfTorch, trap.library) != kOfTorch.end()) {
        return true;
    }
    const std::string small =
        lowered(path.substr(path.size() - std::min(path.size(), kMostTrapPath)));
    std::string name = trap.library;
    std::ranges::replace(name, '-', '_');
    const std::size_t packages = small.find("-packages/");
    return small.find(name, packages == std::string::npos ? 0 : packages) != std::string::npos
        || small.find("-packages/torch/") != std::string::npos;
}

void addLine(const TrapLine& line, std::vector<std::pair<std::string, std::string>>& how)
{
    const auto known =
        std::ranges::find(how, line.framework, &std::pair<std::string, std::string>::first);
    if (known == how.end()) {
        how.emplace_back(line.framework, line.line);
    } else {
        known->second += '\n' + line.line;
    }
}

} // namespace tidemark::diagnose
