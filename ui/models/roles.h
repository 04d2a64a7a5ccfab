// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/Qt>

namespace tidemark::ui {

/// What the item models tell their delegates beside the text.
enum ItemRole : int {
    BucketRole = Qt::UserRole + 1, ///< int: label::Bucket, where the row or cell stands for one.
    BytesRole, ///< qint64, exact.
    AllocationRole, ///< uint: AllocationId.
    OperationRole, ///< QString: what made the allocation.
    FrameRole, ///< QString: the telling line.
    StatusRole, ///< int: diagnose::FixStatus.
    EmphasisRole, ///< int: Emphasis.
    BarRole, ///< double, −1 to 1: a bar to the left or the right of the middle.
    BarBucketRole, ///< int: label::Bucket that a bar is about.
    HeatRole, ///< double, −1 to 1: less or more than what it is held against, as a colour.
    BandRole, ///< int: number of a group of allocations, for its colour; −1: of all small ones.
    SizeRole, ///< QString: bytes in the unit of the list.
    CountRole, ///< QString: "6 × 384 MiB", of several that are alike.
    BriefRole, ///< QString: what tells the cell's words apart from those above and below.
    PartsRole, ///< QVariantList of double: per bucket its share of everything, for a bar.
};

/// How loudly a row speaks.
enum class Emphasis : int { normal, strong, secondary };

} // namespace tidemark::ui
