package dev.holdfast.schema;

import com.networknt.schema.SchemaException;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A pattern of a schema. Whoever wrote the schema may have written one that goes astray, so that
 * the check of one value has a time, which all of its patterns share.
 */
record BoundedPattern(Pattern pattern) implements RegularExpression {
  private static final Duration TIME = Duration.ofSeconds(2);
  private static final ScopedValue<Long> END = ScopedValue.newInstance();

  /** As the library reads a pattern where there is no engine for JavaScript's. */
  static BoundedPattern of(String regex) {
    String anchored = RegularExpressions.replaceDollarAnchors(regex);
    return new BoundedPattern(
        Pattern.compile(RegularExpressions.replaceLongformCharacterProperties(anchored)));
  }

  /**
   * Checks one value.
   *
   * @throws SchemaException where a pattern does not come to an end, or its repetition is too deep
   */
  static <T> List<T> inTime(Supplier<List<T>> check) {
    return ScopedValue.where(END, System.nanoTime() + TIME.toNanos()).call(check::get);
  }

  @Override
  public boolean matches(String value) {
    try {
      return pattern.matcher(new DeadlineText(value, BoundedPattern::checkTime)).find();
    } catch (StackOverflowError e) {
      throw new SchemaException(
          "a pattern of the schema repeats a group too often for a long text; use a simpler one");
    }
  }

  private static void checkTime() {
    if (System.nanoTime() - END.get() >= 0) {
      throw new SchemaException(
          "the patterns of the schema do not come to an end within "
              + TIME.toSeconds()
              + " s; use simpler ones");
    }
  }
}
