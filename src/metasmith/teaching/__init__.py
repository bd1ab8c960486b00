"""Teaching the network of the designer `guided`: on random tasks that no table uses, programs are measured; the network
learns what these say of programs in other tasks.

`metasmith reproduce teach` does all of it.
"""
