package dev.holdfast.cli.ticket;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.fuzz.FuzzTarget;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;

/** Files of tickets, one a line. */
public final class TicketLinesFuzz {
  private static final int LONGEST_REFUSAL = 2_000;

  public static final FuzzTarget LINES = FuzzTarget.ofText("ticket-lines", TicketLinesFuzz::lines);

  private TicketLinesFuzz() {}

  private static void lines(String text) {
    PrintWriter nobody = new PrintWriter(Writer.nullWriter());
    Terminal terminal =
        new Terminal(nobody, nobody, InputStream.nullInputStream(), InstantSource.system());
    String bytes = new String(text.getBytes(StandardCharsets.UTF_8), TicketLines.BYTES);
    TicketLines lines = new TicketLines(new BufferedReader(new StringReader(bytes)), 0, terminal);
    try {
      while (lines.hasNext()) {
        require(lines.next().ticket() != null, "a line is a ticket");
      }
    } catch (UsageException e) {
      String told = String.valueOf(e.getMessage());
      require(told.startsWith("--file: line "), "a refusal names the line: " + told);
      require(told.length() <= LONGEST_REFUSAL, "a refusal is short: " + told.length());
    }
  }
}
