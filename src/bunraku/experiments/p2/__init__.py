"""P2, Hirschmanner 2017: Romeo and Pepper by a Leap Motion on a headset."""
