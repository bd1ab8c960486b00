"""The paper's designer: a network writes programs token by token, and learns from their rewards. torch is imported here
only.
"""
