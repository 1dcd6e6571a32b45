package dev.holdfast.repair.git;

/** The result of pushing or merging a repair into its source. */
public sealed interface Delivery {
  /**
   * @param where such as {@code branch main of /srv/project}
   */
  record Delivered(String where, String commit) implements Delivery {}

  /**
   * Nothing was changed.
   *
   * @param reason and the next step for a person
   */
  record Refused(String reason) implements Delivery {}
}
