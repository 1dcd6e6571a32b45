package dev.holdfast.web;

import dev.holdfast.queue.CallDecision;
import dev.holdfast.queue.RequestAnswers.Kept;
import dev.holdfast.queue.RequestRepeatedException;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketDesk.AutoRetry;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.TicketInbox.RequestKey;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Actions of people on one ticket: each is a POST and answers with the changed ticket. With {@code
 * If-Match}, an action is done only if the ticket is still as it was seen. If it is sent again with
 * the same {@code Idempotency-Key}, it gets the first answer and is not done again.
 */
record ActionRoutes(WebPorts ports) implements Routes {
  private static final Logger log = LoggerFactory.getLogger(ActionRoutes.class);
  private static final int LONGEST_WORDS = 100_000;

  /** The bodies; every field may be left out unless an action needs it. */
  record Release(
      @Nullable String guidance,
      @Nullable Boolean keepRetries,
      @Nullable Boolean fresh,
      @Nullable String by) {}

  record Reason(@Nullable String reason, @Nullable String by) {}

  record Feedback(@Nullable String feedback, @Nullable String by) {}

  record Nothing(@Nullable String by) {}

  record Decision(
      @Nullable String decision,
      @Nullable Long call,
      @Nullable JsonNode arguments,
      @Nullable String words,
      @Nullable Boolean remember,
      @Nullable String by) {}

  record Reply(@Nullable JsonNode answer, @Nullable String by) {}

  record Replay(@Nullable String from, @Nullable String by) {}

  record Payload(@Nullable JsonNode payload, @Nullable String by) {}

  record Version(@Nullable Integer version, @Nullable String by) {}

  record Switch(@Nullable Boolean enabled, @Nullable String by) {}

  record Assignment(@Nullable String assignee, @Nullable String by) {}

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    add(routes, "release", Release.class, this::release);
    add(
        routes,
        "unrelease",
        Nothing.class,
        (act, body) -> act.desk.unrelease(act.id, act.as(body.by)));
    add(routes, "decide-call", Decision.class, this::decideCall);
    add(routes, "answer", Reply.class, this::answer);
    add(routes, "hold", Reason.class, this::hold);
    add(routes, "cancel", Reason.class, this::cancel);
    add(routes, "approve", Nothing.class, (act, body) -> act.desk.approve(act.id, act.as(body.by)));
    add(routes, "reject", Feedback.class, this::reject);
    add(routes, "payload", Payload.class, this::payload);
    add(
        routes,
        "design",
        Version.class,
        (act, body) -> act.desk.useDesign(act.id, act.as(body.by), body.version));
    add(routes, "assign", Assignment.class, this::assign);
    add(routes, "auto-retry", Switch.class, this::autoRetry);
    routes.post(TicketRoutes.ONE + "/replay", Requests.plain(this::replay), Role.OPERATOR);
    routes.post(TicketRoutes.ONE + "/abort-retry", this::abortRetry, Role.OPERATOR);
  }

  /** One action on one ticket by one visitor. */
  private record Act(long id, TicketDesk desk, Visitor visitor) {
    String as(@Nullable String by) {
      return visitor.actor(by);
    }
  }

  private interface Action<T> {
    void run(Act act, T body);
  }

  private <T> void add(
      JavalinDefaultRoutingApi routes, String name, Class<T> type, Action<T> action) {
    routes.post(
        TicketRoutes.ONE + "/" + name,
        Requests.plain(context -> perform(context, Requests.body(context, type), action)),
        Role.OPERATOR);
  }

  private <T> void perform(Context context, T body, Action<T> action) {
    RequestKey key = IdempotencyKey.of(context, context.path() + "\n" + context.body());
    if (key == null) {
      Act act = act(context, ports.desk());
      action.run(act, body);
      answer(context, act.id, null);
    } else if (!repeat(context, key)) {
      Act act = act(context, ports.desk().once(key));
      try {
        action.run(act, body);
      } catch (RequestRepeatedException e) {
        log.debug("{} {}: {}", context.method(), context.path(), e.getMessage());
      }
      answer(context, act.id, key);
    }
  }

  /** Repeats the first answer, if there was one. */
  private boolean repeat(Context context, RequestKey key) {
    Optional<Kept> kept = ports.answers().find(key);
    kept.ifPresent(
        earlier -> {
          context.header("Idempotency-Replayed", "true");
          if (earlier.answer() == null) {
            answer(context, earlier.ticketId(), key);
          } else {
            context.header("ETag", String.valueOf(earlier.etag()));
            context.contentType("application/json").result(earlier.answer());
          }
        });
    return kept.isPresent();
  }

  private Act act(Context context, TicketDesk chosen) {
    long id = Requests.id(context);
    return new Act(id, Seen.desk(context, chosen, ports.tickets(), id), Visitor.of(context));
  }

  private void release(Act act, Release body) {
    act.desk.release(
        act.id, act.as(body.by), words("guidance", body.guidance), retries(body), session(body));
  }

  /** Decides a tool call that the ticket waits for (5.4). */
  private void decideCall(Act act, Decision body) {
    String decision = needed("decision", body.decision);
    if (!decision.equals("approve") && !decision.equals("deny")) {
      throw new Refused(422, "decision: approve or deny");
    }
    act.desk.decideCall(
        act.id,
        act.as(body.by),
        new CallDecision(
            decision.equals("approve"),
            body.call,
            body.arguments == null ? null : Bodies.json(body.arguments),
            words("words", body.words),
            Boolean.TRUE.equals(body.remember)));
  }

  private void answer(Act act, Reply body) {
    if (body.answer == null) {
      throw new Refused(422, "answer: the answer, as JSON");
    }
    act.desk.answer(act.id, act.as(body.by), Bodies.json(body.answer));
  }

  static Retries retries(Release body) {
    return Boolean.TRUE.equals(body.keepRetries) ? Retries.KEEP : Retries.RESET;
  }

  static Conversation session(Release body) {
    return Boolean.TRUE.equals(body.fresh) ? Conversation.START_OVER : Conversation.RESUME;
  }

  private void hold(Act act, Reason body) {
    act.desk.hold(act.id, act.as(body.by), needed("reason", body.reason));
  }

  private void cancel(Act act, Reason body) {
    act.desk.cancel(act.id, act.as(body.by), words("reason", body.reason));
  }

  private void reject(Act act, Feedback body) {
    act.desk.reject(act.id, act.as(body.by), needed("feedback", body.feedback));
  }

  private void payload(Act act, Payload body) {
    if (body.payload == null) {
      throw new Refused(422, "payload: the new payload, as JSON");
    }
    act.desk.editPayload(act.id, act.as(body.by), Bodies.json(body.payload));
  }

  private void assign(Act act, Assignment body) {
    act.desk.assign(act.id, body.assignee, act.as(body.by));
  }

  /** Switches the retries (D33, D34) for every session of the ticket, on whatever worker. */
  private void autoRetry(Act act, Switch body) {
    if (body.enabled == null) {
      throw new Refused(422, "enabled: true or false");
    }
    act.desk.setAutoRetry(act.id, act.as(body.by), body.enabled ? AutoRetry.ON : AutoRetry.OFF);
  }

  /**
   * Orders the end of a retry (D34). The ticket's events show whether the order was taken. A ticket
   * that is ready is tried now.
   */
  private void abortRetry(Context context) {
    Requests.requireKnown(context, Set.of("by"));
    String inQuery = Requests.text(context, "by");
    String by = inQuery == null ? Requests.body(context, Nothing.class).by : inQuery;
    String actor = Visitor.of(context).actor(by);
    long id = Requests.id(context);
    Answers.once(
        context,
        ports,
        202,
        one -> {
          TicketDesk chosen = Seen.desk(context, one.desk(), one.tickets(), id);
          TicketState state = chosen.abortRetry(id, actor);
          return Map.of("id", id, "status", state == TicketState.READY ? "tried_now" : "ordered");
        });
  }

  /** Answers with the ticket that runs. It is another one if this one has ended. */
  private void replay(Context context) {
    Replay body = Requests.body(context, Replay.class);
    String from = needed("from", body.from);
    String actor = Visitor.of(context).actor(body.by);
    long id = Requests.id(context);
    Answers.once(
        context,
        ports,
        200,
        one -> {
          TicketDesk chosen = Seen.desk(context, one.desk(), one.tickets(), id);
          TicketSummary row = one.tickets().summary(chosen.replay(id, actor, from)).orElseThrow();
          return TicketJson.summary(row);
        },
        answer -> context.header("ETag", Seen.etag(Bodies.tree(answer).get("version").asString())));
  }

  private void answer(Context context, long id, @Nullable RequestKey key) {
    ports
        .tickets()
        .summary(id)
        .ifPresent(
            row -> {
              String etag = Seen.etag(row.version());
              String body = Bodies.json(TicketJson.summary(row));
              if (key != null) {
                ports.answers().keep(key, body, etag);
              }
              context.header("ETag", etag).contentType("application/json").result(body);
            });
  }

  private static String needed(String name, @Nullable String text) {
    String words = words(name, text);
    if (words == null || words.isBlank()) {
      throw new Refused(422, name + ": must not be empty");
    }
    return words;
  }

  /** Returns the words of people, and refuses a text that is too long to be read. */
  static @Nullable String words(String name, @Nullable String text) {
    if (text != null && text.length() > LONGEST_WORDS) {
      throw new Refused(422, name + ": at most " + LONGEST_WORDS + " characters");
    }
    return text;
  }
}
