package dev.holdfast.app;

/**
 * Handles SIGTERM and Ctrl-C in a long-running command: closes what it runs, in order, then ends
 * the process with code 0. A hook that only closed would leave the code to the signal (143), which
 * supervisors read as a failure.
 */
final class ProcessExit {
  private ProcessExit() {}

  /** Closes the given thing once when the process is told to end, and then ends it. */
  static Thread closeAtSignal(AutoCloseable running) {
    Thread hook =
        new Thread(
            () -> {
              int code = 0;
              try {
                running.close();
              } catch (Exception e) {
                System.err.println("while stopping: " + e.getMessage());
                code = 1;
              }
              System.out.flush();
              Runtime.getRuntime().halt(code);
            },
            "holdfast-exit");
    Runtime.getRuntime().addShutdownHook(hook);
    return hook;
  }

  /**
   * The command ended by itself and has closed what it ran.
   *
   * @return false if the process is ending already, and the hook does what is to be done
   */
  static boolean forget(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return false;
    }
  }
}
