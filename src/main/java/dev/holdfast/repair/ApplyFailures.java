package dev.holdfast.repair;

/**
 * Attempts of a step in a row whose patches were read and did not apply (E34).
 *
 * @param lastErrorHash what they failed with; another error counts from 1 again
 */
record ApplyFailures(int count, String lastErrorHash) {
  static final ApplyFailures NONE = new ApplyFailures(0, "");

  ApplyFailures with(String errorHash) {
    return new ApplyFailures(errorHash.equals(lastErrorHash) ? count + 1 : 1, errorHash);
  }
}
