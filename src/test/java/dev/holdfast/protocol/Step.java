package dev.holdfast.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One thing that happens. What it is done to is chosen by number among what there is when it
 * happens, so that a step still means something when those before it are left out.
 *
 * @param worker who does it, from 0
 * @param pick chooses a ticket, an execution or a number
 * @param lost whether the answer never arrives
 */
record Step(Kind kind, int worker, int pick, boolean lost) {
  static final int WORKERS = 3;

  /** How often each happens, in parts of all. */
  enum Kind {
    CLAIM(20),
    HEARTBEAT(14),
    SUCCEED(14),
    FAIL(9),
    GIVE_BACK(5),
    DEFER(5),
    RESCUE(10),
    TIME(14),
    HOLD(4),
    RELEASE(6),
    ENQUEUE(4);

    private final int weight;

    Kind(int weight) {
      this.weight = weight;
    }
  }

  static List<Step> of(long seed, int count) {
    Random random = new Random(seed);
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (int i = 0; i < kind.weight; i++) {
        kinds.add(kind);
      }
    }
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(
          new Step(
              kinds.get(random.nextInt(kinds.size())),
              random.nextInt(WORKERS),
              random.nextInt(1000),
              random.nextInt(8) == 0));
    }
    return steps;
  }
}
