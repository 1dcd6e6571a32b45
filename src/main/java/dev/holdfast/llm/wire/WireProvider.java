package dev.holdfast.llm.wire;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.ProviderKey;
import dev.holdfast.llm.ProviderSettings;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WireCall;
import dev.holdfast.llm.WireListener;
import dev.holdfast.retry.DurationText;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A provider over HTTP. Each request runs on a virtual thread of its own, so that the deadline cuts
 * a server that drips for ever (B18) and an interrupt closes the connection at once, whatever the
 * SDK waits for. Thread-safe.
 */
public final class WireProvider implements ChatProvider {
  private static final Logger LOG = LoggerFactory.getLogger(WireProvider.class);

  /**
   * The time within which a stale connection fails; a request that ran longer may have caused work.
   */
  private static final Duration STALE_WITHIN = Duration.ofSeconds(1);

  /** The longest wait for the reader of a closed connection, which usually ends at once. */
  private static final Duration CLOSED_WITHIN = Duration.ofSeconds(1);

  private final ProviderSettings settings;
  private final VendorApi api;
  private final WireListener wire;
  private final LongSupplier nanoTime;
  private final Clock clock;
  private final List<ProviderKey> keys;

  /**
   * @param clock for absolute times in answers that carry no date of their own
   */
  public WireProvider(
      ProviderSettings settings,
      VendorApi api,
      WireListener wire,
      LongSupplier nanoTime,
      Clock clock) {
    this.settings = settings;
    this.api = api;
    this.wire = wire;
    this.nanoTime = nanoTime;
    this.clock = clock;
    this.keys = ProviderKey.numbered(settings.keys());
  }

  @Override
  public String name() {
    return settings.name();
  }

  @Override
  public Optional<BigDecimal> cost(String model, Usage usage) {
    return settings.prices().cost(model, usage);
  }

  /** Calls under the first of the accounts. */
  @Override
  public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
    return call(request, keys.getFirst(), stream);
  }

  @Override
  public List<Account> accounts() {
    return settings.accounts();
  }

  @Override
  public CallResult call(ChatRequest request, Account account, StreamListener stream)
      throws InterruptedException {
    ProviderKey key =
        keys.stream()
            .filter(each -> each.label().equals(account.label()))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no account of ours: " + account));
    return call(request, key, stream);
  }

  private CallResult call(ChatRequest request, ProviderKey key, StreamListener stream)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the request");
    }
    long deadline = nanoTime.getAsLong() + request.timeout().toNanos();
    Exchange first = new Exchange(request, key, deadline);
    CallResult result = first.run(stream);
    if (!first.wasStaleConnection(result)) {
      return result;
    }
    LOG.debug("{}: no byte of an answer, asking again at once", settings.name());
    return new Exchange(request, key, deadline).run(stream);
  }

  /** One HTTP request. */
  private final class Exchange {
    private final ChatRequest request;
    private final ProviderKey key;
    private final long deadline;
    private final Relay relay = new Relay();
    private final Transmission seen = new Transmission(relay, settings.maxAnswerChars());
    private final long started = nanoTime.getAsLong();

    Exchange(ChatRequest request, ProviderKey key, long deadline) {
      this.request = request;
      this.key = key;
      this.deadline = deadline;
    }

    CallResult run(StreamListener stream) throws InterruptedException {
      Thread sender = Thread.ofVirtual().name("llm-" + settings.name()).start(this::send);
      boolean told = false;
      try {
        CallResult result = counted(await(sender, stream));
        tell(result);
        told = true;
        return result;
      } finally {
        // Closes the connection where the answer is not complete; otherwise it does nothing.
        sender.interrupt();
        if (!told) {
          tell(Failures.failed(ErrorMeaning.NETWORK, "the call was interrupted", true, null));
        }
      }
    }

    /** Adds the usage that was reported before a failure, because it has to be paid too. */
    private CallResult counted(CallResult result) {
      return result instanceof CallResult.Failed failed && failed.maybeBilled()
          ? failed.withUsage(seen.usage())
          : result;
    }

    private CallResult await(Thread sender, StreamListener stream) throws InterruptedException {
      while (true) {
        long left = deadline - nanoTime.getAsLong();
        if (left <= 0) {
          if (whole(sender, stream) instanceof CallResult.Answer answer) {
            return answer;
          }
          return withoutSecret(
              Failures.late(
                  "no complete answer within " + DurationText.format(request.timeout()),
                  seen,
                  clock.instant()));
        }
        CallResult result = relay.next(left, stream);
        if (result != null) {
          return result;
        }
      }
    }

    /**
     * Returns the result of an answer that the deadline cuts off here; null where there is none. An
     * answer may be complete except for the end of its transfer, as from a server that keeps the
     * connection alive. It must not be paid for again.
     */
    private @Nullable CallResult whole(Thread sender, StreamListener stream)
        throws InterruptedException {
      Integer status = seen.status();
      sender.interrupt();
      if (status == null || status >= 300 || !sender.join(CLOSED_WITHIN)) {
        return null;
      }
      CallResult result = null;
      while (result == null) {
        result = relay.next(0, stream);
      }
      return result;
    }

    private void send() {
      try {
        relay.end(api.exchange(request, key.secret(), seen));
      } catch (Exception e) {
        // Kotlin throws checked exceptions where it likes.
        relay.end(withoutSecret(Failures.of(e, seen, clock.instant())));
      } catch (Error e) {
        relay.broken(e);
      }
    }

    /** Replaces the key, because servers quote a key that they refuse. */
    private CallResult.Failed withoutSecret(CallResult.Failed failed) {
      if (settings.keys().isEmpty() || !key.isSecret()) {
        return failed;
      }
      String code = failed.code();
      return new CallResult.Failed(
          failed.kind(),
          failed.retryable(),
          failed.message().replace(key.secret(), key.label()),
          failed.httpStatus(),
          code == null ? null : code.replace(key.secret(), key.label()),
          failed.retryAfter(),
          failed.maybeBilled(),
          Failures.mentions(failed.cause(), key.secret()) ? null : failed.cause());
    }

    /**
     * True for a stale connection. One that was never made is not stale, so a server that refuses
     * connections is not asked twice.
     */
    boolean wasStaleConnection(CallResult result) {
      long now = nanoTime.getAsLong();
      return result instanceof CallResult.Failed failed
          && failed.kind() == FailureKind.NETWORK_ERROR
          && failed.retryable()
          && failed.maybeBilled()
          && seen.status() == null
          && now - started <= STALE_WITHIN.toNanos()
          && deadline - now > 0;
    }

    private void tell(CallResult result) {
      CallResult.Failed failed = result instanceof CallResult.Failed f ? f : null;
      Usage usage = result instanceof CallResult.Answer answer ? answer.usage() : seen.usage();
      WireCall call =
          new WireCall(
              new Target(settings.name(), request.model()),
              key.label(),
              failed == null ? null : failed.kind(),
              seen.status(),
              usage,
              cost(request.model(), usage).orElse(null),
              Duration.ofNanos(nanoTime.getAsLong() - started),
              failed == null || failed.maybeBilled(),
              seen.requestId());
      try {
        wire.on(call);
      } catch (RuntimeException e) {
        LOG.warn("{}: the listener of wire calls failed", settings.name(), e);
      }
    }
  }

  @Override
  public void close() {
    api.close();
  }
}
