# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""How the capture module writes its files: whole or not at all, and nothing of others'."""

import os
import pathlib
import pickle
import stat
import threading
import unittest

from capture_case import CaptureCase


class FileTest(CaptureCase):
    def setUp(self):
        super().setUp()
        self.room = pathlib.Path(self.folder.name)

    def record(self, path=None):
        with self.capture.record(path or self.path):
            pass

    def mode(self, name="run.pickle"):
        return stat.S_IMODE(os.stat(self.room / name).st_mode)

    def test_a_new_file_has_the_permissions_of_any_new_file(self):
        umask = os.umask(0o027)
        try:
            self.record()
        finally:
            os.umask(umask)
        self.assertEqual(self.mode(), 0o640)

    def test_a_file_that_is_replaced_keeps_its_permissions(self):
        self.record()
        os.chmod(self.path, 0o600)
        self.record()
        self.assertEqual(self.mode(), 0o600)

    def test_unfinished_files_have_names_that_nobody_can_foresee(self):
        seen, replace = [], os.replace

        def watched(source, target):
            seen.append(source)
            replace(source, target)

        os.replace = watched
        try:
            self.record()
            self.record()
        finally:
            os.replace = replace
        self.assertEqual(len(set(seen)), 2)
        self.assertNotIn(str(os.getpid()), "".join(seen).replace(self.folder.name, ""))

    def test_a_name_that_is_taken_is_not_written_to(self):
        self.capture.secrets.token_hex, token_hex = lambda _: "taken", self.capture.secrets.token_hex
        others = self.room / "others"
        others.write_text("kept", encoding="utf-8")
        (self.room / "run.pickle.taken.part").symlink_to(others)
        try:
            with self.warned("dump failed (FileExistsError"):
                self.record()
        finally:
            self.capture.secrets.token_hex = token_hex
        self.assertEqual(others.read_text(encoding="utf-8"), "kept")
        self.assertTrue((self.room / "run.pickle.taken.part").is_symlink())

    def test_what_fails_on_the_way_leaves_the_file_before_and_nothing_else(self):
        self.record()
        before = (self.room / "run.pickle").read_bytes()
        for error in (OSError("disk full"), KeyboardInterrupt()):
            def dump(*_, **__):
                raise error

            self.capture.pickle, kept = type("pickle", (), {"dump": staticmethod(dump)}), self.capture.pickle
            try:
                if isinstance(error, OSError):
                    with self.warned("disk full"):
                        self.record()
                else:
                    with self.assertRaises(KeyboardInterrupt):
                        self.record()
            finally:
                self.capture.pickle = kept
            self.assertEqual(self.files(), ["run.pickle"])
            self.assertEqual((self.room / "run.pickle").read_bytes(), before)

    def test_a_link_stays_and_leads_to_the_file(self):
        (self.room / "scratch").mkdir()
        (self.room / "run.pickle").symlink_to(self.room / "scratch" / "big.pickle")
        self.record()
        self.assertTrue((self.room / "run.pickle").is_symlink())
        self.assertEqual(self.read("scratch/big.pickle")["tidemark"]["reason"], "end")

    def test_a_relative_path_is_one_from_where_the_recorder_was_made(self):
        """Programs change their folder, or work in one that is gone by the end."""
        before, later = os.getcwd(), self.room / "later"
        later.mkdir()
        try:
            os.chdir(self.room)
            recorder = self.capture.record("run.pickle")
            with self.warned(), recorder:
                os.chdir(later)
                later.rmdir()
            self.assertEqual((self.files(), recorder.files), (["run.pickle"], [os.path.join(os.path.realpath(self.room), "run.pickle")]))
            with self.warned(), self.capture.record(self.path):  # made where there is no folder
                pass
        finally:
            os.chdir(before)

    def test_what_is_no_file_is_not_replaced(self):
        """The superuser may replace /dev/null, which nobody wants."""
        os.mkfifo(self.path)
        read = []
        reader = threading.Thread(target=lambda: read.append((self.room / "run.pickle").read_bytes()), daemon=True)
        reader.start()
        with self.warned():
            self.record()
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path).st_mode))
        reader.join(20)
        self.assertEqual(pickle.loads(read[0])["tidemark"]["reason"], "end")
        self.assertEqual(self.files(), ["run.pickle"])

    def test_long_names(self):
        name = "x" * 248 + ".pickle"
        with self.warned():
            self.record(str(self.room / name))
        self.assertEqual(self.files(), [name])

    def test_many_writers_of_one_file(self):
        whole = [{"writer": i, "bytes": bytes(100_000)} for i in range(20)]
        threads = [threading.Thread(target=self.capture._write_whole, args=(
            self.path, lambda file, one=one: pickle.dump(one, file))) for one in whole]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.files(), ["run.pickle"])
        self.assertIn(self.read(), whole)

    def test_what_cannot_be_written_is_said_at_the_start_and_tried_at_the_end(self):
        (self.room / "taken").write_text("no folder", encoding="utf-8")
        (self.room / "folder.pickle").mkdir()
        for path in ("taken/run.pickle", "taken/deeper/run.pickle", "folder.pickle", "/proc/nowhere/run.pickle"):
            with self.subTest(path):
                recorder = self.capture.record(os.path.join(self.room, path))
                with self.warned(f"{os.path.join(self.room, path)} cannot be written ("):
                    recorder.start()
                with self.warned("dump failed"):
                    recorder.stop()
        self.assertEqual(self.files(), ["folder.pickle", "taken"])

    def test_what_can_be_written_by_the_end_is(self):
        (self.room / "late").write_text("no folder yet", encoding="utf-8")
        recorder = self.capture.record(os.path.join(self.room, "late", "run.pickle"))
        with self.warned("NotADirectoryError"):
            recorder.start()
        (self.room / "late").unlink()
        with self.warned():
            recorder.stop()
        self.assertEqual(self.read("late/run.pickle")["tidemark"]["reason"], "end")

    def test_a_folder_that_is_not_there_is_made_when_there_is_something_to_write(self):
        recorder = self.capture.record(os.path.join(self.room, "new", "deeper", "run.pickle"))
        with self.warned():
            recorder.start()
            self.assertEqual(self.files(), [])
            recorder.stop()
        self.assertEqual(self.read("new/deeper/run.pickle")["tidemark"]["reason"], "end")


if __name__ == "__main__":
    unittest.main(verbosity=1)
