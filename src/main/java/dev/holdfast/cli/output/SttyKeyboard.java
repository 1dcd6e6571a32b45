package dev.holdfast.cli.output;

import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The keyboard of a POSIX terminal. It is set by {@code stty} so that keys arrive at once and are
 * not shown. Ctrl-C keeps its meaning. A hook of the process restores the terminal, whatever ends
 * the process.
 */
final class SttyKeyboard implements Keyboard {
  private static final int ESCAPE = 27;
  private static final int NOTHING = -1;
  private static final int USUAL_COLUMNS = 80;

  /**
   * The settings of {@code stty}. A read waits for a tenth of a second at most, and then returns
   * without a byte.
   */
  private static final String[] KEY_BY_KEY = {"-icanon", "-echo", "min", "0", "time", "1"};

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final InputStream in;
  private final String before;
  private final int columns;
  private final Thread hook;

  private SttyKeyboard(InputStream in, String before, int columns) {
    this.in = in;
    this.before = before;
    this.columns = columns;
    this.hook = new Thread(this::giveBack, "terminal");
  }

  /**
   * Opens the keyboard. Empty where input or output is no terminal, in the background, and without
   * {@code stty}.
   */
  static Optional<Keyboard> open() {
    Console console = System.console();
    if (console == null || !console.isTerminal() || !isInForeground()) {
      return Optional.empty();
    }
    try {
      SttyKeyboard keyboard = new SttyKeyboard(System.in, stty("-g"), columnsOf(stty("size")));
      Runtime.getRuntime().addShutdownHook(keyboard.hook);
      stty(KEY_BY_KEY);
      return Optional.of(keyboard);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns true in the foreground. A background job that touched the terminal would be stopped.
   * This is known on Linux only.
   */
  private static boolean isInForeground() {
    try {
      String stat = Files.readString(Path.of("/proc/self/stat"));
      // After the name, which may have blanks: state, parent, group, session, terminal, its group.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return fields[2].equals(fields[5]);
    } catch (IOException e) {
      return true;
    }
  }

  /** Returns the width of the terminal: from COLUMNS, otherwise from {@code stty}, otherwise 80. */
  static int columns(Map<String, String> environment) {
    String told = environment.getOrDefault("COLUMNS", "");
    if (told.matches("[1-9]\\d{0,4}")) {
      return Integer.parseInt(told);
    }
    try {
      return columnsOf(stty("size"));
    } catch (IOException e) {
      return USUAL_COLUMNS;
    }
  }

  private static int columnsOf(String size) {
    String[] parts = size.split(" ", -1);
    int columns =
        parts.length == 2 && parts[1].matches("\\d{1,5}") ? Integer.parseInt(parts[1]) : 0;
    return columns == 0 ? USUAL_COLUMNS : columns;
  }

  private static String stty(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command)
            .redirectInput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException("stty refused " + String.join(" ", words));
    }
    return said.strip();
  }

  @Override
  public boolean escapePressed(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    do {
      long asked = System.nanoTime();
      int key = read();
      if (key == ESCAPE && isAlone()) {
        return true;
      }
      if (key == NOTHING && System.nanoTime() - asked < PAUSE.toNanos() / 2) {
        // The terminal is gone, and reads no longer wait.
        Thread.sleep(PAUSE);
      }
    } while (System.nanoTime() < end);
    return false;
  }

  /**
   * Returns true if nothing follows. Arrows and other keys begin with the same character, but more
   * follows at once.
   */
  private boolean isAlone() {
    boolean alone = true;
    while (read() != NOTHING) {
      alone = false;
    }
    return alone;
  }

  private int read() {
    try {
      return in.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public int columns() {
    return columns;
  }

  private void giveBack() {
    try {
      stty(before);
    } catch (IOException e) {
      // The terminal no longer exists.
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
      giveBack();
    } catch (IllegalStateException e) {
      // The process ends, and the hook restores the terminal.
    }
  }
}
