"""``python -m sfumato``."""

from __future__ import annotations

from sfumato.cli.main import main

if __name__ == "__main__":
    main()
