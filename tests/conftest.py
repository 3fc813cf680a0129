"""What every test run shares."""

import hashlib
import os
import shutil
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def pytest_configure(config):
    """Give numba a cache of its own for these sources, before anything imports it.

    A cached kernel goes stale when compiled code it calls from another file changes,
    and the tests would pass or fail on code that is gone. Kernels started by the tests
    inherit the folder, and so do the workers of ``-n``.
    """
    if hasattr(config, "workerinput"):
        return
    digest = hashlib.sha256()
    for path in sorted((ROOT / "gridlab").rglob("*.py")):
        digest.update(path.read_bytes())
    caches = config.rootpath / ".pytest_cache" / "numba"
    folder = caches / digest.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in caches.iterdir():
        if time.time() - other.stat().st_mtime > 86400:
            shutil.rmtree(other, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)


@pytest.fixture(scope="session")
def root():
    """Return the folder of the project."""
    return ROOT
