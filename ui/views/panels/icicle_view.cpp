// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/icicle_view.h"

#include "core/base/format.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtGui/QContextMenuEvent>
#include <QtGui/QHelpEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr double kNarrowestBox = 1; ///< Pixels; what is narrower is not drawn.
constexpr double kNarrowestText = 24;
constexpr int kBoxTextMargin = 5;
constexpr float kLibrary = 0.45F; ///< How much of its colour a folded package keeps.
constexpr float kUnmatched = 0.18F;

label::Bucket largestBucket(const curves::StackNode& node)
{
    const auto most = std::ranges::max_element(node.buckets);
    return label::bucketAt(static_cast<std::size_t>(most - node.buckets.begin()));
}

} // namespace

QString callTip(const curves::StackTree& tree, std::uint32_t node)
{
    const curves::StackNode& call = tree.nodes[node];
    const double all = static_cast<double>(std::max<std::int64_t>(1, tree.nodes[0].bytes));
    QString words =
        IcicleView::tr("%1\n%2 (%3), %4 of the total, in %Ln allocation|%1\n%2 (%3), %4 of the "
                       "total, in %Ln allocations",
                       nullptr, plural(call.count))
            .arg(node == 0 ? IcicleView::tr("All") : text(call.name), bytesText({call.bytes}),
                 exactBytesText({call.bytes}), percentText(static_cast<double>(call.bytes) / all));
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        if (call.buckets[b] > 0) {
            words += u'\n' % text(label::bucketName(label::bucketAt(b))) % QStringLiteral(": ")
                % bytesText({call.buckets[b]});
        }
    }
    return words;
}

QColor IcicleView::mixed(const QColor& colour, const QColor& background, float share)
{
    const auto part = [share](float a, float b) { return a * share + b * (1 - share); };
    return QColor::fromRgbF(part(colour.redF(), background.redF()),
                            part(colour.greenF(), background.greenF()),
                            part(colour.blueF(), background.blueF()));
}

bool IcicleView::isOwn(std::uint32_t node) const
{
    const curves::StackNode& call = m_tree->nodes[node];
    return node != 0 && !call.is_library && !call.frame.isNone();
}

QColor IcicleView::fillOf(std::uint32_t node) const
{
    const ThemeColours& colours = currentColours();
    const curves::StackNode& call = m_tree->nodes[node];
    return node == 0
        ? colours.hover
        : mixed(bucketColour(largestBucket(call)), colours.card, call.is_library ? kLibrary : 1);
}

QString IcicleView::wordsOf(std::uint32_t node) const
{
    const curves::StackNode& call = m_tree->nodes[node];
    return QStringLiteral("%1  %2").arg(node == 0 ? tr("All") : text(call.name),
                                        bytesText({call.bytes}));
}

QString IcicleView::tipOf(std::uint32_t node) const
{
    return callTip(*m_tree, node);
}

IcicleView::IcicleView(QWidget* parent)
    : QAbstractScrollArea(parent)
{
    setObjectName(QStringLiteral("icicle"));
    setAccessibleName(tr("Calls by bytes allocated"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setObjectName(QStringLiteral("icicleViewport"));
}

QSize IcicleView::sizeHint() const
{
    return {400, 8 * rowHeight()};
}

int IcicleView::rowHeight() const
{
    return QFontMetrics(smallFont(*this)).height() + 5;
}

std::vector<std::string> IcicleView::namesOf(std::uint32_t node) const
{
    std::vector<std::string> names;
    for (; m_tree != nullptr && node != 0; node = m_tree->nodes[node].parent) {
        names.push_back(m_tree->nodes[node].name);
    }
    std::ranges::reverse(names);
    return names;
}

/// The deepest call on a path of names that this tree has.
std::uint32_t IcicleView::nodeNamed(const std::vector<std::string>& names) const
{
    std::uint32_t node = 0;
    for (const std::string& name : names) {
        const auto& children = m_tree->nodes[node].children;
        const auto child = std::ranges::find(
            children,
            name, [this](std::uint32_t c) -> const auto& { return m_tree->nodes[c].name; });
        if (child == children.end()) {
            return 0;
        }
        node = *child;
    }
    return node;
}

void IcicleView::setTree(std::shared_ptr<const curves::StackTree> tree)
{
    const std::vector<std::string> zoomed = namesOf(m_zoomed);
    const std::vector<std::string> chosen = namesOf(m_chosen);
    m_tree = std::move(tree);
    m_marked.clear();
    m_zoomed = m_tree != nullptr ? nodeNamed(zoomed) : 0;
    m_chosen = m_tree != nullptr ? nodeNamed(chosen) : 0;
    setSearch(m_search);
    layOut();
    Q_EMIT chosenChanged();
    Q_EMIT zoomedChanged();
}

void IcicleView::setSearch(const QString& words)
{
    m_search = words.trimmed();
    m_matches.clear();
    if (m_tree != nullptr && !m_search.isEmpty()) {
        m_matches.resize(m_tree->nodes.size());
        for (std::size_t i = 1; i < m_matches.size(); ++i) {
            m_matches[i] = text(m_tree->nodes[i].name).contains(m_search, Qt::CaseInsensitive);
        }
    }
    viewport()->update();
}

void IcicleView::setMarked(std::vector<bool> marked)
{
    if (marked != m_marked) {
        m_marked = std::move(marked);
        viewport()->update();
    }
}

bool IcicleView::matches(std::uint32_t node) const
{
    return m_matches.empty() || m_matches[node];
}

std::int64_t IcicleView::matchedBytes() const
{
    std::int64_t bytes = 0;
    std::vector<std::uint32_t> open{0};
    while (m_tree != nullptr && !m_matches.empty() && !open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        if (m_matches[node]) {
            bytes += m_tree->nodes[node].bytes;
        } else {
            open.insert(open.end(), m_tree->nodes[node].children.begin(),
                        m_tree->nodes[node].children.end());
        }
    }
    return bytes;
}

/// The calls that hold the zoomed one stand above it, as wide as the view.
void IcicleView::layOut()
{
    m_bars.clear();
    const double width = viewport()->width();
    const int row = rowHeight();
    int rows = 0;
    if (m_tree != nullptr && m_tree->nodes[0].bytes > 0) {
        std::vector<std::uint32_t> holders;
        for (std::uint32_t node = m_zoomed; node != 0;) {
            node = m_tree->nodes[node].parent;
            holders.push_back(node);
        }
        for (auto holder = holders.rbegin(); holder != holders.rend(); ++holder) {
            m_bars.push_back({*holder, QRectF(0, rows++ * row, width, row)});
        }
        m_bars.push_back({m_zoomed, QRectF(0, rows * row, width, row)});
        for (std::size_t i = holders.size(); i < m_bars.size(); ++i) {
            const curves::StackNode& node = m_tree->nodes[m_bars[i].node];
            const QRectF rect = m_bars[i].rect;
            const double per_byte = rect.width() / static_cast<double>(node.bytes);
            double left = rect.left();
            for (const std::uint32_t child : node.children) {
                const double wide = per_byte * static_cast<double>(m_tree->nodes[child].bytes);
                if (wide < kNarrowestBox) {
                    break; // those behind it are no wider
                }
                m_bars.push_back({child, QRectF(left, rect.top() + row, wide, row)});
                left += wide;
            }
        }
        rows = static_cast<int>(m_bars.back().rect.top()) / row + 1;
    }
    verticalScrollBar()->setRange(0, std::max(0, rows * row - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(row);
    viewport()->update();
}

void IcicleView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void IcicleView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        layOut();
    }
}

void IcicleView::scrollContentsBy(int /*dx*/, int /*dy*/)
{
    viewport()->update();
}

QRectF IcicleView::rectOf(std::uint32_t node) const
{
    const auto bar = std::ranges::find(m_bars, node, &Bar::node);
    const QRectF rect =
        bar == m_bars.end() ? QRectF() : bar->rect.translated(0, -verticalScrollBar()->value());
    return QRectF(viewport()->rect()).intersects(rect) ? rect : QRectF();
}

std::uint32_t IcicleView::nodeAt(const QPointF& place) const
{
    const QPointF there = place + QPointF(0, verticalScrollBar()->value());
    const auto bar =
        std::ranges::find_if(m_bars, [&](const Bar& b) { return b.rect.contains(there); });
    return bar == m_bars.end() ? 0 : bar->node;
}

void IcicleView::paintBar(QPainter& painter, const Bar& bar, const QRectF& rect) const
{
    const ThemeColours& colours = currentColours();
    QColor fill = fillOf(bar.node);
    if (!matches(bar.node)) {
        fill = mixed(fill, colours.card, kUnmatched);
    }
    const QRectF inner =
        rect.width() > 3 ? rect.adjusted(0, 0, -1, -1) : rect.adjusted(0, 0, 0, -1);
    painter.fillRect(inner, fill);
    if (isMarked(bar.node) && bar.node != 0) {
        constexpr double kMark = 3;
        painter.fillRect(QRectF(inner.left(), inner.bottom() - kMark, inner.width(), kMark),
                         colours.text);
    }
    if (bar.node == m_chosen && m_chosen != 0) {
        painter.setPen(QPen(colours.text, 1.5));
        painter.drawRect(inner.adjusted(0.75, 0.75, -0.75, -0.75));
    }
    if (inner.width() < kNarrowestText) {
        return;
    }
    const QString words = wordsOf(bar.node);
    QFont font = painter.font();
    font.setBold(isOwn(bar.node));
    painter.setFont(font);
    painter.setPen(matches(bar.node) ? textOn(fill) : colours.text);
    const QRectF room = inner.adjusted(kBoxTextMargin, 0, -kBoxTextMargin, 0);
    painter.drawText(
        room, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
        painter.fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(room.width())));
}

void IcicleView::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(viewport());
    painter.setFont(smallFont(*this));
    const double scroll = verticalScrollBar()->value();
    for (const Bar& bar : m_bars) {
        const QRectF rect = bar.rect.translated(0, -scroll);
        if (rect.bottom() >= 0 && rect.top() <= viewport()->height()) {
            paintBar(painter, bar, rect);
        }
    }
    if (hasFocus()) {
        painter.setPen(QPen(currentColours().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void IcicleView::choose(std::uint32_t node)
{
    if (m_tree == nullptr || node >= m_tree->nodes.size() || node == m_chosen) {
        return;
    }
    m_chosen = node;
    reveal(node);
    setAccessibleDescription(tipOf(node));
    viewport()->update();
    Q_EMIT chosenChanged();
}

void IcicleView::zoomTo(std::uint32_t node)
{
    if (m_tree == nullptr || node >= m_tree->nodes.size() || node == m_zoomed) {
        return;
    }
    m_zoomed = node;
    layOut();
    reveal(node);
    Q_EMIT zoomedChanged();
}

void IcicleView::reveal(std::uint32_t node)
{
    const auto bar = std::ranges::find(m_bars, node, &Bar::node);
    if (bar == m_bars.end()) {
        return;
    }
    const int top = static_cast<int>(bar->rect.top());
    const int height = std::max(0, viewport()->height() - rowHeight());
    verticalScrollBar()->setValue(std::clamp(verticalScrollBar()->value(), top - height, top));
}

void IcicleView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton || event->button() == Qt::RightButton) {
        choose(nodeAt(event->position()));
    }
}

void IcicleView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        zoomTo(nodeAt(event->position()));
    }
}

void IcicleView::contextMenuEvent(QContextMenuEvent* event)
{
    Q_EMIT menuRequested(event->reason() == QContextMenuEvent::Mouse
                             ? event->globalPos()
                             : viewport()->mapToGlobal(rectOf(m_chosen).center().toPoint()));
}

/// The next call beside the chosen one; itself at the end.
std::uint32_t IcicleView::sibling(int step) const
{
    const auto& all = m_tree->nodes[m_tree->nodes[m_chosen].parent].children;
    const auto at = std::ranges::find(all, m_chosen) - all.begin() + step;
    return at < 0 || at >= static_cast<std::ptrdiff_t>(all.size())
        ? m_chosen
        : all[static_cast<std::size_t>(at)];
}

std::vector<KeyHelp> IcicleView::keyHelp()
{
    return {{Qt::Key_Up, {}, tr("Caller")},
            {Qt::Key_Down, {}, tr("Largest callee")},
            {Qt::Key_Left, {}, tr("Call to the left")},
            {Qt::Key_Right, {}, tr("Call to the right")},
            {Qt::Key_Return, {}, tr("Zoom into the selected call")},
            {Qt::Key_Backspace, {}, tr("Zoom out by one call")},
            {Qt::Key_Home, {}, tr("Show all calls")}};
}

void IcicleView::keyPressEvent(QKeyEvent* event)
{
    if (m_tree == nullptr) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    const curves::StackNode& node = m_tree->nodes[m_chosen];
    switch (event->key()) {
    case Qt::Key_Up:
        choose(node.parent);
        break;
    case Qt::Key_Down:
        choose(node.children.empty() ? m_chosen : node.children.front());
        break;
    case Qt::Key_Left:
    case Qt::Key_Right:
        choose(m_chosen == 0 ? m_chosen : sibling(event->key() == Qt::Key_Left ? -1 : 1));
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        zoomTo(m_chosen);
        break;
    case Qt::Key_Backspace:
        zoomTo(m_tree->nodes[m_zoomed].parent);
        break;
    case Qt::Key_Home:
        zoomTo(0);
        break;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool IcicleView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && m_tree != nullptr) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const auto bar = std::ranges::find_if(m_bars, [&](const Bar& b) {
            return b.rect.contains(help->pos() + QPointF(0, verticalScrollBar()->value()));
        });
        if (bar == m_bars.end()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), tipOf(bar->node), viewport());
        }
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace tidemark::ui
