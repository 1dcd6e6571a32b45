package dev.holdfast.bench;

/** One measurement. It fills the tables it needs and does not clean them up. */
interface Cell {
  String PROBE = "raw probe";

  CellResult measure(Lab lab) throws InterruptedException;
}
