"""Scene documents: round trips, and one line for everything that is not allowed."""

from __future__ import annotations

import os
import re
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whitecap.app import arguments
from whitecap.app.choices import chosen_grid
from whitecap.app.errors import UserError
from whitecap.app.lab.checkpoint import load_checkpoint, save_checkpoint
from whitecap.app.lab.document import Document, load, parse, save, to_text
from whitecap.app.lab.probes import Probe
from whitecap.app.lab.session import scene_parameters
from whitecap.app.lab.setup import Setup
from whitecap.app.lab.sources import SIGNALS, SOURCE_KINDS, Source
from whitecap.app.lab.walls import EDGES, Boundaries, Box, Disc, Polygon, Stamp, Stroke
from whitecap.app.limits import MAX_CELLS, MAX_SUBSTEPS
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene

unit = st.floats(0, 1)
place = st.floats(-4, 4)
points = st.lists(st.tuples(place, place), min_size=3, max_size=6).map(tuple)
kinds = st.sampled_from(["reflecting", "absorbing", "water"])
walls = st.one_of(
    st.builds(Stroke, points, st.floats(0, 4), kinds),
    st.builds(Box, place, place, place, place, kinds),
    st.builds(Box, place, place, place, place, st.just("slow"), st.floats(0.1, 1)),
    st.builds(Disc, place, place, st.floats(1, 4), st.floats(0, 1), st.booleans(), kinds),
    st.builds(Polygon, points, kinds),
    st.builds(lambda bits: Stamp(4, 3, bytes(bits)), st.lists(st.integers(0, 1), min_size=12, max_size=12)),
)
sources = st.builds(
    Source,
    kind=st.sampled_from(SOURCE_KINDS),
    x=unit,
    y=unit,
    x2=unit,
    y2=unit,
    frequency=st.floats(0.01, 100),
    amplitude=st.floats(-10, 10),
    phase=st.floats(-360, 360),
    radius=st.floats(0, 0.5),
    signal=st.sampled_from(SIGNALS),
    cycles=st.floats(0, 1000),
    every=st.floats(0, 1000),
    speed=st.floats(0, 1000),
    enabled=st.booleans(),
)
edges = st.sampled_from([edge for edge in EDGES if edge != "periodic"])
setups = st.builds(
    Setup,
    scene=st.sampled_from(["wave", "tank"]),
    grid=st.builds(
        lambda w, s, cell: Grid(w, w, s, cell),
        st.integers(1, int(MAX_CELLS**0.5)),
        st.integers(1, MAX_SUBSTEPS),
        st.floats(1e-4, 1e3),
    ),
    time_scale=st.floats(0.1, 4),
    parameters=st.dictionaries(st.sampled_from(["k_speed", "k_damp", "radius"]), st.floats(0, 1e6)),
    boundaries=st.builds(Boundaries, edges, edges, st.just("periodic"), st.just("periodic"), st.floats(0, 0.5)),
    walls=st.lists(walls, max_size=4).map(tuple),
    sources=st.lists(sources, max_size=3).map(tuple),
    probes=st.lists(st.builds(Probe, unit, unit), max_size=3).map(tuple),
)
looks = st.dictionaries(
    st.sampled_from(["mode", "colormap", "contours", "depth"]),
    st.one_of(st.booleans(), st.integers(-5, 5), st.floats(-1e6, 1e6), st.text(max_size=20)),
)


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        Document,
        title=st.text(max_size=40),
        note=st.text(max_size=80),
        setup=setups,
        look=looks,
        camera=st.sampled_from(["", "yaw=1 pitch=2 distance=3 target=4,5,6.5"]),
    )
)
def test_any_document_survives_the_round_trip(document: Document) -> None:
    read = parse(to_text(document))
    assert read == document


@pytest.mark.parametrize("flags", ["--substeps 100", "--substeps 1024", "--width 1 --height 1", "--width 16384"])
def test_whatever_grid_the_command_line_allows_can_be_saved_and_opened(tmp_path: Path, flags: str) -> None:
    grid = chosen_grid(arguments.parse(flags.split())[1], find_scene("wave"))
    save(tmp_path / "a.toml", Document(setup=Setup(grid=grid)))
    assert load(tmp_path / "a.toml", scene_parameters).setup.grid == grid


def test_a_file_survives_the_round_trip(tmp_path: Path) -> None:
    document = Document("Bay", "Look left.", Setup(scene="tank", sources=(Source(x=0.25, x2=0.25, y2=0.5),)))
    save(tmp_path / "bay.toml", document)
    assert load(tmp_path / "bay.toml") == document


def test_the_smallest_document_takes_every_default() -> None:
    assert parse("whitecap = 1") == Document()


def test_every_source_and_probe_gets_a_uid_of_its_own() -> None:
    text = "whitecap = 1\n" + "[[sources]]\nx = 0.5\ny = 0.5\n" * 3 + "[[probes]]\nx = 0.1\ny = 0.2\n" * 2
    setup = parse(text).setup
    uids = [item.uid for item in (*setup.sources, *setup.probes)]
    assert len(set(uids)) == 5
    assert setup.free_uid() not in uids


def test_missing_parameters_take_the_scenes_defaults() -> None:
    setup = parse('whitecap = 1\nscene = "tank"\n[parameters]\nk_speed = 30', "a", scene_parameters).setup
    assert setup.parameters["k_speed"] == 30
    assert set(setup.parameters) == {"k_speed", "k_damp", "radius", "magnitude"}


SOURCE = "[[sources]]\nx = 0.5\ny = 0.5\n"
BOX = '[[walls]]\nshape = "box"\nx0 = 0\ny0 = 0\nx1 = 1\ny1 = 1\n'
REFUSALS = [
    ("", "no Whitecap scene, as it lacks the line `whitecap = 1`"),
    ("whitecap = 0", "whitecap is 0: give the version of the format, which is 1"),
    ("whitecap = 99", "whitecap is 99: this release reads up to 1; install a newer one"),
    (f"whitecap = {1 << 40}", f"whitecap is {1 << 40}: this release reads up to 1"),
    ("whitecap = true", "whitecap is true: give the version of the format, which is 1$"),
    ("whitecap = '1'", "whitecap is '1': give the version of the format"),
    ("whitecap = 1\nwhitecap = 1", "not valid TOML"),
    ("whitecap = ", "not valid TOML"),
    ("[[[", "not valid TOML"),
    ("whitecap = 1\ntitel = 'x'", "titel is unknown: allowed here are whitecap, title, note"),
    ("whitecap = 1\ntitle = 3", "title is 3: give a text"),
    (f"whitecap = 1\ntitle = '{'x' * 200}'", "title is .*at most 120 characters"),
    ("whitecap = 1\ntime_scale = 9", r"time_scale is 9: give a number from 0.1 to 4"),
    ("whitecap = 1\ntime_scale = nan", "time_scale is nan"),
    ("whitecap = 1\ntime_scale = inf", "time_scale is inf"),
    ("whitecap = 1\ntime_scale = '1'", "time_scale is '1'"),
    ("whitecap = 1\nscene = 'moon'", "scene is 'moon': give wave or tank"),
    ("whitecap = 1\nscene = '/tmp/evil.py'", "scene is '/tmp/evil.py': give wave or tank"),
    ("whitecap = 1\ngrid = 3", r"grid is 3: give a table, \[grid\]"),
    ("whitecap = 1\n[grid]\nwidth = 0", "grid.width is 0: give a whole number from 1 to 16384"),
    ("whitecap = 1\n[grid]\nwidth = 99999", "grid.width is 99999"),
    ("whitecap = 1\n[grid]\nwidth = 64.5", "grid.width is 64.5"),
    ("whitecap = 1\n[grid]\nsubsteps = 1025", "grid.substeps is 1025: give a whole number from 1 to 1024"),
    ("whitecap = 1\n[grid]\nwidth = 16384", "grid 16384 x 16384 is too large: at most 67108864 cells"),
    ("whitecap = 1\n[grid]\ncell = 0", "grid.cell is 0"),
    ("whitecap = 1\n[grid]\ncell = -1.0", "grid.cell is -1.0"),
    ("whitecap = 1\n[grid]\nsize = 5", "grid.size is unknown"),
    ("whitecap = 1\n[parameters]\nk_speed = 1e9", "parameters.k_speed is 1000000000.0: give a number from 0 to"),
    ("whitecap = 1\n[parameters]\nspeed = 1", "parameters.speed is unknown: allowed here are k_speed"),
    ("whitecap = 1\n[boundaries]\nleft = 'open'", "boundaries.left is 'open': give one of reflecting, fixed"),
    ("whitecap = 1\n[boundaries]\nleft = 'periodic'", "boundaries.right is 'reflecting': left and right are periodic"),
    ("whitecap = 1\n[boundaries]\nnear = 'periodic'\nfar = 'fixed'", "boundaries.far is 'fixed': far and near"),
    ("whitecap = 1\n[boundaries]\nsponge = 0.9", "boundaries.sponge is 0.9"),
    ("whitecap = 1\n[boundaries]\ntop = 'fixed'", "boundaries.top is unknown"),
    ("whitecap = 1\nwalls = 5", r"walls is 5: give tables, \[\[walls\]\]"),
    ("whitecap = 1\nwalls = [1]", r"walls is \[1\]: give tables"),
    ("whitecap = 1\n[[walls]]\nkind = 'slow'", r"walls\[1\].shape is missing: give one of stroke, box"),
    ("whitecap = 1\n[[walls]]\nshape = 'cube'", r"walls\[1\].shape is 'cube'"),
    (f"whitecap = 1\n{BOX}kind = 'wood'", r"walls\[1\].kind is 'wood': give one of reflecting, absorbing, slow, water"),
    (f"whitecap = 1\n{BOX}{BOX}z = 1", r"walls\[2\].z is unknown"),
    ("whitecap = 1\n[[walls]]\nshape = 'box'\nx0 = 0", r"walls\[1\].y0 is missing"),
    (f"whitecap = 1\n{BOX}speed = 0.01", r"walls\[1\].speed is 0.01"),
    ("whitecap = 1\n[[walls]]\nshape = 'stroke'\nwidth = 0.1\npoints = []", r"points is \[\]: give a list of 1 to"),
    ("whitecap = 1\n[[walls]]\nshape = 'stroke'\nwidth = 0.1\npoints = [[1]]", r"points is \[1\]: give a list"),
    ("whitecap = 1\n[[walls]]\nshape = 'stroke'\nwidth = 0.1\npoints = [[0, nan]]", r"points is \[0, nan\]"),
    ("whitecap = 1\n[[walls]]\nshape = 'stroke'\nwidth = 0.1\npoints = [[0, true]]", r"points is \[0, True\]"),
    ("whitecap = 1\n[[walls]]\nshape = 'stroke'\nwidth = 0.1\npoints = [[0, 1e30]]", "points is"),
    ("whitecap = 1\n[[walls]]\nshape = 'polygon'\npoints = [[0, 0], [1, 1]]", "a list of 3 to"),
    (
        "whitecap = 1\n[[walls]]\nshape = 'disc'\nx = 0\ny = 0\nradius = 1\nhole = 2",
        "hole is 2: give a number from 0 to 1",
    ),
    (
        "whitecap = 1\n[[walls]]\nshape = 'disc'\nx = 0\ny = 0\nradius = 1\noutside = 1",
        "outside is 1: give true or false",
    ),
    (
        "whitecap = 1\n[[walls]]\nshape = 'stamp'\ncolumns = 4\nrows = 1\nruns = ['5']",
        "runs: line 1: its runs add up to 5",
    ),
    ("whitecap = 1\n[[walls]]\nshape = 'stamp'\ncolumns = 4\nrows = 1\nruns = [4]", r"runs is \[4\]: give a list"),
    ("whitecap = 1\n[[walls]]\nshape = 'stamp'\ncolumns = 99999\nrows = 1\nruns = ['4']", "columns is 99999"),
    ("whitecap = 1\n[[sources]]\nx = 0.5", r"sources\[1\].y is missing"),
    (f"whitecap = 1\n{SOURCE}kind = 'laser'", r"sources\[1\].kind is 'laser': give one of point, line, moving, rain"),
    (f"whitecap = 1\n{SOURCE}kind = 'line'", r"sources\[1\].x2 is missing"),
    (f"whitecap = 1\n{SOURCE}frequency = 0", r"sources\[1\].frequency is 0: give a number from 0.01 to 100"),
    (f"whitecap = 1\n{SOURCE}phase = 720", r"sources\[1\].phase is 720"),
    (f"whitecap = 1\n{SOURCE}signal = 'square'", r"sources\[1\].signal is 'square'"),
    (f"whitecap = 1\n{SOURCE}uid = 3", r"sources\[1\].uid is unknown"),
    ("whitecap = 1\n[[sources]]\nx = 1.5\ny = 0.5", r"sources\[1\].x is 1.5: give a number from 0 to 1"),
    ("whitecap = 1\n" + SOURCE * 17, "sources has 17 entries: at most 16"),
    ("whitecap = 1\n" + "[[probes]]\nx = 0.5\ny = 0.5\n" * 9, "probes has 9 entries: at most 8"),
    ("whitecap = 1\n[[probes]]\nx = 0.5\ny = 3", r"probes\[1\].y is 3"),
    ("whitecap = 1\n[look]\nsun = {a = 1}", "look.sun is"),
    ("whitecap = 1\n[look]\nsun = inf", "look.sun is inf"),
    ("whitecap = 1\n[look]\nsun = [1, [2]]", "look.sun is"),
    ("whitecap = 1\ncheckpoint = '../secret.npz'", "checkpoint is '../secret.npz': give the name of a .npz file"),
    ("whitecap = 1\ncheckpoint = 'a.zip'", "checkpoint is 'a.zip'"),
    ("whitecap = 1\ncamera = 5", "camera is 5"),
    ("whitecap = 1\ncamera = 'from above'", "camera is 'from above': give a pose as View copies it, such as yaw="),
]


@pytest.mark.parametrize(("text", "words"), REFUSALS, ids=range(len(REFUSALS)))
def test_what_is_not_allowed_is_refused_in_one_line_that_names_it(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text, "bay.toml", scene_parameters)
    line = str(caught.value)
    assert re.search(words, line), line
    assert line.startswith("bay.toml: ")
    assert "\n" not in line


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UserError):
        parse("whitecap = 1\n" + text)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2000), st.sampled_from("[]=\"'\n.x0-{}#"))
def test_a_damaged_document_is_read_or_refused(where: int, sign: str) -> None:
    text = to_text(
        Document("t", "n", Setup(walls=(Box(0, 0, 1, 1),), sources=(Source(),), probes=(Probe(),)), {"a": 1})
    )
    place = where % len(text)
    with suppress(UserError):
        parse(text[:place] + sign + text[place + 1 :])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^/.*bay\.toml: there is no such file$"):
        load(tmp_path / "bay.toml")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"whitecap = 1\n\xff")
    with pytest.raises(UserError, match="byte 13 is not UTF-8"):
        load(tmp_path / "a.toml")


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.toml").open("wb") as file:
        file.truncate(17 << 20)
    with pytest.raises(UserError, match="larger than 16 MiB"):
        load(tmp_path / "a.toml")


def test_a_folder_is_not_a_scene(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this is a folder"):
        load(tmp_path)


def test_a_pipe_is_refused_before_it_is_waited_for(tmp_path: Path) -> None:
    for name, read in (("a.toml", load), ("a.npz", lambda path: load_checkpoint(path, ("heights",), (16, 16)))):
        os.mkfifo(tmp_path / name)
        with pytest.raises(UserError, match=f"{name}: this is a pipe or a device, not a file"):
            read(tmp_path / name)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbfwhitecap = 1\r\ntitle = 'Bay'\r\n")
    assert load(tmp_path / "a.toml").title == "Bay"
    assert parse("\ufeffwhitecap = 1") == Document()


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.toml"
    save(path, Document("old"))

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UserError, match="No space left on device"):
        save(path, Document("new"))
    monkeypatch.undo()
    assert load(path).title == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.toml"]


def test_a_save_into_a_file_as_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    with pytest.raises(UserError, match="cannot write"):
        save(tmp_path / "a" / "b.toml", Document())


FIELD = np.random.default_rng(0).random((16, 24), dtype=np.float32)


def test_a_checkpoint_survives_the_round_trip(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "a.npz", {"heights": FIELD, "heights_prev": 2 * FIELD})
    fields = load_checkpoint(tmp_path / "a.npz", ("heights", "heights_prev"), (16, 24))
    assert (fields["heights"] == FIELD).all()
    assert (fields["heights_prev"] == 2 * FIELD).all()


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"other": FIELD}, "field heights is missing: it holds other"),
        ({"heights": FIELD[:8]}, "field heights is float32 24 x 8: float32 24 x 16 is needed"),
        ({"heights": FIELD.astype(np.float64)}, "field heights is float64"),
        ({"heights": np.zeros((400, 400), np.float32)}, "field heights is too large"),
        ({"heights": np.where(FIELD > 0.5, np.nan, FIELD)}, "not finite"),
        ({"heights": np.array([{"a": 1}], dtype=object)}, "not a checkpoint"),
        ({"heights": np.float32(3)}, "float32 scalar"),
    ],
)
def test_fields_that_do_not_fit_are_refused(tmp_path: Path, arrays: dict[str, np.ndarray], words: str) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(UserError, match=words) as caught:
        load_checkpoint(tmp_path / "a.npz", ("heights",), (16, 24))
    assert "a.npz" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 broken", b"hello world", b"\x93NUMPY"])
def test_files_that_are_no_checkpoint_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(UserError, match=r"a.npz"):
        load_checkpoint(tmp_path / "a.npz", ("heights",), (16, 24))


def test_a_truncated_checkpoint_is_refused(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "a.npz", {"heights": FIELD})
    data = (tmp_path / "a.npz").read_bytes()
    for length in (10, len(data) // 2, len(data) - 10):
        (tmp_path / "a.npz").write_bytes(data[:length])
        with pytest.raises(UserError, match=r"a.npz"):
            load_checkpoint(tmp_path / "a.npz", ("heights",), (16, 24))


def test_a_checkpoint_with_a_flipped_bit_is_refused(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "a.npz", {"heights": FIELD})
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[len(data) // 2] ^= 0x10
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(UserError, match=r"a.npz"):
        load_checkpoint(tmp_path / "a.npz", ("heights",), (16, 24))


def test_a_missing_checkpoint_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a\.npz: there is no such file"):
        load_checkpoint(tmp_path / "a.npz", ("heights",), (16, 24))


def test_a_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("heights.npy", bytes(50 << 20))
    with pytest.raises(UserError, match="too large"):
        load_checkpoint(tmp_path / "a.npz", ("heights",), (16, 24))


def test_the_note_and_look_are_kept_as_they_are() -> None:
    document = replace(Document(), note='He said "wave" \\ and left\nagain', look={"colormap": "vik", "samples": 4})
    assert parse(to_text(document)) == document


def test_the_example_in_the_manual_is_read() -> None:
    manual = Path(__file__).parents[3] / "docs" / "laboratory.md"
    example = re.search(r"```toml\n(.*?)```", manual.read_text(encoding="utf-8"), re.S)
    assert example is not None
    document = parse(example[1], "manual", scene_parameters)
    assert (len(document.setup.walls), len(document.setup.sources), len(document.setup.probes)) == (1, 1, 1)
