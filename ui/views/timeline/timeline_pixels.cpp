// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_pixels.h"

#include "core/projection/timeline_shapes.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/look/swatch.h"

#include <QtGui/QImage>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace tidemark::ui {
namespace {

using projection::TimelineColumn;
using projection::TimelineProjection;

constexpr double kHairlineFrom = 4; ///< Height of a record with a hairline, in units.
constexpr float kPale = 0.35F; ///< What is left of a colour beside what is selected.
constexpr double kLeastSelected = 2; ///< Height of what is selected, however little it is.
constexpr double kHairline = 0.13; ///< How much darker it is.
/// Lightness of the shades, in parts of the bucket's own.
constexpr std::array<double, 9> kLightness{1.0, 0.88, 1.12, 0.94, 1.06, 0.91, 1.09, 0.97, 1.03};

/// Four pixels, as the compilers of every target know them.
using Quad = QRgb __attribute__((vector_size(16)));

Quad quadAt(const QRgb* pixels)
{
    Quad quad;
    std::memcpy(&quad, pixels, sizeof(quad));
    return quad;
}

/// Turns four columns of four pixels, floor first, into four lines of an image, uppermost first.
/// `stride` lies between the columns, `line` between the lines.
void turnSquare(const QRgb* columns, std::size_t stride, QRgb* lines, qsizetype line)
{
    const Quad a = quadAt(columns);
    const Quad b = quadAt(columns + stride);
    const Quad c = quadAt(columns + 2 * stride);
    const Quad d = quadAt(columns + 3 * stride);
    const Quad low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Quad low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Quad high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Quad high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const std::array<Quad, 4> turned{__builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7),
                                     __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5),
                                     __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7),
                                     __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5)};
    for (const Quad& quad : turned) {
        std::memcpy(lines, &quad, sizeof(quad));
        lines += line;
    }
}

/// Takes columns pixel by pixel from the floor upwards and writes them into an image, a block of
/// columns at a time: single columns would touch every row of the image for each.
class ColumnWriter {
public:
    explicit ColumnWriter(QImage& image)
        : m_bits(reinterpret_cast<QRgb*>(image.bits()))
        , m_line(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb)))
        , m_width(image.width())
        , m_height(image.height())
        // Odd, so that equal rows of neighbours do not compete for the same places of the cache.
        , m_stride((static_cast<std::size_t>(m_height) | 1U) + 16)
        , m_columns(m_stride * (kBlock + 1))
    {
    }

    /// The next column's pixels, floor first, with the contents of another column.
    [[nodiscard]] QRgb* next()
    {
        if (m_in_block == kBlock) {
            flush();
        }
        return column(++m_in_block);
    }
    /// The pixels of the column before `next`.
    [[nodiscard]] const QRgb* before() const
    {
        return m_columns.data() + (m_in_block - 1) * m_stride;
    }
    /// Writes the block at hand, which may be the last.
    void flush()
    {
        const std::size_t count = m_in_block;
        const int squares = count == kBlock ? m_height / 4 * 4 : 0; // Rows that they cover.
        for (int y = 0; y < squares; y += 4) {
            QRgb* out = m_bits + y * m_line + m_first;
            const QRgb* in = column(1) + (m_height - 4 - y);
            for (std::size_t i = 0; i < kBlock; i += 4) {
                turnSquare(in + i * m_stride, m_stride, out + i, m_line);
            }
        }
        for (int y = squares; y < m_height; ++y) {
            QRgb* out = m_bits + y * m_line + m_first;
            const QRgb* in = column(1) + (m_height - 1 - y);
            for (std::size_t i = 0; i < count; ++i) {
                out[i] = in[i * m_stride];
            }
        }
        std::copy_n(column(m_in_block), m_height, column(0));
        m_first += static_cast<int>(count);
        m_in_block = 0;
    }
    [[nodiscard]] int height() const
    {
        return m_height;
    }
    [[nodiscard]] int width() const
    {
        return m_width;
    }

private:
    static constexpr std::size_t kBlock =
        64; ///< Few changes from page to page, and yet in the cache.
    [[nodiscard]] QRgb* column(std::size_t slot)
    {
        return m_columns.data() + slot * m_stride;
    }

    QRgb* m_bits;
    qsizetype m_line;
    int m_width;
    int m_height;
    std::size_t m_stride;
    std::vector<QRgb> m_columns; ///< The last one of the block before, then the block.
    std::size_t m_in_block = 0;
    int m_first = 0; ///< Image column of the block's first one.
};

/// A colour with a translucent one over it.
QRgb blended(const QColor& below, const QColor& above)
{
    const auto part = [share = above.alphaF()](int under, int over) {
        return static_cast<int>(std::lround(under + (over - under) * static_cast<double>(share)));
    };
    return qRgb(part(below.red(), above.red()), part(below.green(), above.green()),
                part(below.blue(), above.blue()));
}

/// The dots of private pools, as columns to be copied.
class Dots {
public:
    Dots(int height, const TimelineStyle& style, double pixel_ratio)
        : m_distance(std::max(1, static_cast<int>(std::lround(kDotDistance * pixel_ratio))))
        , m_size(std::max(1, static_cast<int>(std::lround(1.6 * pixel_ratio))))
    {
        const QColor tint(blended(style.colours.card, cachedColour(style.colours)));
        const QRgb dot = blended(tint, privateColour(style.colours));
        m_pixels.resize(static_cast<std::size_t>(height));
        for (int i = 0; i < height; ++i) {
            m_pixels[static_cast<std::size_t>(i)] =
                (height - 1 - i) % m_distance < m_size ? dot : tint.rgb();
        }
    }
    /// From the floor up; null where the column lies between dots.
    [[nodiscard]] const QRgb* at(int x) const
    {
        return x % m_distance < m_size ? m_pixels.data() : nullptr;
    }

private:
    int m_distance;
    int m_size;
    std::vector<QRgb> m_pixels;
};

/// Fills what a column holds above its bands, and the rest with the background and its grid.
class AboveFiller {
public:
    AboveFiller(int height, Interval<double> bytes, const TimelineStyle& style, double pixel_ratio)
        : m_height(height)
        , m_bottom(bytes.begin)
        , m_pixels_per_byte(height / (bytes.end - bytes.begin))
        , m_shows_cached(style.showsCached())
        , m_card(style.colours.card.rgb())
        , m_grid(blended(style.colours.card, style.colours.grid))
        , m_cached(blended(style.colours.card, cachedColour(style.colours)))
        , m_cached_grid(blended(style.colours.grid, cachedColour(style.colours)))
        , m_dots(height, style, pixel_ratio)
    {
        const int thick = std::max(1, static_cast<int>(std::lround(pixel_ratio)));
        for (const AxisTick& tick : byteTicks(bytes, byteTickCount(height / pixel_ratio))) {
            const int row = pixelsOf(std::llround(tick.at));
            for (int i = 0; tick.at > bytes.begin && i < thick && row + i < height; ++i) {
                m_grid_rows.push_back(row + i);
            }
        }
    }
    /// Pixels from the lower edge to a level.
    [[nodiscard]] int pixelsOf(std::int64_t bytes) const
    {
        const double px =
            std::floor((static_cast<double>(bytes) - m_bottom) * m_pixels_per_byte + 0.5);
        return static_cast<int>(std::clamp<double>(px, 0, m_height));
    }
    void fill(QRgb* pixels, int x, int from, const TimelineColumn& column) const
    {
        int level = from;
        if (m_shows_cached && column.in_trace) {
            level = copy(pixels, m_dots.at(x), level, pixelsOf(projection::privateTop(column)),
                         m_cached);
            level = copy(pixels, nullptr, level, pixelsOf(column.reserved), m_cached);
        }
        copy(pixels, nullptr, level, m_height, m_card);
        for (const int row : m_grid_rows) { // Under the tint and the dots.
            if (row >= from && (pixels[row] == m_card || pixels[row] == m_cached)) {
                pixels[row] = pixels[row] == m_card ? m_grid : m_cached_grid;
            }
        }
    }

private:
    static int copy(QRgb* pixels, const QRgb* pattern, int from, int to, QRgb plain)
    {
        if (from >= to) {
            return from;
        }
        if (pattern == nullptr) {
            std::fill(pixels + from, pixels + to, plain);
        } else {
            std::copy(pattern + from, pattern + to, pixels + from);
        }
        return to;
    }

    int m_height;
    double m_bottom;
    double m_pixels_per_byte;
    bool m_shows_cached;
    QRgb m_card;
    QRgb m_grid;
    QRgb m_cached;
    QRgb m_cached_grid;
    Dots m_dots;
    std::vector<int> m_grid_rows; ///< From the floor up.
};

} // namespace

LayerColours::LayerColours(const TimelineStyle& style)
{
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const QColor& own = style.bands[b];
        for (std::size_t s = 0; s < kShades; ++s) {
            const auto shade = [&](double lightness) {
                const auto part = [&](int value) {
                    return std::clamp(static_cast<int>(std::lround(value * lightness)), 0, 255);
                };
                return qRgb(part(own.red()), part(own.green()), part(own.blue()));
            };
            m_fill[b][s] = shade(kLightness[s]);
            m_edge[b][s] = shade(kLightness[s] - kHairline);
        }
    }
}

namespace {

/// What the selected share of a band is filled with, and the rest of it.
class BandFiller {
public:
    BandFiller(const TimelineStyle& style, double pixel_ratio,
               std::span<const projection::SelectedColumn> selected)
        : m_selected(selected)
        , m_edge(style.colours.text.rgb())
        , m_least(static_cast<int>(std::lround(kLeastSelected * pixel_ratio)))
        , m_line(std::max(1, static_cast<int>(std::lround(pixel_ratio))))
    {
        const TimelineStyle pale = selected.empty() ? style : paleStyle(style);
        for (std::size_t i = 0; i < label::kBucketCount; ++i) {
            m_full[i] = style.bands[i].rgb();
            m_rest[i] = pale.bands[i].rgb();
        }
    }
    /// One band of a column between two rows; `rowOf` is the row of a level.
    template <class RowOf>
    void fill(QRgb* pixels, int bottom, int top, std::size_t column, std::size_t band,
              std::int64_t level, const RowOf& rowOf) const
    {
        std::fill(pixels + bottom, pixels + top, m_rest[band]);
        const std::int64_t bytes = column < m_selected.size() ? m_selected[column].bands[band] : 0;
        if (bytes <= 0) {
            return;
        }
        const int end = std::min(top, std::max(rowOf(level + bytes), bottom + m_least));
        std::fill(pixels + bottom, pixels + end, m_full[band]);
        if (end < top && end - bottom >= m_least + m_line) {
            std::fill(pixels + end - m_line, pixels + end, m_edge);
        }
    }

private:
    std::span<const projection::SelectedColumn> m_selected;
    QRgb m_edge;
    int m_least;
    int m_line;
    std::array<QRgb, label::kBucketCount> m_full{};
    std::array<QRgb, label::kBucketCount> m_rest{};
};

} // namespace

TimelineStyle paleStyle(const TimelineStyle& style)
{
    TimelineStyle pale = style;
    for (QColor& band : pale.bands) {
        QColor above = band;
        above.setAlphaF(kPale);
        band = QColor(blended(style.colours.card, above));
    }
    return pale;
}

void fillBands(QImage& image, const TimelineProjection& projection, Interval<double> bytes,
               const TimelineStyle& style, double pixel_ratio,
               std::span<const projection::SelectedColumn> selected)
{
    const BandFiller band(style, pixel_ratio, selected);
    ColumnWriter writer(image);
    const AboveFiller above(image.height(), bytes, style, pixel_ratio);
    const int count = std::min(image.width(), static_cast<int>(projection.columns.size()));
    for (int x = 0; x < count; ++x) {
        const TimelineColumn& column = projection.columns[static_cast<std::size_t>(x)];
        QRgb* const pixels = writer.next();
        std::int64_t level = 0;
        int filled = 0;
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            if (column.buckets[b] <= 0 || !label::isIn(style.visible, label::bucketAt(b))) {
                continue;
            }
            const std::int64_t bottom = level;
            level += column.buckets[b];
            const int top = above.pixelsOf(level);
            band.fill(pixels, filled, top, static_cast<std::size_t>(x), b, bottom,
                      [&above](std::int64_t at) { return above.pixelsOf(at); });
            filled = top;
        }
        above.fill(pixels, x, filled, column);
    }
    writer.flush();
}

PickedColours::PickedColours(const TimelineStyle& style, const Selection* selection)
    : m_selection(selection != nullptr && selection->ids.size() > 1 ? selection : nullptr)
    , m_full(style)
    , m_pale(paleStyle(style))
{
}

void fillLayers(QImage& image, const TimelineProjection& projection,
                const projection::AllocationLayers& layers, const TimelineStyle& style,
                double pixel_ratio, const Selection* selection)
{
    const PickedColours picked(style, selection);
    ColumnWriter writer(image);
    const AboveFiller above(image.height(), {layers.bottom_bytes, layers.top_bytes}, style,
                            pixel_ratio);
    const auto hairline = static_cast<std::uint32_t>(std::max(1L, std::lround(pixel_ratio)));
    const auto hairline_from = static_cast<std::uint32_t>(kHairlineFrom * pixel_ratio);
    std::vector<std::uint32_t> tops; // Of the column's records, in pixels.
    const std::size_t count = std::min({static_cast<std::size_t>(image.width()),
                                        projection.columns.size(), layers.columns.size()});
    for (std::size_t x = 0; x < count; ++x) {
        const projection::LayerColumn& column = layers.columns[x];
        QRgb* const pixels = writer.next();
        tops.resize(column.shared);
        std::uint32_t filled = tops.empty() ? 0 : tops.back();
        std::copy_n(writer.before(), filled, pixels);
        for (std::uint32_t i = 0; i < column.count; ++i) {
            const projection::LayerRecord& record = layers.records[column.first + i];
            const LayerColours& colours = picked.of(record);
            const bool has_edge = record.top_px - filled >= hairline_from;
            const std::uint32_t edge = has_edge ? record.top_px - hairline : record.top_px;
            std::fill(pixels + filled, pixels + edge, colours.of(record));
            if (has_edge) {
                std::fill(pixels + edge, pixels + record.top_px, colours.edgeOf(record));
            }
            filled = record.top_px;
            tops.push_back(filled);
        }
        above.fill(pixels, static_cast<int>(x), static_cast<int>(filled), projection.columns[x]);
    }
    writer.flush();
}

} // namespace tidemark::ui
