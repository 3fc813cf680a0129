"""Tests of `mines.files`: what is written is read again, and what is malformed is refused with place and reason."""

import errno
import os
import re

import naive
import naive_mines
import numpy as np
import pytest

from gridlab import mines
from gridlab.mines import files

#: What it takes to go through text and back: writer and reader.
PAIRS = {
    "text": (mines.text, mines.parse),
    "numbers": (lambda board: mines.text(board, numbers=True), mines.parse),
    "mbf": (mines.to_mbf, mines.from_mbf),
    "rawvf": (mines.to_rawvf, mines.from_rawvf),
}

#: A raw video as programs write it, with what comes before and after the board; made for this test.
VIDEO = """RawVF_Version: Rev6
Program: Some sweeper
Version: 0.1
Player: Height: 7
Level: Custom
Width: 4
Height: 3
Mines: 2
Marks: Off
Time: 1.234
BBBV: 3
Board:
0*00
0000
000*
Events:
0.000 start
0.120 lc 1 3 (8 40)
0.200 lr 1 3 (8 40) (l)
0.200 number0 1 3
0.930 won
"""


def random_boards():
    """Boards of many shapes and densities, none and all mined among them."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        yield rng.random(rng.integers(1, 12, 2)) < rng.choice([0, 0.2, 0.5, 1])
    yield from (np.ones((1, 1), bool), np.zeros((1, 1), bool), np.ones((1, 30), bool), np.zeros((30, 1), bool))


@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_written_is_read_again(pair):
    write, read = PAIRS[pair]
    for board in random_boards():
        again = read(write(board))
        assert again.dtype == bool
        assert np.array_equal(again, board)
    assert np.array_equal(read(write([[0, 1, 0], [0, 0, 0]])), [[0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize("suffix", [".txt", ".mbf", ".rawvf", ".RAWVF"])
def test_files(tmp_path, suffix):
    for number, board in enumerate(random_boards()):
        path = tmp_path / f"{number}{suffix}"
        mines.save(path, board)
        assert np.array_equal(mines.load(path), board)
        mines.save(str(path), ~board)  # over the old one
        assert np.array_equal(mines.load(str(path)), ~board)
    assert len(list(tmp_path.iterdir())) == number + 1  # no parts are left


def test_text_by_hand():
    for board in random_boards():
        cells, shape = naive.cells_of(board), board.shape
        shown = naive_mines.by_counting(cells, shape)
        signs = {cell: "*" if cell in cells else "." for cell in shown}
        numbers = {cell: "*" if cell in cells else str(shown[cell] or ".") for cell in shown}
        for text, expected in ((mines.text(board), signs), (mines.text(board, numbers=True), numbers)):
            rows = ["".join(expected[row, col] for col in range(shape[1])) for row in range(shape[0])]
            assert text == "\n".join(rows)


@pytest.mark.parametrize("picture", ["../00/11/*1", "00\n00\n11\n*1\n", "\n . 0\r\n..\r\n 1.\r\n\t*1 ", "../../../*."])
def test_pictures(picture):
    assert mines.parse(picture).tolist() == [[False, False], [False, False], [False, False], [True, False]]


def test_mbf_byte_by_byte():
    """Width before height, x before y, and the number of mines with its high byte first."""
    board = np.zeros((3, 200), bool)
    board[0, 199] = board[2, 7] = True
    assert mines.to_mbf(board) == bytes([200, 3, 0, 2, 199, 0, 7, 2])
    board = np.ones((16, 30), bool)
    board[-1, -1] = False
    data = mines.to_mbf(board)
    assert data[:4] == bytes([30, 16, 1, 223])  # 479 mines = 256 + 223
    assert len(data) == 4 + 2 * 479
    assert np.array_equal(mines.from_mbf(data), board)
    backwards = data[:4] + b"".join(data[i : i + 2] for i in range(len(data) - 2, 2, -2))
    assert np.array_equal(mines.from_mbf(backwards), board)
    assert np.array_equal(mines.from_mbf(bytearray(data)), board)
    largest = np.ones((255, 255), bool)
    assert np.array_equal(mines.from_mbf(mines.to_mbf(largest)), largest)


def test_rawvf_of_a_whole_video():
    board = mines.parse(".*.. / .... / ...*")
    changes = {
        "as it is": VIDEO,
        "other ends of lines": VIDEO.replace("\n", "\r\n"),
        "no number of mines": VIDEO.replace("Mines: 2\n", ""),
        "small letters, more blanks": VIDEO.replace("Width: 4", "width:4 ").replace("Board:", "board: "),
        "no events": VIDEO[: VIDEO.index("Events")],
        "cut off after the last cell": VIDEO[: VIDEO.index("\nEvents")],
        "a line without a colon": "Nothing\n" + VIDEO,
    }
    for change, video in changes.items():
        assert np.array_equal(mines.from_rawvf(video), board), change


@pytest.mark.parametrize(
    ("level", "name"), [*((level, level.capitalize()) for level in mines.LEVELS), (None, "Custom")]
)
def test_the_header_of_rawvf(level, name):
    shape, n_mines = mines.LEVELS[level] if level else ((16, 30), 98)
    lines = mines.to_rawvf(mines.floyd(shape, n_mines, rng=1)).splitlines()
    assert lines[0].startswith("RawVF_Version: ")
    assert lines[2:7] == [f"Level: {name}", f"Width: {shape[1]}", f"Height: {shape[0]}", f"Mines: {n_mines}", "Board:"]
    assert lines[-1] == "Events:"
    assert len(lines) == 7 + shape[0] + 1


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        ("", "picture must have at least one cell, got none"),
        (" / \n", "picture must have at least one cell, got none"),
        ("*.\n\n.*", "picture must be of one board, got an empty row 1: are they several?"),
        ("*. / *", "picture must have rows of 2 cells, got 1 in row 1"),
        ("*. / *..", "picture must have rows of 2 cells, got 3 in row 1"),
        (".. / .x", "picture must be made of * . and 0 to 8, got 'x' at row 1, column 1"),
        (".9", "picture must be made of * . and 0 to 8, got '9' at row 0, column 1"),
        (".²", "picture must be made of * . and 0 to 8, got '²' at row 0, column 1"),
        ("*1 / 1.", None),
        ("*1 / .2", "the number of mines around it in each digit, 1 at row 1, column 1, got 2"),
        ("*0", "the number of mines around it in each digit, 1 at row 0, column 1, got 0"),
        ("..1", "the number of mines around it in each digit, 0 at row 0, column 2, got 1"),
    ],
)
def test_malformed_pictures(picture, message):
    if message is None:  # the digits that the others get wrong
        assert mines.parse(picture).sum() == 1
        return
    with pytest.raises(ValueError, match=re.escape(message)):
        mines.parse(picture)


GOOD = bytes([4, 3, 0, 2, 1, 0, 3, 2])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "data must begin with 4 bytes for width, height and number of mines, got 0"),
        (GOOD[:3], "data must begin with 4 bytes for width, height and number of mines, got 3"),
        (GOOD[:4], "data must have 8 bytes for 2 mines, got 4"),
        (GOOD[:-1], "data must have 8 bytes for 2 mines, got 7"),
        (GOOD + b"\0", "data must have 8 bytes for 2 mines, got 9"),
        (GOOD + b"\r\n", "data must have 8 bytes for 2 mines, got 10"),
        (bytes([0, 3, 0, 0]), "data must have sides of at least 1 in bytes 0 and 1, got width 0 and height 3"),
        (bytes([4, 0, 0, 0]), "data must have sides of at least 1 in bytes 0 and 1, got width 4 and height 0"),
        (bytes([4, 3, 0, 13]) + bytes(26), "data must have at most 12 mines in bytes 2 and 3, got 13"),
        (bytes([4, 3, 2, 0, 1, 0, 3, 2]), "data must have at most 12 mines in bytes 2 and 3, got 512"),
        (bytes([4, 3, 0, 2, 1, 0, 2, 3]), "with x from 0 to 3 and y from 0 to 2, got x = 2, y = 3 in bytes 6 and 7"),
        (bytes([4, 3, 0, 2, 4, 0, 3, 2]), "with x from 0 to 3 and y from 0 to 2, got x = 4, y = 0 in bytes 4 and 5"),
        (
            bytes([4, 3, 0, 3, 1, 0, 3, 2, 1, 0]),
            "data must have each mine once, got x = 1, y = 0 in bytes 8 and 9 again",
        ),
    ],
)
def test_malformed_mbf(tmp_path, data, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        mines.from_mbf(data)
    path = tmp_path / "bad.mbf"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=re.escape(f"{path}: ") + ".*" + re.escape(message)):
        mines.load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Board:", "Bord:", "content must have a line 'Board:', got none"),
        ("Width: 4\n", "", "content must have a line 'Width:' before 'Board:', got none"),
        ("\nHeight: 3", "", "content must have a line 'Height:' before 'Board:', got none"),
        ("Width: 4", "Width: 0", "Width of content must be an integer, at least 1, got '0' in line 6"),
        ("Height: 3", "Height: -3", "Height of content must be an integer, at least 1, got '-3' in line 7"),
        ("Height: 3", "Height: three", "Height of content must be an integer, at least 1, got 'three' in line 7"),
        ("Mines: 2", "Mines:", "Mines of content must be an integer, at least 0, got '' in line 8"),
        ("Mines: 2", "Mines: " + 5000 * "9", "Mines of content must be an integer, at least 0, got '9999"),
        ("Width: 4", "Width: 2000000000", "shape must have at most 2**30 cells, got 3x2000000000"),
        ("Width: 4", "Width: 4\nWidth: 4", "content must have one line 'Width:', got them in lines 6, 7"),
        ("Width: 4", "Width: 5", "content must have rows of 5 cells (Width), got 4 in line 13"),
        ("0000\n", "000\n", "content must have rows of 4 cells (Width), got 3 in line 14"),
        ("0000\n", "0*00*\n", "content must have rows of 4 cells (Width), got 5 in line 14"),
        ("0000\n", "", "must have 3 rows (Height) of * and 0 after 'Board:', got 2 and then 'Events:' in line 15"),
        ("0000\n", "0000\n0000\n", "must have 3 rows (Height) of * and 0 after 'Board:', got 4 and then 'Events:'"),
        ("0000\n", "\n0000\n", "must have 3 rows (Height) of * and 0 after 'Board:', got 1 and then '' in line 14"),
        ("0000\n", "00x0\n", "must have 3 rows (Height) of * and 0 after 'Board:', got 1 and then '00x0' in line 14"),
        (VIDEO[VIDEO.index("\n000*") :], "", "(Height) of * and 0 after 'Board:', got 2 and then the end of it"),
        (VIDEO[VIDEO.index("\n0*00") :], "", "(Height) of * and 0 after 'Board:', got 0 and then the end of it"),
        ("Mines: 2", "Mines: 3", "content must have 3 mines (Mines) after 'Board:', got 2"),
        ("Mines: 2", "Mines: 0", "content must have 0 mines (Mines) after 'Board:', got 2"),
        (VIDEO, "", "content must have a line 'Board:', got none"),
    ],
)
def test_malformed_rawvf(tmp_path, old, new, message):
    assert VIDEO.count(old) == 1
    video = VIDEO.replace(old, new)
    with pytest.raises(ValueError, match=re.escape(message)):
        mines.from_rawvf(video)
    path = tmp_path / "bad.rawvf"
    path.write_text(video, "utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{path}: ") + ".*" + re.escape(message)):
        mines.load(path)


@pytest.mark.parametrize(("suffix", "spare"), [(".mbf", 0), (".rawvf", len("\nEvents:\n"))])
def test_a_file_that_is_cut_off_is_refused(tmp_path, suffix, spare):
    """Wherever it is cut before the end of the board. Not so a picture: it does not say how many rows it has."""
    board = mines.parse("*.. / .*. / *.* / ..*")
    path = tmp_path / f"board{suffix}"
    mines.save(path, board)
    data = path.read_bytes()
    for n in range(len(data) - spare):
        path.write_bytes(data[:n])
        with pytest.raises(ValueError, match=re.escape(f"{path}: ")):
            mines.load(path)
    for n in range(len(data) - spare, len(data) + 1):
        path.write_bytes(data[:n])
        assert np.array_equal(mines.load(path), board)


def test_what_is_no_text_is_refused(tmp_path):
    noise = bytes(range(256)) * 4
    for suffix, message in (
        (".txt", "picture must"),
        (".rawvf", "content must have a line 'Board:'"),
        (".mbf", "data must"),
    ):
        path = tmp_path / f"noise{suffix}"
        path.write_bytes(noise)
        with pytest.raises(ValueError, match=message):
            mines.load(path)
    path = tmp_path / "gbk.txt"
    path.write_bytes(b"..\n.\xce")
    with pytest.raises(ValueError, match=r"gbk\.txt: picture must be made of .* at row 1, column 1"):
        mines.load(path)


def test_names_that_are_no_utf_8_and_marks_of_byte_order_do_no_harm(tmp_path):
    path = tmp_path / "old.rawvf"
    path.write_bytes(VIDEO.replace("Height: 7", "???").encode().replace(b"???", b"J\xfcrgen \xce\xd2"))
    assert mines.load(path).sum() == 2
    path = tmp_path / "marked.txt"
    path.write_bytes(b"\xef\xbb\xbf*1\r\n11\r\n")
    assert mines.load(path).tolist() == [[True, False], [False, False]]


def test_other_refusals(tmp_path):
    for write in (mines.text, mines.to_mbf, mines.to_rawvf, lambda board: mines.save(tmp_path / "a.txt", board)):
        with pytest.raises(ValueError, match="board must have 2 axes, got 3"):
            write(np.zeros((1, 2, 3), bool))
        with pytest.raises(TypeError, match="board must be a bool array"):
            write([[0.0]])
        with pytest.raises(ValueError, match=r"board must have shape .* with sides of at least 1, got"):
            write(np.zeros((0, 3), bool))
    with pytest.raises(TypeError, match="numbers must be True or False, got 'yes'"):
        mines.text([[0]], numbers="yes")
    with pytest.raises(ValueError, match="board must have sides of at most 255 for mbf, got 2x256"):
        mines.to_mbf(np.zeros((2, 256), bool))
    with pytest.raises(ValueError, match="board must have sides of at most 255 for mbf, got 256x2"):
        mines.save(tmp_path / "a.mbf", np.zeros((256, 2), bool))
    for read in (mines.parse, mines.from_mbf, mines.from_rawvf, mines.load):
        with pytest.raises(TypeError, match="must be"):
            read(3)
    with pytest.raises(TypeError, match="data must be bytes, got str"):
        mines.from_mbf("x")
    with pytest.raises(TypeError, match="content must be a text, got bytes"):
        mines.from_rawvf(b"x")
    for path in ("board.png", "board", "mbf", ".mbf"):
        with pytest.raises(ValueError, match=r"path must end in \.txt, \.mbf or \.rawvf, got"):
            mines.load(path)
        with pytest.raises(ValueError, match=r"path must end in \.txt, \.mbf or \.rawvf, got"):
            mines.save(path, [[0]])
    with pytest.raises(FileNotFoundError):
        mines.load(tmp_path / "nothing.mbf")
    assert not list(tmp_path.iterdir())


def test_an_old_file_outlives_a_write_that_fails(tmp_path, monkeypatch):
    path = tmp_path / "board.txt"
    mines.save(path, [[1]])

    def full(*_):
        raise OSError(errno.ENOSPC, "disk full")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(OSError, match="disk full"):
        mines.save(path, [[0]])
    assert path.read_text() == "*\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="links and permissions are other ones")
@pytest.mark.parametrize("suffix", files.FORMATS)
def test_links_and_permissions_stay_and_errors_name_the_file(tmp_path, suffix):
    (tmp_path / "there").mkdir()
    path, link = tmp_path / "there" / f"board{suffix}", tmp_path / f"link{suffix}"
    link.symlink_to(path)
    mines.save(link, [[1, 0]])
    path.chmod(0o600)
    mines.save(link, [[0, 1]])
    assert link.is_symlink()
    assert mines.load(path).tolist() == [[False, True]]
    assert path.stat().st_mode & 0o777 == 0o600
    for wrong, error in ((tmp_path / "there", IsADirectoryError), (tmp_path / "nowhere" / "board", FileNotFoundError)):
        wrong = wrong.with_suffix(suffix)
        if error is IsADirectoryError:
            wrong.mkdir()
        with pytest.raises(error, match=f": {re.escape(repr(str(wrong)))}$"):
            mines.save(wrong, [[1]])
    for use in (mines.load, lambda path: mines.save(path, [[1]])):
        with pytest.raises(ValueError, match=r"path must have no null character, got 'a\\x00b\."):
            use(f"a\0b{suffix}")
