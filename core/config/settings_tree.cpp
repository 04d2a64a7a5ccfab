// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/json_depth.h"
#include "core/config/settings.h"

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

namespace tidemark::config {
namespace {

using Json = nlohmann::ordered_json;

std::string joinedPath(const std::string& path, std::string_view name)
{
    const std::string plain = plainName(name);
    return path.empty() ? plain : path + '.' + plain;
}

std::string scalarText(const Json& node)
{
    return node.is_string() ? node.get<std::string>()
        : node.is_null()    ? std::string("none")
                            : node.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string scalarText(const YAML::Node& node)
{
    return node.IsNull() ? std::string("none") : node.Scalar();
}

bool isMap(const Json& node)
{
    return node.is_object();
}
bool isMap(const YAML::Node& node)
{
    return node.IsMap();
}
bool isList(const Json& node)
{
    return node.is_array();
}
bool isList(const YAML::Node& node)
{
    return node.IsSequence();
}

template <class Visit>
void forEachMember(const Json& node, const Visit& visit)
{
    for (const auto& [name, value] : node.items()) {
        visit(name, value);
    }
}
template <class Visit>
void forEachMember(const YAML::Node& node, const Visit& visit)
{
    for (const auto& member : node) {
        if (member.first.IsScalar()) {
            visit(member.first.Scalar(), member.second);
        }
    }
}

/// Takes a tree of maps, lists and scalars apart. An alias may stand in many places, so the number
/// of nodes seen is limited, not only their depth.
class Flattener {
public:
    explicit Flattener(std::vector<Setting>& out)
        : m_out(out)
    {
    }

    template <class Node>
    void add(const Node& node, const std::string& path, int depth)
    {
        if (depth > kMostDepth || ++m_seen > kMostSettings) {
            return;
        }
        if (isMap(node)) {
            forEachMember(node, [&](const std::string& name, const Node& value) {
                add(value, joinedPath(path, name), depth + 1);
            });
        } else if (isList(node)) {
            addList(node, path, depth);
        } else if (!path.empty()) {
            m_out.push_back({path, scalarText(node)});
        }
    }

private:
    /// Scalars as one setting; maps, as in a list of callbacks, each under the list's name.
    template <class Node>
    void addList(const Node& node, const std::string& path, int depth)
    {
        std::string joined;
        for (const auto& item : node) {
            if (++m_seen > kMostSettings) {
                return;
            }
            if (isMap(item) || isList(item)) {
                add(Node(item), path, depth + 1);
            } else {
                joined += (joined.empty() ? "" : ",") + scalarText(Node(item));
            }
        }
        if (!path.empty() && !joined.empty()) {
            m_out.push_back({path, std::move(joined)});
        }
    }

    std::vector<Setting>& m_out;
    std::size_t m_seen = 0;
};

} // namespace

std::optional<Settings> settingsFromJson(std::string_view text)
{
    try {
        const Json tree = Json::parse(text, limitJsonDepth, false, true);
        if (!tree.is_object()) {
            return std::nullopt;
        }
        Settings settings{"JSON", {}};
        Flattener(settings.all).add(tree, {}, 0);
        return settings;
    } catch (const JsonTooDeep&) {
        return std::nullopt;
    }
}

std::optional<Settings> settingsFromYaml(std::string_view text)
{
    try {
        const YAML::Node tree = YAML::Load(std::string(text));
        if (!tree.IsMap()) {
            return std::nullopt;
        }
        Settings settings{"YAML", {}};
        Flattener(settings.all).add(tree, {}, 0);
        return settings;
    } catch (const YAML::Exception&) {
        return std::nullopt;
    }
}

} // namespace tidemark::config
