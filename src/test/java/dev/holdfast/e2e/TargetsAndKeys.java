package dev.holdfast.e2e;

/** How many targets a design names, and how many keys the provider of each has. */
enum TargetsAndKeys {
  ONE_ONE(1, 1),
  ONE_TWO(1, 2),
  TWO_ONE(2, 1),
  TWO_TWO(2, 2);

  private final int targets;
  private final int keys;

  TargetsAndKeys(int targets, int keys) {
    this.targets = targets;
    this.keys = keys;
  }

  int targets() {
    return targets;
  }

  int keys() {
    return keys;
  }

  String words() {
    return targets
        + (targets == 1 ? " target, " : " targets, ")
        + keys
        + (keys == 1 ? " key" : " keys");
  }
}
