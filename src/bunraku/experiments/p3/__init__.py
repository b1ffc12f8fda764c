"""P3, Gong 2022: InMoov by a suit, and how alike the two move."""
