// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/outline.h"

#include "ui/models/text.h"
#include "ui/report/words.h"

#include <QtCore/QLocale>
#include <qpdf/Buffer.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFObjectHandle.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QPDFWriter.hh>

#include <exception>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tidemark::ui::report {
namespace {

QPDFObjectHandle unicode(const QString& value)
{
    return QPDFObjectHandle::newUnicodeString(utf8(value));
}

QPDFObjectHandle dateObject(const QDateTime& date)
{
    const QString utc = date.toUTC().toString(QStringLiteral("yyyyMMddHHmmss"));
    return QPDFObjectHandle::newString(
        utf8(QStringLiteral("D:") % utc % QStringLiteral("+00'00'")));
}

/// A bookmark with those below it.
struct Node {
    QPDFObjectHandle item;
    std::vector<Node> children;
};

QPDFObjectHandle itemFor(QPDF& pdf, const Bookmark& bookmark,
                         const std::vector<QPDFPageObjectHelper>& pages, double height)
{
    QPDFObjectHandle item = pdf.makeIndirectObject(QPDFObjectHandle::newDictionary());
    item.replaceKey("/Title", unicode(bookmark.title));
    QPDFObjectHandle place = QPDFObjectHandle::newArray();
    place.appendItem(pages.at(bookmark.page).getObjectHandle());
    place.appendItem(QPDFObjectHandle::newName("/XYZ"));
    place.appendItem(QPDFObjectHandle::newInteger(0));
    // PDF counts from the lower edge; a little air above the heading.
    place.appendItem(QPDFObjectHandle::newInteger(static_cast<long long>(height - bookmark.y + 8)));
    place.appendItem(QPDFObjectHandle::newNull());
    item.replaceKey("/Dest", place);
    return item;
}

/// Links the children of `parent`; returns how many items are visible below it.
int link(QPDFObjectHandle parent, std::vector<Node>& nodes)
{
    int count = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        QPDFObjectHandle item = nodes[i].item;
        item.replaceKey("/Parent", parent);
        if (i > 0) {
            item.replaceKey("/Prev", nodes[i - 1].item);
            nodes[i - 1].item.replaceKey("/Next", item);
        }
        const int below = link(item, nodes[i].children);
        count += 1 + below;
    }
    if (!nodes.empty()) {
        parent.replaceKey("/First", nodes.front().item);
        parent.replaceKey("/Last", nodes.back().item);
        parent.replaceKey("/Count", QPDFObjectHandle::newInteger(count));
    }
    return count;
}

void addBookmarks(QPDF& pdf, std::span<const Bookmark> bookmarks, double page_height)
{
    const std::vector<QPDFPageObjectHelper> pages = QPDFPageDocumentHelper(pdf).getAllPages();
    std::vector<Node> roots;
    for (const Bookmark& bookmark : bookmarks) {
        const bool is_root = bookmark.level == 0 || roots.empty();
        std::vector<Node>& siblings = is_root ? roots : roots.back().children;
        siblings.push_back({itemFor(pdf, bookmark, pages, page_height), {}});
    }
    if (roots.empty()) {
        return;
    }
    QPDFObjectHandle outlines = pdf.makeIndirectObject(QPDFObjectHandle::newDictionary());
    outlines.replaceKey("/Type", QPDFObjectHandle::newName("/Outlines"));
    link(outlines, roots);
    pdf.getRoot().replaceKey("/Outlines", outlines);
}

/// Six letters that mark a font as a part of a larger one: AAAAAA, AAAAAB, …
std::string subsetTag(std::size_t number)
{
    std::string tag(6, 'A');
    for (std::size_t i = tag.size(); i-- > 0 && number > 0; number /= 26) {
        tag[i] = static_cast<char>('A' + number % 26);
    }
    return tag;
}

/// Names the embedded fonts by their place in the document. Qt derives the names from numbers that
/// change from run to run.
void nameFonts(QPDF& pdf)
{
    std::set<QPDFObjGen> named;
    for (QPDFPageObjectHelper& page : QPDFPageDocumentHelper(pdf).getAllPages()) {
        QPDFObjectHandle fonts = page.getAttribute("/Resources", false).getKeyIfDict("/Font");
        for (const std::string& key : fonts.getKeys()) {
            QPDFObjectHandle font = fonts.getKey(key);
            QPDFObjectHandle descendant = font.getKey("/DescendantFonts");
            if (!descendant.isArray() || !named.insert(font.getObjGen()).second) {
                continue;
            }
            descendant = descendant.getArrayItem(0);
            QPDFObjectHandle descriptor = descendant.getKey("/FontDescriptor");
            const std::string old_name = descriptor.getKey("/FontName").getName();
            const std::string plain = old_name.substr(old_name.find_last_of("+/") + 1);
            const QPDFObjectHandle name =
                QPDFObjectHandle::newName("/" + subsetTag(named.size() - 1) + "+" + plain);
            font.replaceKey("/BaseFont", name);
            descendant.replaceKey("/BaseFont", name);
            descriptor.replaceKey("/FontName", name);
        }
    }
}

void setFacts(QPDF& pdf, const DocumentFacts& facts)
{
    QPDFObjectHandle info = pdf.makeIndirectObject(QPDFObjectHandle::newDictionary());
    info.replaceKey("/Title", unicode(facts.title));
    info.replaceKey("/Creator", unicode(facts.creator));
    info.replaceKey("/Producer", unicode(facts.creator));
    info.replaceKey("/CreationDate", dateObject(facts.date));
    info.replaceKey("/ModDate", dateObject(facts.date));
    pdf.getTrailer().replaceKey("/Info", info);
    QPDFObjectHandle root = pdf.getRoot();
    root.removeKey("/Metadata"); // Qt's copy of the properties, with the time of the run.
    root.replaceKey("/Lang",
                    QPDFObjectHandle::newString(utf8(QLocale().name().section(u'_', 0, 0))));
    QPDFObjectHandle preferences = QPDFObjectHandle::newDictionary();
    preferences.replaceKey("/DisplayDocTitle", QPDFObjectHandle::newBool(true));
    root.replaceKey("/ViewerPreferences", preferences);
}

} // namespace

Result<QByteArray> withOutline(const QByteArray& pdf, std::span<const Bookmark> bookmarks,
                               double page_height, const DocumentFacts& facts)
{
    try {
        QPDF document;
        document.setSuppressWarnings(true);
        document.processMemoryFile("report", pdf.constData(), static_cast<std::size_t>(pdf.size()));
        addBookmarks(document, bookmarks, page_height);
        nameFonts(document);
        setFacts(document, facts);
        QPDFWriter writer(document);
        writer.setOutputMemory();
        writer.setDeterministicID(true);
        // Inside object streams, objects keep the order in which Qt numbered them, which follows
        // hashes; outside they are numbered as the pages need them.
        writer.setObjectStreamMode(qpdf_o_disable);
        writer.write();
        const std::shared_ptr<Buffer> bytes = writer.getBufferSharedPointer();
        return QByteArray(reinterpret_cast<const char*>(bytes->getBuffer()),
                          static_cast<qsizetype>(bytes->getSize()));
    } catch (const std::exception& e) {
        return Error{ErrorCode::internal,
                     utf8(ReportWords::tr("The report could not be finished: %1.")
                              .arg(text(std::string_view(e.what()))))};
    }
}

} // namespace tidemark::ui::report
