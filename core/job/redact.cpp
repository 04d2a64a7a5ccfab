// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/redact.h"

namespace tidemark::job {

void redact(Job& job, pipeline::Redaction& names)
{
    for (const RankSummary& row : job.rows) {
        names.noteFile(row.file);
        names.noteHost(row.host);
        names.noteText(row.error);
        names.noteText(row.failure);
        names.noteText(row.settings);
    }
    for (const Sentence& sentence : job.sentences) {
        names.noteText(sentence.text);
    }
    for (const std::string& note : job.notes) {
        names.noteText(note);
    }
    for (RankSummary& row : job.rows) {
        row.file = names.path(row.file);
        row.snapshot.clear();
        row.error = names.text(row.error);
        row.host = names.name(row.host);
        row.failure = names.text(row.failure);
        row.moment.words = names.name(row.moment.words);
        row.settings = names.text(row.settings);
        for (PlaceBytes& place : row.places) {
            place.line = names.name(place.line);
        }
    }
    for (Sentence& sentence : job.sentences) {
        sentence.text = names.text(sentence.text);
    }
    for (Outlier& outlier : job.outliers) {
        outlier.because = names.text(outlier.because);
    }
    for (std::string& note : job.notes) {
        note = names.text(note);
    }
    job.notes.push_back(names.sentence());
}

} // namespace tidemark::job
