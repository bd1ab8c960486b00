"""Learns to write programs: the network, how it is sampled and scored, and what it is trained by. torch lives here.

The designer knows nothing of engines and problems: it is handed rewards, so that it can be tested with any.
"""
