// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/module_paths.h"

#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/label/bucket.h"
#include "core/label/captured/captured_tensors.h"
#include "core/label/modules/module_names.h"
#include "core/label/stacks/stack_rules.h"
#include "core/label/stacks/traceback.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tidemark::label {
namespace {

/// One Python frame as the chain needs it.
struct PythonFrame {
    std::string_view name;
    std::string_view file;
    std::int64_t line = 0;
    bool is_user = false;
    const ModuleNames::Entry* module = nullptr; ///< Of a library's file.
};

std::string lineText(const PythonFrame& frame)
{
    const bool says_more = frame.name != "forward" && frame.name != "<module>";
    const std::string line = frame.line > 0 ? fmt::format(":{}", frame.line) : std::string();
    return fmt::format("{}{}{}{}", shownName(baseName(frame.file)), line, says_more ? " " : "",
                       says_more ? shownName(frame.name) : std::string());
}

bool endsIn(std::string_view file, std::string_view end)
{
    return file.size() >= end.size()
        && std::equal(end.rbegin(), end.rend(), file.rbegin(), [](char wanted, char c) {
               return wanted == c || (wanted == '/' && c == '\\');
           });
}

/// "<genexpr>", "<listcomp>", "<lambda>": the function around it says more.
bool isInline(const PythonFrame& frame)
{
    return frame.name.starts_with('<') && frame.name != "<module>";
}

/// A `forward` that belongs to a module, not to an autograd function, whose caller is `apply`.
bool isForward(const PythonFrame& frame, const PythonFrame* caller)
{
    if (frame.name != "forward") {
        return false;
    }
    const bool is_function = caller != nullptr && caller->name == "apply"
        && endsIn(caller->file, "torch/autograd/function.py");
    return !is_function;
}

/// The parts of a chain of frames, outermost first. `isPart` says which frames are modules.
class Chain {
public:
    explicit Chain(const std::vector<PythonFrame>& frames)
        : m_frames(frames)
    {
    }

    /// Empty where no module ran.
    std::vector<std::string> forward()
    {
        return collect([this](std::size_t i) {
            return isForward(m_frames[i], i == 0 ? nullptr : &m_frames[i - 1]);
        });
    }
    std::vector<std::string> construction()
    {
        m_is_built = true;
        return collect([this](std::size_t i) { return m_frames[i].name == "__init__"; });
    }

private:
    template <class IsPart>
    std::vector<std::string> collect(const IsPart& is_part)
    {
        m_parts.clear();
        m_seen_module = false;
        const PythonFrame* helper = nullptr; // the user's innermost function since the last part
        for (std::size_t i = 0; i < m_frames.size(); ++i) {
            const PythonFrame& frame = m_frames[i];
            if (!is_part(i)) {
                helper = frame.is_user && !isInline(frame) ? &frame : helper;
                continue;
            }
            const std::string name = nameOf(i);
            // A class and the one it is derived from stand in one file and have one name.
            const bool is_base =
                m_is_built && helper == nullptr && !m_parts.empty() && m_parts.back() == name;
            if (!name.empty() && !is_base) {
                addHelper(helper);
                m_parts.push_back(name);
                m_seen_module = true;
            }
        }
        if (m_seen_module) {
            addHelper(helper);
        }
        return m_seen_module ? std::move(m_parts) : std::vector<std::string>();
    }

    void addHelper(const PythonFrame*& helper)
    {
        if (helper != nullptr) {
            m_parts.push_back(lineText(*helper));
            helper = nullptr;
        }
    }

    /// Empty for what only passes calls on.
    [[nodiscard]] std::string nameOf(std::size_t i) const
    {
        const PythonFrame& frame = m_frames[i];
        if (frame.is_user || frame.module == nullptr) {
            return lineText(frame);
        }
        if (m_is_built) {
            return frame.module->built_by;
        }
        return frame.module->nameFor(i + 1 < m_frames.size() ? m_frames[i + 1].name
                                                             : std::string_view());
    }

    const std::vector<PythonFrame>& m_frames;
    std::vector<std::string> m_parts;
    bool m_seen_module = false;
    bool m_is_built = false;
};

std::optional<ModulePath> pathOfFrames(const std::vector<PythonFrame>& frames)
{
    Chain chain(frames);
    if (std::vector<std::string> parts = chain.forward(); !parts.empty()) {
        return ModulePath{std::move(parts), PathSource::forward};
    }
    if (std::vector<std::string> parts = chain.construction(); !parts.empty()) {
        return ModulePath{std::move(parts), PathSource::construction};
    }
    const auto user = std::find_if(frames.rbegin(), frames.rend(),
                                   [](const PythonFrame& f) { return f.is_user; });
    if (user == frames.rend()) {
        return std::nullopt;
    }
    return ModulePath{{lineText(*user)}, PathSource::line};
}

/// "torch::autograd::generated::MmBackward0::apply(…)" → "MmBackward0".
std::string_view autogradNode(std::string_view name)
{
    static constexpr std::string_view kGenerated = "torch::autograd::generated::";
    static constexpr std::string_view kAccumulate = "torch::autograd::AccumulateGrad::apply";
    if (name.starts_with(kAccumulate)) {
        return "AccumulateGrad";
    }
    if (!name.starts_with(kGenerated)) {
        return {};
    }
    const std::string_view node = name.substr(kGenerated.size());
    const std::size_t end = node.find("::apply(");
    return end == std::string_view::npos ? std::string_view() : node.substr(0, end);
}

/// Reads the frames of one file's stacks; what a filename says is looked up once.
class FrameReader {
public:
    explicit FrameReader(const trace::Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_frames(snapshot.stacks.frameCount())
        , m_known(snapshot.stacks.frameCount(), false)
    {
    }

    /// The Python frames of a stack, outermost first.
    std::vector<PythonFrame> framesOf(StackId stack)
    {
        std::vector<PythonFrame> frames;
        const auto ids = m_snapshot.stacks.frames(stack);
        for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
            const PythonFrame& frame = frameOf(*id);
            if (!frame.file.empty()) {
                frames.push_back(frame);
            }
        }
        return frames;
    }
    /// The same from the lines of a traceback, which are outermost first.
    static std::vector<PythonFrame> framesOf(std::string_view traceback);

private:
    static void addFile(PythonFrame& frame)
    {
        frame.is_user = !StackRules::builtin().isLibrary(frame.file);
        frame.module = frame.is_user ? nullptr : ModuleNames::builtin().find(frame.file);
    }
    const PythonFrame& frameOf(FrameId id)
    {
        PythonFrame& frame = m_frames[id.index()];
        if (!m_known[id.index()]) {
            m_known[id.index()] = true;
            const Frame& source = m_snapshot.stacks.frame(id);
            const std::string_view file = m_snapshot.text(source.filename);
            if (isPythonFile(file)) {
                frame = {m_snapshot.text(source.name), file, source.line};
                addFile(frame);
            }
        }
        return frame;
    }

    const trace::Snapshot& m_snapshot;
    std::vector<PythonFrame> m_frames; ///< Without a file: C++.
    std::vector<bool> m_known;
};

std::vector<PythonFrame> FrameReader::framesOf(std::string_view traceback)
{
    std::vector<PythonFrame> frames;
    for (const TracebackLine& line : tracebackLines(traceback)) {
        PythonFrame frame;
        frame.file = line.file;
        frame.name = line.name;
        frame.line = line.line;
        addFile(frame);
        frames.push_back(frame);
    }
    return frames;
}

/// The innermost autograd node of a stack's C++ frames.
std::string_view nodeOf(const trace::Snapshot& snapshot, StackId stack)
{
    for (const FrameId id : snapshot.stacks.frames(stack)) {
        const std::string_view node = autogradNode(snapshot.text(snapshot.stacks.frame(id).name));
        if (!node.empty()) {
            return node;
        }
    }
    return {};
}

} // namespace

std::string ModulePath::text() const
{
    return text(0);
}

std::string ModulePath::text(std::size_t outer) const
{
    static constexpr std::size_t kMostShown = 32; // Deeper ones are recursions.
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(std::min(outer, parts.size()));
    const auto shown = static_cast<std::size_t>(parts.end() - begin);
    if (shown <= kMostShown) {
        return fmt::format("{}", fmt::join(begin, parts.end(), " › "));
    }
    const auto half = static_cast<std::ptrdiff_t>(kMostShown / 2);
    return fmt::format("{} › … › {}", fmt::join(begin, begin + half, " › "),
                       fmt::join(parts.end() - half, parts.end(), " › "));
}

ModulePaths::ModulePaths(const trace::Snapshot& snapshot)
{
    FrameReader reader(snapshot);
    m_of_stack.resize(snapshot.stacks.stackCount());
    for (std::size_t i = 0; i < m_of_stack.size(); ++i) {
        const StackId stack(i);
        std::optional<ModulePath> path = pathOfFrames(reader.framesOf(stack));
        const std::string_view node =
            path && path->source != PathSource::line ? std::string_view() : nodeOf(snapshot, stack);
        if (!node.empty()) {
            path = ModulePath{path ? std::move(path->parts) : std::vector<std::string>(),
                              PathSource::autograd};
            path->parts.emplace_back(node);
        }
        m_of_stack[i] = path ? intern(std::move(*path)) : ModuleId::none();
    }
    for (const trace::Device& device : snapshot.devices) {
        for (const StringId text : device.events.forward_frames) {
            if (text.isNone() || m_of_forward.contains(text.value)) {
                continue;
            }
            std::optional<ModulePath> path =
                pathOfFrames(FrameReader::framesOf(snapshot.text(text)));
            if (path) {
                path->source = PathSource::forward_frames;
            }
            m_of_forward[text.value] = path ? intern(std::move(*path)) : ModuleId::none();
        }
    }
    nameThings(snapshot);
}

void ModulePaths::nameThings(const trace::Snapshot& snapshot)
{
    if (!snapshot.capture) {
        return;
    }
    for (const trace::CaptureThing& thing : snapshot.capture->things) {
        // State is named by its key alone ("exp_avg"), which is no module.
        const bool is_named = thing.bucket != bucketId(Bucket::optimizer_state);
        CapturedModule module = is_named ? moduleOfName(thing.name) : CapturedModule{};
        m_of_thing.push_back(module.name.empty()
                                 ? ModuleId::none()
                                 : intern({{std::move(module.name)}, PathSource::name}));
    }
}

ModuleId ModulePaths::ofForward(StringId forward_frames) const
{
    const auto it = m_of_forward.find(forward_frames.value);
    return it == m_of_forward.end() ? ModuleId::none() : it->second;
}

ModuleId ModulePaths::intern(ModulePath path)
{
    const auto [it, is_new] = m_ids.try_emplace(path.parts, ModuleId(m_paths.size()));
    if (is_new) {
        m_paths.push_back(std::move(path));
    }
    return it->second;
}

} // namespace tidemark::label
