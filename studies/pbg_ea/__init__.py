"""PBG-EA on the census table: Tables 1 and 2 and Figures 1 to 3 of its paper, and a lattice beyond them."""
