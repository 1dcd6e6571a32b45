package dev.holdfast.schedule;

/** The rule for times at which no worker ran. */
public enum CatchUp {
  /** No missed time is made up for. A time counts as kept when it is at most a minute late. */
  NONE,
  /** The last missed time is made up for. */
  LAST,
  /** All missed times are made up for, the oldest first. */
  ALL
}
