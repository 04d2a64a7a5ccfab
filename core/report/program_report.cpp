// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/program_report.h"

#include "core/base/format.h"
#include "core/base/joined.h"
#include "core/base/language.h"
#include "core/report/json_parts.h"
#include "core/report/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace tidemark::report {
namespace {

using program::Dimension;
using program::DimensionName;
using program::Program;
using program::SizeUse;
using program::WeightSize;

/// Rows of the tables of sizes and of weights that people see; the JSON has all.
constexpr std::size_t kShownSizes = 25;
constexpr std::size_t kShownWeights = 12;

double rounded(double share)
{
    static constexpr double kDigits = 1e4;
    return std::round(share * kDigits) / kDigits;
}

Json dimensionJson(const Dimension& d)
{
    Json alternatives = Json::array();
    for (const program::Alternative& a : d.alternatives) {
        alternatives.push_back({{"value", a.value}, {"weight", rounded(a.weight)}});
    }
    return {{"name", program::idOf(d.name)},
            {"value", d.value},
            {"confidence", rounded(d.confidence)},
            {"evidence", d.evidence},
            {"alternatives", std::move(alternatives)}};
}

/// As torch calls it, where the width tells.
Json dtypeJson(const WeightSize& w)
{
    return w.element_bytes == 4 ? Json("float32")
        : w.element_bytes == 2  ? Json("float16 or bfloat16")
                                : Json(nullptr);
}

Json weightJson(const WeightSize& w)
{
    return {{"bytes", w.bytes},
            {"count", w.count},
            {"buffers", w.buffers},
            {"dtype", dtypeJson(w)},
            {"shape", w.shape.empty() ? Json(nullptr) : Json(w.shape)},
            {"trainable", w.trainable ? Json(*w.trainable) : Json(nullptr)},
            {"gradients", w.gradients},
            {"states", w.states}};
}

Json sizeJson(const SizeUse& use)
{
    Json alternatives = Json::array();
    for (std::size_t i = 1; i < use.expressions.size(); ++i) {
        alternatives.push_back(program::formulaOf(use.expressions[i]));
    }
    return {{"bytes", use.bytes},
            {"count", use.count},
            {"expression",
             use.expressions.empty() ? Json(nullptr)
                                     : Json(program::formulaOf(use.expressions.front()))},
            {"alternatives", std::move(alternatives)},
            {"what", program::nameOf(use.what)},
            {"share", rounded(use.share)}};
}

Json programJson(const diagnose::Analysis& analysis, std::size_t device)
{
    const Program& program = analysis.program(device);
    Json dimensions = Json::array();
    for (const Dimension& d : program.dimensions) {
        dimensions.push_back(dimensionJson(d));
    }
    Json models = Json::array();
    if (!program.weights.sizes.empty()) {
        Json weights = Json::array();
        for (const WeightSize& w : program.weights.sizes) {
            weights.push_back(weightJson(w));
        }
        models.push_back({{"parameters", program.weights.parameters},
                          {"trainable", program.weights.trainable},
                          {"weights", std::move(weights)}});
    }
    Json sizes = Json::array();
    for (const SizeUse& use : program.sizes) {
        sizes.push_back(sizeJson(use));
    }
    return {{"device", analysis.snapshot->devices[device].index},
            {"dimensions", std::move(dimensions)},
            {"unidentified", program.unidentified},
            {"models", std::move(models)},
            {"sizes", std::move(sizes)},
            {"explained_share", rounded(program.explained_share)}};
}

std::string alternativesText(const Dimension& d)
{
    return joined(d.alternatives, ", ",
                  [](const program::Alternative& a) { return formatCount(a.value); });
}

Table dimensionTable(const Program& program)
{
    Table table{{{say("dimension")},
                 {say("value"), Align::right},
                 {say("sure"), Align::right},
                 {say("or")},
                 {say("evidence")}},
                {}};
    for (const Dimension& d : program.dimensions) {
        table.rows.push_back({std::string(program::nameOf(d.name)), formatCount(d.value),
                              formatPercent(d.confidence), alternativesText(d), d.evidence});
    }
    return table;
}

Table sizeTable(const Program& program)
{
    Table table{{{say("size"), Align::right},
                 {say("times"), Align::right},
                 {say("share"), Align::right},
                 {say("kind")},
                 {say("formula")}},
                {}};
    for (const SizeUse& use : program.sizes) {
        if (table.rows.size() == kShownSizes) {
            break;
        }
        const std::string expressions = expressionsText(use);
        table.rows.push_back({formatBytes({use.bytes}), formatCount(use.count),
                              formatPercent(use.share), std::string(program::wordsOf(use.what)),
                              expressions.empty() ? say("no product of dimensions") : expressions});
    }
    return table;
}

std::string shapeText(const WeightSize& w)
{
    std::string text;
    for (const std::int64_t side : w.shape) {
        text += (text.empty() ? "" : " × ") + formatCount(side);
    }
    return text.empty() ? "-" : text;
}

Table weightTable(const program::Weights& weights)
{
    Table table{{{say("size"), Align::right},
                 {say("weights"), Align::right},
                 {say("sides")},
                 {say("trained")},
                 {say("gradients"), Align::right},
                 {say("states"), Align::right}},
                {}};
    for (const WeightSize& w : weights.sizes) {
        if (table.rows.size() == kShownWeights) {
            break;
        }
        table.rows.push_back({formatBytes({w.bytes}), formatCount(w.count), shapeText(w),
                              w.parameters() == 0 ? say("buffer")
                                  : !w.trainable  ? say("not known")
                                  : *w.trainable  ? say("yes")
                                                  : say("no"),
                              formatCount(w.gradients), formatCount(w.states)});
    }
    return table;
}

std::string sizesSentence(const Program& program)
{
    return say("Sizes by share of bytes × time; a unique product explains {}:",
               formatPercent(program.explained_share));
}

std::string weightsSentence(const program::Weights& weights)
{
    return weights.parameters == 0
        ? say("Weights:")
        : say("Weights: {} parameters, {} seen trained.", formatCount(weights.parameters),
              formatCount(weights.trainable));
}

Section deviceProgram(const diagnose::Analysis& analysis, std::size_t device)
{
    const Program& program = analysis.program(device);
    Section section;
    section.title = deviceName(analysis.snapshot->devices[device]);
    const std::string line = programLine(program);
    section.blocks.emplace_back(
        Paragraph{line.empty() ? std::string(translated(kNoDimensions)) : line, Emphasis::lead});
    if (!program.unidentified.empty()) {
        section.blocks.emplace_back(Paragraph{program.unidentified, Emphasis::none});
    }
    if (!program.dimensions.empty()) {
        section.blocks.emplace_back(dimensionTable(program));
        section.blocks.emplace_back(Paragraph{sizesSentence(program), Emphasis::none});
        section.blocks.emplace_back(sizeTable(program));
    }
    if (!program.weights.sizes.empty()) {
        section.blocks.emplace_back(Paragraph{weightsSentence(program.weights), Emphasis::none});
        section.blocks.emplace_back(weightTable(program.weights));
    }
    return section;
}

} // namespace

Json programsJson(const diagnose::Analysis& analysis, std::span<const std::size_t> of)
{
    Json devices = Json::array();
    for (const std::size_t device : of) {
        devices.push_back(programJson(analysis, device));
    }
    return {{"file", fileJson(analysis)}, {"devices", std::move(devices)}};
}

Document programDocument(const diagnose::Analysis& analysis, std::span<const std::size_t> of)
{
    Document document;
    document.title = say("Program: {}", analysis.file.filename().string());
    for (const std::size_t device : of) {
        document.sections.push_back(deviceProgram(analysis, device));
    }
    return document;
}

std::vector<DimensionPiece> dimensionPieces(const Program& program)
{
    std::vector<DimensionPiece> pieces;
    const auto value = [&program](DimensionName name) -> std::int64_t {
        const Dimension* const d = program.find(name);
        return d == nullptr ? 0 : d->value;
    };
    const auto add = [&](DimensionName name, bool is_count) {
        if (const std::int64_t v = value(name); v > 0) {
            const std::string words(program::nameOf(name));
            const std::string number = formatCount(v);
            pieces.push_back({is_count ? number + " " + words : words + " " + number, {name}});
        }
    };
    using enum DimensionName;
    if (value(batch) > 0 && value(sequence) > 0) {
        pieces.push_back(
            {say("{} × {} tokens", formatCount(value(batch)), formatCount(value(sequence))),
             {batch, sequence, tokens}});
    } else {
        add(batch, false);
        add(sequence, false);
        add(tokens, true);
    }
    add(hidden, false);
    add(feed_forward, false);
    add(vocabulary, false);
    add(heads, true);
    add(layers, true);
    return pieces;
}

std::string programLine(const Program& program)
{
    std::string line;
    for (const DimensionPiece& piece : dimensionPieces(program)) {
        line += (line.empty() ? "" : " · ") + piece.text;
    }
    return line;
}

std::string evidenceText(const Dimension& d)
{
    const std::string text =
        fmt::format("{} {}: {}.", program::nameOf(d.name), formatCount(d.value), d.evidence);
    const std::string sure = formatPercent(d.confidence);
    const std::string others = alternativesText(d);
    return text + ' '
        + (others.empty() ? say("{} sure.", sure)
                          : say("{} sure; {} nearly as likely.", sure, others));
}

std::string expressionsText(const SizeUse& use)
{
    std::string text;
    for (const program::Expression& e : use.expressions) {
        text += (text.empty() ? "" : say("  or  ")) + program::textOf(e);
    }
    return text;
}

} // namespace tidemark::report
