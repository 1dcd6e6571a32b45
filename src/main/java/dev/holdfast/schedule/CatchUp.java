package dev.holdfast.schedule;

/** The rule for times at which no worker ran. */
public enum CatchUp {
  /** None is made up for. A time counts as kept when it is at most a minute late. */
  NONE,
  /** The last one is. */
  LAST,
  /** All are, the oldest first. */
  ALL
}
