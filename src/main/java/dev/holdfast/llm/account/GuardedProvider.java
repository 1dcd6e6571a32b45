package dev.holdfast.llm.account;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WrappedProvider;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A provider for one attempt of one ticket, which calls only what the cluster leaves open. It heeds
 * cool-downs and breakers, takes the next key where one is closed, reserves what a call may cost,
 * and reports the outcome to the cluster. For one session's thread; other threads may call {@link
 * #standstill}.
 */
public final class GuardedProvider implements WrappedProvider {
  private static final Duration PROBE_MARGIN = Duration.ofSeconds(5);

  private final ChatProvider provider;
  private final AccountCache book;
  private final BudgetGuard purse;
  private final AccountListener listener;
  private final CallOf call;
  private final long sinceNanos;

  GuardedProvider(
      ChatProvider provider,
      AccountCache book,
      BudgetGuard purse,
      AccountListener listener,
      CallOf call) {
    this.provider = provider;
    this.book = book;
    this.purse = purse;
    this.listener = listener;
    this.call = call;
    this.sinceNanos = book.now();
  }

  @Override
  public ChatProvider provider() {
    return provider;
  }

  @Override
  public Optional<Standstill> standstill(String model) {
    Standstill soonest = null;
    for (Account account : provider.accounts()) {
      Standstill shut = book.standstill(account, model, sinceNanos);
      if (shut == null) {
        return Optional.empty();
      }
      soonest = Standstill.sooner(soonest, shut);
    }
    return Optional.ofNullable(soonest);
  }

  @Override
  public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
    CallResult.Failed failed = null;
    Standstill soonest = null;
    for (Account account : provider.accounts()) {
      AccountCache.Admission admission =
          book.admit(account, request.model(), request.timeout().plus(PROBE_MARGIN), sinceNanos);
      if (admission instanceof AccountCache.Admission.Shut shut) {
        soonest = Standstill.sooner(soonest, shut.why());
        continue;
      }
      List<Scope> probes = ((AccountCache.Admission.Open) admission).probes();
      if (failed != null && !call.context().takeCall()) {
        book.endProbes(probes);
        break;
      }
      switch (paid(request, account, probes, stream)) {
        case CallResult.Failed each when isOfOneKey(account, request, each) -> failed = each;
        case CallResult.Refused(Standstill why) when BudgetGuard.isOfOneKey(why) -> {
          soonest = Standstill.sooner(soonest, why);
          if (failed != null) {
            call.context().giveBackCall();
          }
        }
        case CallResult.Refused(Standstill why) -> {
          return refused(why);
        }
        case CallResult result -> {
          return result;
        }
      }
    }
    if (failed != null) {
      return failed;
    }
    return refused(soonest);
  }

  private CallResult refused(@Nullable Standstill why) {
    if (why == null) {
      throw new IllegalStateException("the provider " + name() + " has no account");
    }
    String reason =
        switch (why.kind()) {
          case COOLING -> "cooling";
          case ACCOUNT -> "account";
          case BUDGET -> "budget";
        };
    listener.refused(name(), reason);
    return new CallResult.Refused(why);
  }

  private boolean isOfOneKey(Account account, ChatRequest request, CallResult.Failed failed) {
    // A cut call counts for the ticket, so its failure has to be returned.
    return !failed.isCut()
        && failure(account, request.model(), failed).filter(AccountFailure::ofOneKey).isPresent();
  }

  private CallResult paid(
      ChatRequest request, Account account, List<Scope> probes, StreamListener stream)
      throws InterruptedException {
    BudgetGuard.Grant grant = new BudgetGuard.Grant.Free();
    CallResult result = null;
    boolean sent = false;
    try {
      grant = purse.reserve(provider, account, request, call);
      if (grant instanceof BudgetGuard.Grant.None none) {
        return new CallResult.Refused(none.why());
      }
      if (Thread.interrupted()) {
        purse.giveBack(grant);
        throw new InterruptedException("interrupted before the request");
      }
      sent = true;
      // Waiting for a budget and calling another key have taken time since the request was made.
      ChatRequest now =
          purse.asReserved(grant, request).withTimeout(call.context().atMost(request.timeout()));
      result = withUsage(now, send(now, account, stream));
      return result;
    } finally {
      if (sent) {
        purse.settle(grant, provider, request.model(), result);
      }
      tell(account, request.model(), probes, result);
    }
  }

  private CallResult send(ChatRequest request, Account account, StreamListener stream)
      throws InterruptedException {
    try {
      return provider.call(request, account, stream);
    } catch (InterruptedException e) {
      Usage worst = WorstCost.unanswered(request, Usage.NONE, book.settings().outputTokens());
      throw costs(request, worst) ? new BrokenOffException(e, worst) : e;
    }
  }

  /**
   * Fills in an estimated usage where the provider does not count the prompt, so that costs and
   * limits on tokens still count. Some servers leave out the usage, some report 0 tokens. Only what
   * is known to cost nothing, such as a script, stays as it is.
   */
  private CallResult withUsage(ChatRequest request, CallResult result) {
    return switch (result) {
      case CallResult.Answer answer when answer.usage().prompt() == 0 -> {
        Usage estimate = WorstCost.estimated(request, answer);
        yield costs(request, estimate)
            ? new CallResult.Answer(answer.message(), answer.stop(), estimate)
            : answer;
      }
      case CallResult.Failed failed when failed.isCut() -> {
        Usage worst = WorstCost.unanswered(request, failed.usage(), book.settings().outputTokens());
        yield costs(request, worst) ? failed.withUsage(worst) : failed;
      }
      default -> result;
    };
  }

  private boolean costs(ChatRequest request, Usage usage) {
    return provider.cost(request.model(), usage).map(usd -> usd.signum() > 0).orElse(true);
  }

  private void tell(
      Account account, String model, List<Scope> probes, @Nullable CallResult result) {
    switch (result) {
      case CallResult.Answer answer -> book.answered(account, model);
      case CallResult.Failed failed -> {
        Optional<AccountFailure> failure = failure(account, model, failed);
        failure.ifPresent(each -> book.failed(each, call.ticketId(), listener));
        Scope told = failure.map(AccountFailure::scope).orElse(null);
        book.endProbes(probes.stream().filter(probe -> !probe.equals(told)).toList());
      }
      case null -> book.endProbes(probes);
      case CallResult.Refused refused -> book.endProbes(probes);
    }
  }

  private Optional<AccountFailure> failure(
      Account account, String model, CallResult.Failed failed) {
    return AccountFailure.of(account, model, failed, book.settings().limitsPerModel());
  }
}
