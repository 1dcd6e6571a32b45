package dev.holdfast.repair.git;

/** What became of bringing a result to where it belongs. */
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
