"""Plain-Python twins of the package: loops, dicts and exact fractions.

Nothing here imports the package or an array library, so that a mistake cannot
be shared. Whatever can be a whole number or a fraction is one, and requirements
are judged exactly: a bound is the decimal that its text shows.
"""
