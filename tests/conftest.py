"""What all tests share."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # how long an example takes says nothing of whether it is right
settings.load_profile("untimed")
