package dev.holdfast.repair;

/**
 * A state of the repository's files.
 *
 * @param id of git's tree, where it has been made on this machine
 * @param diff from the base commit to it: what it can be made of elsewhere; "" for the base
 */
public record Tree(String id, String diff) {}
