package dev.holdfast.repair;

import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a model's server: each kind of question has answers of its own, the last of them for
 * ever. Thread-safe.
 */
final class ScriptedModel implements ChatProvider {
  /** Gives no answer for good. */
  static final String BROKEN = "(broken)";

  /** Asks for an hour and is not to be called any more. */
  static final String LIMITED = "(limited)";

  /** Begins an answer that is cut off at the output limit. */
  static final String CUT = "(cut off)";

  /** Is stopped by a content filter. */
  static final String REFUSED = "(refused)";

  /** Says nothing in time, and may have worked. */
  static final String LATE = "(late)";

  /** Is interrupted in the call. */
  static final String BROKEN_OFF = "(broken off)";

  private static final Standstill CLOSED =
      new Standstill(
          Standstill.Kind.COOLING,
          Duration.ofHours(1),
          false,
          List.of("played/-/m"),
          "played: rate_limit",
          null);

  private record Role(Predicate<ChatRequest> asks, Deque<String> answers) {}

  private final List<Role> roles = new ArrayList<>();
  private final List<ChatRequest> requests = new ArrayList<>();
  private final Map<String, String> answered = new HashMap<>();
  private boolean closed;
  private @Nullable CountDownLatch gate;
  private int free;

  /** To repairers and candidates. */
  ScriptedModel repairs(String... answers) {
    return role(Prompts.REPAIR, answers);
  }

  ScriptedModel reviews(String... answers) {
    return role(Prompts.REVIEW, answers);
  }

  ScriptedModel judges(String... answers) {
    return role(Prompts.JUDGE, answers);
  }

  ScriptedModel diagnoses(String... answers) {
    return role(Prompts.DIAGNOSE.substring(0, 40), answers);
  }

  private ScriptedModel role(String system, String... answers) {
    roles.add(
        new Role(
            request -> request.system().startsWith(system), new ArrayDeque<>(List.of(answers))));
    return this;
  }

  /** Is not to be called from now on. */
  synchronized ScriptedModel closed(boolean now) {
    closed = now;
    return this;
  }

  /** Answers behind so many calls wait until it is open. */
  synchronized ScriptedModel gated(int calls, CountDownLatch latch) {
    free = calls;
    gate = latch;
    return this;
  }

  synchronized List<String> prompts() {
    return requests.stream()
        .map(each -> ((Message.User) each.messages().getFirst()).content())
        .toList();
  }

  /** As the requests bound them. */
  synchronized List<String> longestAnswers() {
    return requests.stream().map(each -> String.valueOf(each.maxOutputTokens())).toList();
  }

  /** What the one prompt with these words got. */
  synchronized String answerTo(String words) {
    return answered.entrySet().stream()
        .filter(each -> each.getKey().contains(words))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow();
  }

  synchronized int calls() {
    return requests.size();
  }

  @Override
  public String name() {
    return "played";
  }

  @Override
  public synchronized CallResult call(ChatRequest request, StreamListener stream)
      throws InterruptedException {
    if (closed) {
      return new CallResult.Refused(CLOSED);
    }
    requests.add(request);
    if (gate != null && requests.size() > free) {
      gate.await();
    }
    Role role = roles.stream().filter(each -> each.asks().test(request)).findFirst().orElseThrow();
    String answer =
        role.answers().size() > 1 ? role.answers().removeFirst() : role.answers().getFirst();
    answered.put(((Message.User) request.messages().getFirst()).content(), answer);
    return switch (answer) {
      case BROKEN ->
          new CallResult.Failed(
              FailureKind.AUTH_ERROR, false, "401 no", 401, null, null, false, null);
      case LIMITED -> {
        closed = true;
        yield new CallResult.Failed(
            FailureKind.RATE_LIMIT, true, "429 no", 429, null, Duration.ofHours(1), false, null);
      }
      case BROKEN_OFF ->
          throw new BrokenOffException(new InterruptedException("stopped"), new Usage(10, 0, 0, 5));
      case LATE ->
          new CallResult.Failed(
              FailureKind.TIMEOUT,
              true,
              "no answer in time",
              null,
              null,
              null,
              true,
              null,
              new Usage(10, 0, 0, 5));
      case CUT -> answer(answer, StopReason.MAX_TOKENS);
      case REFUSED -> answer(answer, StopReason.REFUSED);
      default -> answer(answer, StopReason.END);
    };
  }

  private static CallResult answer(String text, StopReason stop) {
    return new CallResult.Answer(
        new Message.Assistant(text, List.of()), stop, new Usage(10, 0, 0, 5));
  }

  @Override
  public synchronized Optional<Standstill> standstill(String model) {
    return closed ? Optional.of(CLOSED) : Optional.empty();
  }

  /** Every answer costs a cent, and so does a call that may have been billed. */
  @Override
  public Optional<BigDecimal> cost(String model, Usage usage) {
    return Optional.of(new BigDecimal("0.01"));
  }

  @Override
  public void close() {}
}
