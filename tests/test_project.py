"""The frame: layers, light import, lists that must agree, notebooks fit to read in git."""

import ast
import contextlib
import importlib
import importlib.metadata
import inspect
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import gridlab

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gridlab"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))

# What each part of the package may import from the package. The order is the order of the layers:
# a part imports only parts named above it.
_CELLS = ["grid", "topology", "uniform", "regions", "mines", "components", "shapes"]
LAYERS = {
    "grid": [],
    "topology": ["grid"],
    "shapes": ["grid", "topology"],
    "uniform": ["grid", "topology", "shapes"],
    "regions": ["grid", "topology", "uniform"],
    "mines": ["grid", "topology"],
    "components": ["grid", "topology"],
    "laws": _CELLS,
    "published": _CELLS,
    "match3": ["grid", "components"],
    "choco": ["grid", "components", "regions"],
    "uniformity": ["grid", "mines"],
    "study": [],
    "compare": ["grid", "shapes", "laws"],
    "bench": [*_CELLS, "laws", "published", "match3", "choco", "uniformity"],
    "plot": ["grid"],
    "board": [],
    "report": ["grid", "bench"],
}
LAYERS["explore"] = [part for part in LAYERS if part != "report"]
LAYERS["commands"] = list(LAYERS)
LAYERS["__main__"] = list(LAYERS)
LAYERS["__init__"] = []


def modules():
    """Return the name, within the package, of every module file."""
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(source, module):
    """Return the full names a module imports, wherever the import stands.

    Names taken from a module are listed with it, and so are attributes of ``gridlab``:
    ``import gridlab`` and then ``gridlab.plot`` loads a submodule like an import of it.
    """
    tree = ast.parse(source)
    package = ["gridlab", *module.split(".")[:-1]]
    found, aliases = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
            aliases.update(alias.asname or "gridlab" for alias in node.names if alias.name.split(".")[0] == "gridlab")
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base += node.module.split(".") if node.module else []
            found.update(".".join([*base, alias.name]) for alias in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            found.add(f"gridlab.{node.attr}")
    return found


def parts(source, module):
    """Return the other parts of the package a module imports."""
    names = {name.split(".")[1] for name in imports(source, module) if name.startswith("gridlab.")}
    return {name for name in names if name in LAYERS} - {module.split(".")[0]}


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_only_the_layers_below_it(module):
    part = module.split(".")[0]
    assert part in LAYERS, f"{part} has no place in the table of layers"
    assert parts(modules()[module].read_text("utf-8"), module) <= set(LAYERS[part])


@pytest.mark.parametrize(
    "source",
    [
        "import gridlab.plot",
        "import gridlab.plot as drawing",
        "from gridlab import plot",
        "from gridlab import grid, plot as drawing",
        "from gridlab.plot import regions",
        "from . import plot",
        "from .plot import regions",
        "def f():\n    from gridlab import plot",
        "try:\n    from .plot import regions\nexcept ImportError:\n    regions = None",
        "import gridlab\n\n\ndef f():\n    return gridlab.plot.regions",
        "import gridlab as lab\n\nlab.plot",
    ],
)
def test_a_forbidden_import_is_seen_in_every_form(source):
    assert "plot" in parts(source, "grid")
    assert "plot" in parts(source.replace("from .", "from .."), "choco.rules")
    assert "plot" not in parts(source.replace("plot", "grid"), "topology")


def test_the_layers_have_no_cycle():
    for above, (part, below) in enumerate(LAYERS.items()):
        assert set(below) <= set(list(LAYERS)[:above]), part


def required(names):
    """Return the packages with these names and all they require in turn."""
    found, waiting = set(), list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # of another platform
                needs = map(Requirement, importlib.metadata.requires(name) or [])
                waiting += [need.name for need in needs if not need.marker or need.marker.evaluate({"extra": ""})]
    return found


def test_the_package_imports_what_it_requires():
    """What the tests need is installed here too: an import of it would go unseen."""
    available = required(Requirement(line).name for line in PROJECT["project"]["dependencies"])
    assert "jinja2" in available
    assert available.isdisjoint({"playwright", "pytest", "ruff", "scikit-image"})
    distributions = importlib.metadata.packages_distributions()
    for module, path in modules().items():
        names = {name.split(".")[0] for name in imports(path.read_text("utf-8"), module)}
        for name in names - {"gridlab", *sys.stdlib_module_names}:
            assert any(canonicalize_name(item) in available for item in distributions[name]), f"{module}: {name}"


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"IPython", "ipywidgets", "matplotlib", "numba", "numpy", "pandas", "scipy"}
    code = f"import sys, gridlab; print(sorted({heavy!r} & set(sys.modules)), 'gridlab' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.strip() == "[] True"


def test_the_package_lists_its_submodules():
    on_disk = {name.split(".")[0] for name in modules()} - {"__init__", "__main__"}
    assert gridlab.__all__ == sorted(on_disk)
    for name in gridlab.__all__:
        assert getattr(gridlab, name) is importlib.import_module(f"gridlab.{name}")
    with pytest.raises(AttributeError, match="no_such_part"):
        gridlab.no_such_part  # noqa: B018


@pytest.mark.parametrize("module", [name for name in modules() if not name.startswith("_")])
def test_a_module_lists_its_public_names(module):
    loaded = importlib.import_module(f"gridlab.{module.removesuffix('.__init__')}")
    defined = ast.parse(modules()[module].read_text("utf-8")).body
    public = {node.name for node in defined if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    public = {name for name in public if not name.startswith("_")}
    assert public <= set(loaded.__all__)
    assert len(loaded.__all__) == len(set(loaded.__all__))
    for name in loaded.__all__:
        assert hasattr(loaded, name), name


def test_a_built_package_holds_every_file(tmp_path):
    """An editable install hides what the build leaves out, such as the templates of the report."""
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source / "gridlab", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(tmp_path)]
    run = subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(source)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("gridlab/")}
    files = (path for path in (source / "gridlab").rglob("*") if path.is_file())
    assert held == {path.relative_to(source).as_posix() for path in files}


@pytest.mark.parametrize("name", gridlab.regions.GENERATORS)
def test_every_generator_has_the_common_signature(name):
    assert gridlab.regions.GENERATORS[name].__name__ == name
    parameters = inspect.signature(gridlab.regions.GENERATORS[name]).parameters
    positional = [key for key, value in parameters.items() if value.kind is value.POSITIONAL_OR_KEYWORD]
    options = {key: value.default for key, value in parameters.items() if value.kind is value.KEYWORD_ONLY}
    assert positional == ["shape", "area"]
    assert len(positional) + len(options) == len(parameters)
    assert all(parameters[key].default is inspect.Parameter.empty for key in positional)
    assert list(options)[-2:] == ["size", "rng"]
    common = {"periodic": False, "simply_connected": False, "size": None, "rng": None}
    assert {key: options[key] for key in common} == common
    assert inspect.Parameter.empty not in options.values()


# ---- lists that must agree


def requirements():
    """Return every requirement of pyproject.toml, run time first."""
    groups = PROJECT["dependency-groups"]
    lines = [*PROJECT["project"]["dependencies"], *(line for group in groups.values() for line in group)]
    return [Requirement(line) for line in lines]


def test_conda_environment_is_in_step():
    conda_names = {"matplotlib": "matplotlib-base"}  # without Qt
    # not in conda's channel, or in another
    from_pip = {"playwright", "connected-components-3d", "graphillion", "ms-toollib", "nlmpy"}
    by_conda = [item for item in requirements() if item.name not in from_pip]
    wanted = {conda_names.get(item.name, item.name): str(item.specifier) for item in by_conda}
    wanted["python"] = PROJECT["project"]["requires-python"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    assert environment["name"] == PROJECT["project"]["name"]
    assert environment["channels"] == ["conda-forge"]
    *packages, with_pip = environment["dependencies"]
    assert packages.count("pip") == 1
    packages = [Requirement(line) for line in packages if line != "pip"]
    assert {item.name: str(item.specifier) for item in packages} == wanted
    assert len(packages) == len(wanted)
    assert with_pip == {"pip": [*(str(item) for item in requirements() if item.name in from_pip), "-e ."]}


def pins():
    """Return the versions the lock file pins by package, and all its lines joined and without comments."""
    text = (ROOT / "requirements.lock").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    versions = {}
    for line in lines:
        name, version = re.match(r"([a-z0-9-]+)==(\S+)", line).groups()
        versions.setdefault(name, []).append(Version(version))
    return versions, lines


def test_lock_file_is_in_step():
    versions, _ = pins()
    for item in requirements():
        name = canonicalize_name(item.name)
        assert versions.get(name), f"{name} is not locked"
        assert all(item.specifier.contains(version) for version in versions[name]), name
    header = "".join((ROOT / "requirements.lock").read_text("utf-8").splitlines(keepends=True)[:2])
    for group in PROJECT["dependency-groups"]:
        assert f"--group {group} " in header
    assert f"--python-version {PROJECT['project']['requires-python'].removeprefix('>=')} " in header


def test_lock_file_is_hashed_and_names_no_address():
    _, lines = pins()
    for line in lines:
        assert re.fullmatch(r"[a-z0-9-]+==\S+( ; [^#]+?)?(\s+--hash=sha256:[0-9a-f]{64})+(\s*#.*)?", line), line
    assert not re.search(r"https?:|file:|index-url|find-links", (ROOT / "requirements.lock").read_text("utf-8"))


# ---- the README


def command(mark):
    """Return the command line below a mark in the README."""
    found = re.findall(rf"^<!-- {mark} -->\n```sh\n(.+)\n```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(found) == 1, f"README.md must have one command line below <!-- {mark} -->"
    return found[0]


def test_readme_commands_share_one_set_up():
    set_up, _, last = command("report").rpartition(" && ")
    assert last == ".venv/bin/gridlab report"
    assert command("test") == f"{set_up} && .venv/bin/python -m pytest -n auto"
    assert "requirements.lock" in set_up


def test_readme_lists_every_notebook():
    listed = re.findall(r"^\| \[(\w+)\]\(notebooks/\1\.ipynb\) \| *(.*?) *\|$", (ROOT / "README.md").read_text(), re.M)
    assert [name for name, _ in listed] == [path.stem for path in NOTEBOOKS]
    assert all(finding.endswith(".") for _, finding in listed), "a notebook without its finding"


def test_readme_python_runs():
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    checks = [
        "assert region.shape == (20, 40) and region.sum() == 200",
        "assert region.shape == (10, 10) and region.sum() == 50",
        "assert polyomino.sum() == 300 and polyomino.any(0).all() and polyomino.any(1).all()",
        "assert board.sum() == 99 and not board[safe].any()",
        "assert gridlab.laws.swaps_needed(480, 99, 0.01) == 1623",
        "assert gridlab.match3.is_movable(boards).all() and labels.max() > 1",
        "assert end.settled.all() and end.score.max() > 9 and game.turns == 1",
        "assert set(table['call']) == set(calls) and table['seconds'].gt(0).all()",
        "assert all(mask.sum() == 7 and mask[2, 3] for mask in drop((5, 6), 7, size=20, rng=1))",
    ]
    for block, check in zip(blocks, checks, strict=True):
        code = f"{block}\n{check}"
        run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
        assert run.returncode == 0, run.stderr


# ---- files in git


def project_files():
    """Return the files in git, or outside git those that would be."""
    listing = subprocess.run(["git", "ls-files", "-z"], capture_output=True, cwd=ROOT)
    if listing.returncode == 0 and listing.stdout:
        return [ROOT / name for name in listing.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    folders = ("gridlab", "tests", "notebooks", ".ci")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [path for path in [*ROOT.glob("*.*"), *found] if path.is_file() and "__pycache__" not in path.parts]


def test_no_file_names_a_path_of_one_machine():
    machine = re.compile(rf"(?<![\w.<>-])/({'|'.join(('home', 'root', 'tmp', 'work', 'Users'))})/|[A-Z]:\\Users")
    files = project_files()
    assert ROOT / "pyproject.toml" in files
    for path in files:
        found = machine.search(path.read_bytes().decode("utf-8", "ignore"))
        assert not found, f"{path.relative_to(ROOT)} names {found.group()}"


# ---- notebooks


def cells(path, kind):
    """Return the cells of one kind, as (index, source)."""
    notebook = json.loads(path.read_text("utf-8"))
    return [(i, "".join(cell["source"])) for i, cell in enumerate(notebook["cells"]) if cell["cell_type"] == kind]


def test_there_are_notebooks():
    assert NOTEBOOKS
    assert all(re.fullmatch(r"\d\d_[a-z0-9_]+", path.stem) for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stripped(path):
    notebook = json.loads(path.read_text("utf-8"))
    assert set(notebook["metadata"]) <= {"kernelspec", "language_info", "gridlab"}
    assert notebook["metadata"]["kernelspec"]["name"] == "python3", "without it JupyterLab asks which kernel to use"
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
        assert set(cell["metadata"]) <= {"tags"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_its_parts(path):
    notebook = json.loads(path.read_text("utf-8"))
    markdown = dict(cells(path, "markdown"))
    code = dict(cells(path, "code"))
    assert re.match(r"# \S", next(iter(markdown.values())))
    tagged = [i for i, cell in enumerate(notebook["cells"]) if "parameters" in cell["metadata"].get("tags", [])]
    assert len(tagged) == 1
    parameters = {target.id: node.value for node in ast.parse(code[tagged[0]]).body for target in node.targets}
    assert isinstance(ast.literal_eval(parameters["seed"]), int)
    assert ast.literal_eval(parameters["full"]) is False
    found = [i for i, source in markdown.items() if source.startswith("**Found.**")]
    assert found
    for i in found:
        assert any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code[i + 1])))


def faults(source):
    """Say what in a notebook's cell belongs into the package, or nowhere."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            lines.append(f"a class, {node.name}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno - node.lineno >= 10:
            lines.append(f"a function over ten lines, {node.name}")
        elif isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path":
            lines.append("sys.path")
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "numpy.random"):
            if node.attr not in ("default_rng", "Generator", "SeedSequence"):
                lines.append(f"the global generator, {ast.unparse(node)}")
        elif isinstance(node, ast.Import | ast.ImportFrom) and "random" in (
            getattr(node, "module", None),
            *(alias.name for alias in node.names),
        ):
            lines.append("the module random")
        elif isinstance(node, ast.For) and "range" in ast.unparse(node.iter):
            inner = (deep for statement in node.body for deep in ast.walk(statement) if isinstance(deep, ast.For))
            if any("range" in ast.unparse(deep.iter) for deep in inner):
                lines.append(f"a loop over cells at line {node.lineno}")
    return lines


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_thin(path):
    for i, source in cells(path, "code"):
        assert faults(source) == [], f"cell {i}"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("class A: pass", "class"),
        ("def f():\n" + "    x = 1\n" * 10, "ten lines"),
        ("import sys\nsys.path.append('..')", "sys.path"),
        ("np.random.seed(1)", "global generator"),
        ("import random", "module random"),
        ("for r in range(rows):\n    for c in range(cols):\n        f(r, c)", "loop over cells"),
    ],
)
def test_a_fault_in_a_notebook_is_seen(source, fault):
    assert len(faults(source)) == 1
    assert fault in faults(source)[0]
    assert faults("rng = np.random.default_rng(seed)\nfor name in names:\n    f(name)") == []
    assert faults("def f():\n" + "    x = 1\n" * 9) == []
