"""Git seeds: made once, copied for every cell, read afterwards without running what is in them."""
