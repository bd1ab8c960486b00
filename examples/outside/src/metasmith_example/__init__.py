"""A component and a problem for metasmith, in a package of their own."""
