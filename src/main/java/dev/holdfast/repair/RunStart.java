package dev.holdfast.repair;

/**
 * The start of a run.
 *
 * @param tree the base, or the patch of the run before
 * @param rejected whether a person had refused the result of the run before
 */
record RunStart(String baseCommit, Tree tree, boolean rejected) {}
