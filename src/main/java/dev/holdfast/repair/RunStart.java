package dev.holdfast.repair;

/**
 * The start of a run.
 *
 * @param tree the base, or the patch of the run before
 * @param rejected whether a person has refused that patch
 */
record RunStart(String baseCommit, Tree tree, boolean rejected) {}
