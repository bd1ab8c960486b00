"""Users' code in processes of their own, so that a crash, a hang or a leak is a failed evaluation and no more.

For each of our threads that needs one there is a *zygote*: a process that has everything loaded and never calls the
user's code. It forks the *worker* that does, and forks again when that one dies, in a hundredth of the time of a start.
"""

from metasmith.engine.isolation.child import Task
from metasmith.engine.isolation.children import call, do, isolated

__all__ = ["Task", "call", "do", "isolated"]
