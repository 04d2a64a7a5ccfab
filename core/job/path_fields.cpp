// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/path_fields.h"

#include "core/job/path_pieces.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace tidemark::job {
namespace {

using WordList = std::span<const std::string_view>;

constexpr std::array<std::string_view, 25> kNeutral{
    "memory",  "mem",     "snapshot", "snapshots", "trace",    "traces",  "dump",
    "dumps",   "plot",    "viz",      "timeline",  "torch",    "pytorch", "cuda",
    "memviz",  "profile", "pickle",   "profiling", "profiler", "html",    "output",
    "outputs", "history", "logs",     "log"};
/// A number behind them, after a separator too, belongs to them.
constexpr std::array<std::string_view, 12> kCounted{
    "cycle",    "epoch",      "phase", "round",      "update", "episode",
    "interval", "microbatch", "ckpt",  "checkpoint", "window", "minibatch"};
constexpr std::array<std::string_view, 46> kMoments{
    "before",  "after",     "start", "begin",     "end",      "stop",       "final",  "last",
    "first",   "peak",      "init",  "initial",   "warmup",   "forward",    "fwd",    "backward",
    "bwd",     "optimizer", "optim", "train",     "training", "eval",       "val",    "evaluation",
    "rollout", "sleep",     "wake",  "wakeup",    "generate", "generation", "save",   "validation",
    "load",    "loaded",    "crash", "exception", "error",    "failure",    "failed", "fail",
    "post",    "pre",       "step",  "iteration", "during",   "inference"};
constexpr std::array<std::string_view, 10> kSteps{
    "step", "steps", "iteration", "iterations", "iter", "iters", "it", "itr", "ba", "globalstep"};
/// A number behind them tells runs, machines or settings apart, not ranks.
constexpr std::array<std::string_view, 26> kOthers{
    "run",  "exp",  "experiment", "job", "trial", "version", "v",    "attempt", "try",
    "seed", "test", "config",     "cfg", "batch", "bs",      "seq",  "lr",      "layers",
    "part", "h",    "a",          "b",   "slurm", "restart", "lora", "size"};
constexpr std::array<std::string_view, 6> kHosts{"node", "host",   "machine",
                                                 "pod",  "server", "replica"};
constexpr std::array<std::string_view, 9> kAxes{"pp", "dp",  "tp",  "cp", "ep",
                                                "sp", "etp", "edp", "vpp"};
bool isOneOf(std::string_view word, WordList words)
{
    return std::ranges::find(words, word) != words.end();
}

/// Reads one part of a path into the fields. Each `take` says how many pieces it used.
class PartReader {
public:
    PartReader(std::string_view part, std::size_t folder, PathFields& fields)
        : m_pieces(piecesOf(part))
        , m_folder(folder)
        , m_fields(fields)
        , m_first_item(fields.items.size())
    {
    }

    void read()
    {
        for (std::size_t i = 0; i < m_pieces.size();) {
            std::size_t used = 0;
            for (const auto take :
                 {&PartReader::takeStep, &PartReader::takeProcessId, &PartReader::takeWorld,
                  &PartReader::takeMesh, &PartReader::takeRank, &PartReader::takeHost,
                  &PartReader::takeTime, &PartReader::takeKind, &PartReader::takeMoment}) {
                used = (this->*take)(i);
                if (used > 0) {
                    break;
                }
            }
            i += used > 0 ? used : takeRest(i);
        }
    }

private:
    [[nodiscard]] bool isWord(std::size_t i, WordList words) const
    {
        return i < m_pieces.size() && !m_pieces[i].is_number && isOneOf(m_pieces[i].text, words);
    }
    [[nodiscard]] bool isWord(std::size_t i, std::string_view word) const
    {
        return i < m_pieces.size() && m_pieces[i].text == word;
    }
    [[nodiscard]] bool isNumber(std::size_t i, std::size_t digits = 0) const
    {
        return i < m_pieces.size() && m_pieces[i].is_number
            && (digits == 0 || m_pieces[i].text.size() == digits);
    }
    /// Up to `most`, behind its word.
    [[nodiscard]] std::optional<std::uint64_t> number(std::size_t i, std::uint64_t most) const
    {
        const auto found = isNumber(i) ? numberOf(m_pieces[i].text) : std::nullopt;
        return found && *found <= most ? found : std::nullopt;
    }

    /// "step_9", "global_step_9", "steps3-5".
    std::size_t takeStep(std::size_t i)
    {
        const std::size_t word = isWord(i, "global") && isWord(i + 1, "step") ? i + 1 : i;
        const auto found = number(word + 1, std::numeric_limits<std::int64_t>::max());
        if (!isWord(word, kSteps) || !found) {
            return 0;
        }
        const auto last =
            isWord(word, "steps") && isNumber(word + 2) && m_pieces[word + 2].before == '-'
            ? number(word + 2, std::numeric_limits<std::int64_t>::max())
            : std::nullopt;
        m_fields.step = static_cast<std::int64_t>(last.value_or(*found));
        return word - i + (last ? 3 : 2);
    }

    std::size_t takeProcessId(std::size_t i)
    {
        const bool is_short = isWord(i, "p") && isNumber(i + 1) && m_pieces[i + 1].is_glued
            && m_pieces[i + 1].text.size() > 2;
        if (!isNumber(i + 1) || (!isWord(i, "pid") && !is_short)) {
            return 0;
        }
        m_fields.pid += m_pieces[i + 1].text;
        return 2;
    }

    /// "of-8" behind a number, "world_size_8", "ws8".
    std::size_t takeWorld(std::size_t i)
    {
        constexpr std::uint64_t kMost = 1'000'000;
        const bool is_behind = isWord(i, "of") && i > 0 && m_pieces[i - 1].is_number
            && m_fields.items.size() > m_first_item
            && m_fields.items.back().role == PathItem::Role::slot;
        const std::size_t at = isWord(i, "world") && isWord(i + 1, "size") ? i + 2 : i + 1;
        const bool is_word =
            isWord(i, "world") || isWord(i, "worldsize") || isWord(i, "ws") || isWord(i, "nranks");
        const auto found = number(at, kMost);
        if ((!is_behind && !is_word) || !found || *found == 0) {
            return 0;
        }
        m_fields.world_size = static_cast<std::uint32_t>(*found);
        if (is_behind) {
            Slot& slot = m_fields.slots[m_fields.items.back().slot];
            slot.word = std::max(slot.word, SlotWord::process);
            slot.may_be_rank = true;
            slot.stands_alone = true;
        }
        return at - i + 1;
    }

    /// "TP-2", "pp_rank_0", "dp_shard_1", "stage3", "p1d0c0t0".
    std::size_t takeMesh(std::size_t i)
    {
        constexpr std::uint64_t kMost = 1'000'000;
        const bool is_axis = isWord(i, kAxes);
        const bool is_epoch = isWord(i, "ep") && isNumber(i + 1) && isWord(i + 2, "ba");
        if ((is_axis && !is_epoch) || isWord(i, "stage")) {
            const bool has_more = is_axis && (isWord(i + 1, "shard") || isWord(i + 1, "replicate"));
            const std::size_t at = has_more || isWord(i + 1, "rank") ? i + 2 : i + 1;
            const auto found = number(at, kMost);
            if (found) {
                const std::string axis = is_axis ? m_pieces[i].text : "pp";
                m_fields.coordinates[has_more ? axis + '_' + m_pieces[i + 1].text : axis] =
                    static_cast<std::int64_t>(*found);
                return at - i + 1;
            }
        }
        if (is_epoch) {
            addMoment("epoch " + m_pieces[i + 1].text);
            return 2;
        }
        Coordinates chain;
        std::size_t at = i;
        constexpr std::string_view kLetters = "pdcte";
        while (at + 1 < m_pieces.size() && m_pieces[at].text.size() == 1
               && kLetters.find(m_pieces[at].text[0]) != std::string_view::npos
               && (at == i || m_pieces[at].is_glued) && m_pieces[at + 1].is_glued
               && number(at + 1, kMost)) {
            chain[m_pieces[at].text + 'p'] = static_cast<std::int64_t>(*number(at + 1, kMost));
            at += 2;
        }
        if (chain.size() < 2 || chain.size() * 2 != at - i) {
            return 0;
        }
        m_fields.coordinates.insert(chain.begin(), chain.end());
        return at - i;
    }

    /// "rank3", "rank_3", "local_rank=3", "RANK3", "r3", "gpu_3", "worker-3".
    std::size_t takeRank(std::size_t i)
    {
        constexpr std::uint64_t kMost = 999'999;
        constexpr std::array<std::string_view, 7> kLocal{"gpu",       "cuda",  "device", "dev",
                                                         "localrank", "gpuid", "localid"};
        constexpr std::array<std::string_view, 5> kProcess{"proc", "process", "worker", "trainer",
                                                           "actor"};
        const bool is_qualified = isWord(i + 1, "rank") && !m_pieces[i].is_number;
        std::size_t at = (is_qualified ? i + 1 : i) + 1;
        if (isWord(at, "id") || isWord(at, "idx")) {
            ++at;
        }
        const auto found = number(at, kMost);
        if (!found || m_pieces[i].is_number) {
            return 0;
        }
        Slot slot;
        slot.value = *found;
        const std::string& word = m_pieces[i].text;
        const bool is_count = m_pieces[i].is_glued; // "8gpu"
        if (is_qualified) {
            constexpr std::array<std::string_view, 3> kGlobal{"global", "world", "dist"};
            if (word == "lora") {
                slot.may_be_rank = false;
                slot.may_be_step = false;
                addSlot(slot, "lora_rank");
                return at - i + 1;
            }
            if (word != "local" && !isOneOf(word, kGlobal)) {
                return 0; // The word for itself; then the rank.
            }
            slot.word = SlotWord::rank;
            slot.is_local = word == "local";
        } else if (word == "rank" || word == "globalrank" || word == "worldrank"
                   || word == "localrank" || word == "rankid") {
            slot.word = SlotWord::rank;
            slot.is_local = word == "localrank";
        } else if (word == "r" && m_pieces[at].is_glued && at == i + 1 && !is_count) {
            slot.word = SlotWord::process;
            slot.stands_alone = i == 0 && m_pieces.size() == 2;
        } else if ((isOneOf(word, kLocal) || isOneOf(word, kProcess)) && !is_count) {
            slot.word = SlotWord::process;
            slot.is_local = isOneOf(word, kLocal);
            slot.stands_alone = word != "cuda";
        } else {
            return 0;
        }
        addSlot(slot, slot.word == SlotWord::rank ? "" : word);
        return at - i + 1;
    }

    /// "node2", "host_2", "node_rank_2", "ip-10-0-0-12".
    std::size_t takeHost(std::size_t i)
    {
        constexpr std::uint64_t kMost = 1'000'000;
        const bool has_word = isWord(i + 1, "rank") || isWord(i + 1, "id");
        const std::size_t at = has_word ? i + 2 : i + 1;
        const auto found = number(at, kMost);
        if (isWord(i, kHosts) && found) {
            m_fields.host = m_pieces[i].text + std::to_string(*found);
            m_fields.host_number = *found;
            return at - i + 1;
        }
        constexpr std::size_t kParts = 4;
        std::string text = "ip";
        for (std::size_t k = 1; k <= kParts; ++k) {
            if (!isWord(i, "ip") || !number(i + k, 255)) {
                return 0;
            }
            text += '-' + m_pieces[i + k].text;
        }
        m_fields.host = text;
        return 1 + kParts;
    }

    std::size_t takeTime(std::size_t i)
    {
        const std::size_t used = timePieces(m_pieces, i);
        if (used == 0) {
            return 0;
        }
        // "host_4711.1795800869123": a process id stands there without its word.
        constexpr std::size_t kShortestProcessId = 4;
        if (i > 0 && isNumber(i - 1) && m_pieces[i - 1].text.size() >= kShortestProcessId
            && m_fields.items.size() > m_first_item
            && m_fields.items.back().role == PathItem::Role::slot
            && m_fields.items.back().slot + 1 == m_fields.slots.size()
            && m_fields.slots.back().word == SlotWord::bare && m_pieces[i - 1].text[0] != '0') {
            m_fields.pid += m_pieces[i - 1].text;
            m_fields.items.pop_back();
            m_fields.slots.pop_back();
        }
        if (monthOf(m_pieces[i].text) > 0) {
            takeHostBefore();
        }
        for (std::size_t k = i; k < i + used; ++k) {
            const std::size_t month = monthOf(m_pieces[k].text);
            if (month > 0) {
                m_fields.time += std::to_string(month + 9); // Two digits.
            } else if (m_pieces[k].is_number) {
                m_fields.time += m_pieces[k].text + '.';
            }
        }
        return used;
    }

    /// "node-17_Nov_27_17_34_00": PyTorch's own way to name a dump, the host and then the time.
    void takeHostBefore()
    {
        std::string host;
        std::size_t first_slot = m_fields.slots.size();
        for (std::size_t k = m_first_item; k < m_fields.items.size(); ++k) {
            const PathItem& item = m_fields.items[k];
            host += host.empty() ? "" : "-";
            host += item.text;
            if (item.role == PathItem::Role::slot) {
                const Slot& slot = m_fields.slots[item.slot];
                if (slot.word == SlotWord::rank) {
                    return;
                }
                host += std::to_string(slot.value);
                first_slot = std::min(first_slot, item.slot);
            }
        }
        if (m_fields.host.empty() && !host.empty()) {
            m_fields.host = host;
            m_fields.items.resize(m_first_item);
            m_fields.slots.resize(first_slot);
        }
    }

    std::size_t takeKind(std::size_t i)
    {
        const bool is_spelled = isWord(i, "out") && isWord(i + 1, "of") && isWord(i + 2, "memory");
        if (is_spelled || isWord(i, "oom") || m_pieces[i].text.starts_with("outofmemory")) {
            m_fields.kind = DumpKind::oom;
            return is_spelled ? 3 : 1;
        }
        if (isWord(i, "exit")) {
            m_fields.kind = std::max(m_fields.kind, DumpKind::exit);
            return 1;
        }
        return 0;
    }

    std::size_t takeMoment(std::size_t i)
    {
        const bool is_counted = isWord(i, kCounted);
        if (!is_counted && !isWord(i, kMoments)) {
            return 0;
        }
        std::string text = m_pieces[i].text;
        const bool has_number = isNumber(i + 1) && timePieces(m_pieces, i + 1) == 0
            && (is_counted || m_pieces[i + 1].is_glued);
        if (has_number) {
            text += (m_pieces[i + 1].is_glued ? "" : " ") + m_pieces[i + 1].text;
        }
        addMoment(std::move(text));
        return has_number ? 2 : 1;
    }

    std::size_t takeRest(std::size_t i)
    {
        const PathPiece& piece = m_pieces[i];
        const auto found = piece.is_number ? numberOf(piece.text) : std::nullopt;
        if (found && m_fields.slots.size() < kMostSlots) {
            Slot slot;
            slot.value = *found;
            constexpr std::size_t kMostDigits = 9;
            const bool is_batch = i > 0 && isWord(i - 1, "batch");
            const bool is_other = i > 0 && isWord(i - 1, kOthers);
            slot.is_glued = piece.is_glued;
            slot.may_be_rank = !is_other && *found < 1'000'000;
            slot.may_be_step = (!is_other || is_batch) && !piece.is_glued
                && std::to_string(*found).size() <= kMostDigits;
            addSlot(slot, "");
            m_fields.items.back().is_glued = piece.is_glued;
            return 1;
        }
        if (piece.is_glued && i > 0 && m_pieces[i - 1].is_number
            && m_fields.items.size() > m_first_item
            && m_fields.items.back().role == PathItem::Role::slot) {
            Slot& before = m_fields.slots[m_fields.items.back().slot]; // "7b"
            before.may_be_rank = before.word != SlotWord::bare;
            before.may_be_step = false;
        }
        const bool is_neutral = isOneOf(piece.text, kNeutral);
        addItem({piece.text, is_neutral ? PathItem::Role::neutral : PathItem::Role::word, m_folder,
                 0, piece.is_glued});
        return 1;
    }

    void addItem(PathItem item)
    {
        m_fields.items.push_back(std::move(item));
    }
    void addMoment(std::string text)
    {
        addItem({std::move(text), PathItem::Role::moment, m_folder, 0, false});
    }
    void addSlot(Slot slot, std::string word)
    {
        if (m_fields.slots.size() == kMostSlots) {
            addItem({word + std::to_string(slot.value), PathItem::Role::word, m_folder, 0, false});
            return;
        }
        slot.follows = m_fields.items.size() > m_first_item
            && m_fields.items.back().role == PathItem::Role::slot;
        addItem({std::move(word), PathItem::Role::slot, m_folder, m_fields.slots.size(), false});
        m_fields.slots.push_back(slot);
    }

    std::vector<PathPiece> m_pieces;
    std::size_t m_folder;
    PathFields& m_fields;
    std::size_t m_first_item;
};

} // namespace

PathFields readFields(std::string_view path)
{
    PathFields fields;
    path = withoutEndings(path);
    for (std::size_t folder = 0;; ++folder) {
        const std::size_t end = std::min(path.find('/'), path.size());
        PartReader(path.substr(0, end), folder, fields).read();
        if (end == path.size()) {
            return fields;
        }
        path.remove_prefix(end + 1);
    }
}

} // namespace tidemark::job
