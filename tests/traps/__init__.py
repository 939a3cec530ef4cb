"""Small tables with planted traps, and what an unedited first specification makes of them."""
