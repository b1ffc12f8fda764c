"""P4, Rolley-Parnell 2018: CENTAURO's hands by a camera with depth."""
