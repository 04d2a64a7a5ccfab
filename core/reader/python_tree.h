// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/python_object.h"
#include "core/reader/value_tree.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tidemark::reader {

/// Python's objects as a value tree: a node is the address of one. They must outlive the tree.
class PythonTree final : public ValueTree {
public:
    static Node nodeOf(PyObject* object)
    {
        return {reinterpret_cast<std::uint64_t>(object)};
    }

    Value value(Node node) override;
    Node item(Node list, std::size_t index) override;
    bool nextEntry(Node dict, std::ptrdiff_t& position, Entry& entry) override;

private:
    std::string_view text(PyObject* object);

    std::unordered_map<const PyObject*, std::string> m_replaced; ///< Texts without a UTF-8 form.
};

} // namespace tidemark::reader
