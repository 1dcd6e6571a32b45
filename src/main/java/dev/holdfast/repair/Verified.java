package dev.holdfast.repair;

import java.util.List;

/**
 * The result of the verification commands on one state of the tree.
 *
 * @param passed whether all of them passed, twice where it was to be success
 * @param signature of the failure; "" where it passed (E23)
 * @param failing checks and tests by name
 * @param failures how much fails, to compare two states; a command that fails without telling which
 *     tests do counts more than one that tells
 * @param output the end of what the failing commands wrote, bounded
 * @param flaky whether a check has both passed and failed on the same tree
 */
public record Verified(
    boolean passed,
    String signature,
    List<String> failing,
    long failures,
    String output,
    boolean flaky) {
  public Verified {
    failing = List.copyOf(failing);
  }

  /** True if a patch that led from the other to this should stay. */
  boolean isWorthKeepingOver(Verified before) {
    return passed
        || failures < before.failures
        || (failures == before.failures && !signature.equals(before.signature));
  }
}
