package dev.holdfast.cli.output;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * The streams and the clock of a command.
 *
 * @param out results
 * @param err errors and progress
 * @param clock this machine's, for how long a command takes; how long ago something happened is
 *     counted by the database's
 * @param keyboard the keyboard of the person who watches, if it is a terminal
 * @param screen what results are shown on
 * @param problem why results could not be written; empty where they could
 */
public record Terminal(
    PrintWriter out,
    PrintWriter err,
    InputStream in,
    InstantSource clock,
    Keyboard.Opener keyboard,
    Screen screen,
    Supplier<String> problem) {
  /** Makes one without a keyboard and a screen. */
  public Terminal(PrintWriter out, PrintWriter err, InputStream in, InstantSource clock) {
    this(out, err, in, clock, Keyboard.Opener.NONE, Screen.NONE);
  }

  /** Makes one whose results can always be written. */
  public Terminal(
      PrintWriter out,
      PrintWriter err,
      InputStream in,
      InstantSource clock,
      Keyboard.Opener keyboard,
      Screen screen) {
    this(out, err, in, clock, keyboard, screen, () -> "");
  }

  /** Returns standard input, output and error of this process, as UTF-8 whatever the locale. */
  public static Terminal ofProcess(InstantSource clock) {
    StandardOutput out = new StandardOutput();
    return new Terminal(
        new PrintWriter(out, false, StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        System.in,
        clock,
        SttyKeyboard::open,
        Screen.ofProcess(System.getenv()),
        out::problem);
  }

  public BufferedReader reader() {
    return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
  }

  public void line(String text) {
    out.println(text);
  }

  public void progress(String text) {
    err.println(text);
  }

  /** Returns true once nobody reads the output any more: {@code holdfast watch | head}. */
  public boolean isDeaf() {
    return out.checkError();
  }
}
