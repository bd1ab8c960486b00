"""What every exported file is put together from, beside the kernels: real modules, whose definitions are copied as far
as they are used.
"""
