package dev.holdfast.queue.output;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The end of what the program of one attempt printed.
 *
 * @param running whether the attempt still runs, so that more may come
 * @param chunks of both streams, each in order
 */
public record AttemptOutput(
    long ticketId, int attempt, long leaseNo, boolean running, List<OutputChunk> chunks) {
  private static final Pattern TERMINAL =
      Pattern.compile(
          "\u001b(?:\\[[0-?]{0,40}["
              + " -/]{0,4}[@-~]|\\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\\\))");

  /**
   * The characters that a terminal obeys or that turn a text around, for a class of a regular
   * expression.
   */
  public static final String ORDERS = "\\p{Cntrl}\u0080-\u009f\u202a-\u202e\u2066-\u2069";

  private static final Pattern CONTROL = Pattern.compile("[" + ORDERS + "&&[^\\n\\t]]");

  public AttemptOutput {
    chunks = List.copyOf(chunks);
  }

  /** Returns the same attempt with these chunks. */
  public AttemptOutput with(List<OutputChunk> all) {
    return new AttemptOutput(ticketId, attempt, leaseNo, running, all);
  }

  /** Returns at most the last {@link OutputChunk#KEPT_BYTES} characters of a stream. */
  public String text(String stream) {
    StringBuilder text = new StringBuilder();
    of(stream).forEach(chunk -> text.append(chunk.text()));
    int from = Math.max(0, text.length() - OutputChunk.KEPT_BYTES);
    boolean inPair = from > 0 && Character.isLowSurrogate(text.charAt(from));
    return plain(text.substring(inPair ? from + 1 : from));
  }

  /**
   * Returns output as text that is safe to show: lines, without colours and other orders to a
   * terminal; any other control character becomes U+FFFD.
   */
  public static String plain(String text) {
    String lines = text.replace("\r\n", "\n").replace('\r', '\n');
    return CONTROL.matcher(TERMINAL.matcher(lines).replaceAll("")).replaceAll("\uFFFD");
  }

  /** Returns the fields of the answer of the API and {@code --json}. */
  public Map<String, Object> columns() {
    Map<String, Object> columns = new LinkedHashMap<>();
    columns.put("ticket_id", ticketId);
    columns.put("attempt", attempt);
    columns.put("lease_no", leaseNo);
    columns.put("running", running);
    for (String stream : List.of(OutputChunk.STDOUT, OutputChunk.STDERR)) {
      Map<String, Object> part = new LinkedHashMap<>();
      part.put("text", text(stream));
      part.put("bytes", bytes(stream));
      part.put("cut", isCut(stream));
      columns.put(stream, part);
    }
    return columns;
  }

  /** Returns the number of bytes that the program has printed there so far. */
  public long bytes(String stream) {
    return of(stream).stream().mapToLong(OutputChunk::toByte).max().orElse(0);
  }

  /** Returns true if the beginning of a stream was left out. */
  public boolean isCut(String stream) {
    return bytes(stream) > OutputChunk.KEPT_BYTES;
  }

  public boolean isEmpty() {
    return chunks.isEmpty();
  }

  /** Returns the chunks of one stream, in order. */
  public List<OutputChunk> of(String stream) {
    return chunks.stream().filter(chunk -> chunk.stream().equals(stream)).toList();
  }
}
