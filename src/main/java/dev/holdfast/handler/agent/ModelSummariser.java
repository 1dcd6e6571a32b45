package dev.holdfast.handler.agent;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.ProviderCallRetry;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.session.context.Summariser;
import dev.holdfast.session.retry.Route;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a session's own models sum up its older turns, the first target first. Each call has its own
 * retries (E1), within the attempt's budget.
 */
record ModelSummariser(
    Duration timeout,
    @Nullable Integer maxOutputTokens,
    ProviderCallRetry retry,
    RetryContext context)
    implements Summariser {
  private static final Logger log = LoggerFactory.getLogger(ModelSummariser.class);

  private static final String SYSTEM =
      """
      You are given the older part of an agent's work on a task. Sum it up for the agent, who will go
      on with your summary in its place: what was found out, what was changed and where, what failed
      and why, what is left to do. Keep names, paths, numbers and error messages exactly. Answer with
      the summary alone.
      """;

  @Override
  public Optional<Summary> summarise(String transcript, List<Route> routes)
      throws InterruptedException {
    for (Route route : routes) {
      switch (retry.call(route.provider(), request(route, transcript), context, route.retry())) {
        case CallResult.Answer answer when answer.isWithoutText() ->
            log.warn("{} gave no summary, but stopped: {}", route.target(), answer.stop());
        case CallResult.Answer answer -> {
          return Optional.of(summary(route, answer));
        }
        case CallResult.Refused refused ->
            log.info("{} gives no summary now: {}", route.target(), refused.why().words());
        case CallResult.Failed failed ->
            log.warn("{} gave no summary: {}", route.target(), failed.message());
      }
    }
    return Optional.empty();
  }

  private ChatRequest request(Route route, String transcript) {
    return new ChatRequest(
        route.target().model(),
        SYSTEM,
        List.of(new Message.User(transcript)),
        List.of(),
        ToolChoice.NONE,
        maxOutputTokens,
        timeout);
  }

  private static Summary summary(Route route, CallResult.Answer answer) {
    return new Summary(
        route.target(),
        answer.message().text(),
        answer.usage(),
        route.provider().cost(route.target().model(), answer.usage()).orElse(null));
  }
}
