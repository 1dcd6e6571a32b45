package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.Price;
import dev.holdfast.llm.Usage;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The table of {@code docs/agents.md} that says what an error costs until a person hears of it.
 * {@link ErrorCostIT} fills it with what it saw; {@link #check} compares it with the file.
 */
final class CostTable {
  /** The price of {@code gpt-5*} in the example of the same page. */
  static final Price PRICE = Price.of(new BigDecimal("1.25"), new BigDecimal("10"));

  /** One prompt of the agent; an answer, where there is one, is short. */
  static final Usage PROMPT = new Usage(20_000, 0, 0, 0);

  static final Usage ANSWERED = new Usage(20_000, 0, 0, 500);

  private static final Path FILE = Path.of("docs/agents.md").toAbsolutePath();
  private static final String BEGIN = "<!-- ErrorCostIT writes this table -->\n";
  private static final String END = "<!-- to here -->\n";

  private final StringBuilder text =
      new StringBuilder(
          """
          | each call ends in | targets | calls until then | a person hears | and the ticket is | paid | if refused calls were billed |
          |---|---|---|---|---|---|---|
          """);

  /**
   * @param calls of all providers until the ticket is held
   * @param counted whether the number is the same each time; else it is the most there can be
   * @param heard when a person is told first
   * @param paid in USD, by the ticket's journal
   */
  void row(
      String fault,
      int targets,
      long calls,
      boolean counted,
      String heard,
      String then,
      BigDecimal paid) {
    BigDecimal refused = PRICE.cost(PROMPT).multiply(BigDecimal.valueOf(calls));
    text.append("| ").append(fault).append(" | ").append(targets).append(" | ");
    text.append(counted ? "" : "at most ").append(calls).append(" | ").append(heard);
    text.append(" | ").append(then).append(" | ").append(usd(paid)).append(" | ");
    text.append(counted ? "" : "at most ").append(usd(paid.max(refused))).append(" |\n");
  }

  private static String usd(BigDecimal amount) {
    BigDecimal exact = amount.stripTrailingZeros();
    return amount.signum() == 0
        ? "nothing"
        : exact.setScale(Math.max(2, exact.scale())).toPlainString() + " USD";
  }

  /** A duration in words, such as {@code 2 min 12 s}. */
  static String words(Duration time) {
    StringBuilder words = new StringBuilder();
    part(words, time.toHours(), "h");
    part(words, time.toMinutesPart(), "min");
    part(words, time.toSecondsPart(), "s");
    return words.isEmpty() ? "at once" : "after " + words;
  }

  private static void part(StringBuilder words, long count, String unit) {
    if (count > 0) {
      words.append(words.isEmpty() ? "" : " ").append(count).append(' ').append(unit);
    }
  }

  /** Fails where the file says anything else; writes it anew where that is asked for. */
  void check() throws IOException {
    String file = Files.readString(FILE);
    int begin = file.indexOf(BEGIN) + BEGIN.length();
    int end = file.indexOf(END, begin);
    assertThat(end).as("the marks in " + FILE).isGreaterThanOrEqualTo(BEGIN.length());
    String made = file.substring(0, begin) + text + file.substring(end);
    if (Boolean.getBoolean("retries.write")) {
      Files.writeString(FILE, made);
    }
    assertThat(Files.readString(FILE))
        .as(
            "docs/agents.md does not say what an error costs; if the worker is right:"
                + " mvn verify -Dtest=ErrorCostIT -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dretries.write=true")
        .isEqualTo(made);
  }
}
