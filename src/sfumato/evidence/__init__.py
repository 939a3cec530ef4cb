"""What attackers achieve and what analyses still give, before and after a release."""
