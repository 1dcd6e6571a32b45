package dev.holdfast.fuzz;

/** What Jazzer starts, by these names; its argument is the name of a target. */
public final class Fuzzing {
  private static FuzzTarget target = FuzzTargets.ALL.getFirst();

  private Fuzzing() {}

  /** The first input is run here, where nobody times it: the rules are read then. */
  public static void fuzzerInitialize(String[] arguments) throws Exception {
    target = FuzzTargets.named(arguments[0]);
    target.check().on(new byte[0]);
  }

  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    target.check().on(input);
  }
}
