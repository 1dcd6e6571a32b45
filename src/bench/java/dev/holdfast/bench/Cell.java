package dev.holdfast.bench;

/** One measurement; fills the tables it needs, and leaves them as they come to be. */
interface Cell {
  String PROBE = "raw probe";

  CellResult measure(Lab lab) throws InterruptedException;
}
