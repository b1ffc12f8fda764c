"""P5, van Holland 2018: a desk light by a marker cube, or by the angles of an arm."""
