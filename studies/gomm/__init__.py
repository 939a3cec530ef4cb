"""GOMM and D-GOMM: Tables 1 to 6 and Figures 6 to 8 of their paper, and the front beyond them."""
