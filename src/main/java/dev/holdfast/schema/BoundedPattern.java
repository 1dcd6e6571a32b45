package dev.holdfast.schema;

import com.networknt.schema.SchemaException;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A pattern of a schema. The author of the schema may have written one that goes astray. So the
 * check of one value has a time limit, which all of its patterns share.
 */
record BoundedPattern(Pattern pattern) implements RegularExpression {
  private static final Duration TIME = Duration.ofSeconds(2);

  private static final Duration FOR_PLACE = Duration.ofSeconds(1);

  /**
   * The places for checks. A check that cannot be stopped keeps its place; if no place is free,
   * nothing is checked.
   */
  private static final Semaphore PLACES = new Semaphore(4);

  private static final ScopedValue<Long> END = ScopedValue.newInstance();

  /** Reads a pattern as the library does where there is no engine for JavaScript's patterns. */
  static BoundedPattern of(String regex) {
    String anchored = RegularExpressions.replaceDollarAnchors(regex);
    return new BoundedPattern(
        Pattern.compile(RegularExpressions.replaceLongformCharacterProperties(anchored)));
  }

  /**
   * Checks one value, on a thread of its own. A pattern that goes astray after the last letter
   * reads nothing and cannot be stopped. On a virtual thread it would keep a carrier from all
   * others.
   *
   * <p>An interrupt waits until it is over.
   *
   * @throws SchemaException where a pattern does not come to an end, or its repetition is too deep
   */
  static <T> List<T> inTime(Supplier<List<T>> check) {
    FutureTask<List<T>> task = new FutureTask<>(() -> inPlace(check));
    Thread.ofPlatform().daemon().name("holdfast-schema").start(task);
    long end = System.nanoTime() + FOR_PLACE.plus(TIME).toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (TimeoutException e) {
      throw endless();
    } catch (ExecutionException e) {
      throw unwrapped(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static <T> List<T> inPlace(Supplier<List<T>> check) throws InterruptedException {
    if (!PLACES.tryAcquire(FOR_PLACE.toNanos(), TimeUnit.NANOSECONDS)) {
      throw endless();
    }
    try {
      return ScopedValue.where(END, System.nanoTime() + TIME.toNanos()).call(check::get);
    } finally {
      PLACES.release();
    }
  }

  private static RuntimeException unwrapped(ExecutionException e) {
    return switch (e.getCause()) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      case null, default -> new IllegalStateException(e);
    };
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
    // Schemas of the library itself have patterns that come to an end, so they have no deadline.
    if (END.isBound() && System.nanoTime() - END.get() >= 0) {
      throw endless();
    }
  }

  private static SchemaException endless() {
    return new SchemaException(
        "the patterns of the schema do not come to an end within "
            + TIME.toSeconds()
            + " s; use simpler ones");
  }
}
