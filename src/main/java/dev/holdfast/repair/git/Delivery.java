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

  /**
   * The branch is no longer where the repair began, so that another repair, begun now, could be
   * delivered. Nothing was changed.
   *
   * @param step for a person who wants this one
   */
  record MovedOn(String reason, String step) implements Delivery {}
}
