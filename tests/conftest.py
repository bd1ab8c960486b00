"""What all tests share."""

import os

from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side, and threads of torch would wait for each other

settings.register_profile("untimed", deadline=None)  # how long an example takes says nothing of whether it is right
settings.load_profile("untimed")
