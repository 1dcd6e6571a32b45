package dev.holdfast.web.console;

import dev.holdfast.queue.StaleViewException;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketDesk.AutoRetry;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.TicketInbox.RequestKey;
import dev.holdfast.queue.read.AutoRetrySwitch;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.schema.UnreadableJson;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.web.Refused;
import dev.holdfast.web.Routes;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.view.Format;
import dev.holdfast.web.console.view.Links;
import dev.holdfast.web.console.view.ResultView;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Handles actions on one ticket or queue. Each leads back to its page, which shows the result. */
record TicketForms(WebPorts ports) implements Routes {
  static final int LONGEST_WORDS = 20_000;

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post("/tickets/{id}/release", this::release, Role.OPERATOR);
    routes.post("/tickets/{id}/review", this::review, Role.OPERATOR);
    routes.post("/tickets/{id}/act", this::act, Role.OPERATOR);
    routes.post("/tickets/{id}/abort-retry", this::abortRetry, Role.OPERATOR);
    routes.post("/tickets/{id}/auto-retry", this::autoRetry, Role.OPERATOR);
    routes.post("/queues/act", this::queue, Role.OPERATOR);
  }

  private void release(Context context) {
    long id = id(context);
    answer(
        context,
        () -> {
          String guidance = words(context, "guidance");
          String actor = Visitor.of(context).actor();
          String release = UUID.randomUUID().toString();
          String payload = edited(id, context.formParam("payload"));
          boolean edited = payload != null;
          String design = context.formParam("design");
          Consumer<TicketDesk> deed =
              all -> {
                TicketDesk desk = desk(all, context);
                if (payload != null) {
                  desk.editPayload(id, actor, payload);
                }
                if (design != null) {
                  (edited ? all : desk).useDesign(id, actor, version(design));
                }
                // The changes here make the version that was seen old.
                (edited || design != null ? all : desk)
                    .releasingAs(release)
                    .release(id, actor, guidance, retries(context), conversation(context));
              };
          if (edited || design != null) {
            // Either all of it is done or nothing, and no other change comes in between.
            ports
                .once()
                .answer(
                    new RequestKey(release, release),
                    one -> {
                      deed.accept(one.desk());
                      return release;
                    });
          } else {
            deed.accept(ports.desk());
          }
          return Notice.of(true, released(id, edited, design, guidance), List.of(), release);
        });
  }

  private static String released(
      long id, boolean edited, @Nullable String design, @Nullable String guidance) {
    String with = edited ? " and" : " with";
    return "Released #"
        + id
        + (edited ? " with a new payload" : "")
        + (design == null ? "" : with + " version " + design + " of its design")
        + (guidance == null ? "" : " with your guidance")
        + ".";
  }

  private static int version(String design) {
    try {
      return Integer.parseInt(design);
    } catch (NumberFormatException e) {
      throw new Refused(400, "design: the number of a version");
    }
  }

  /** Returns the payload of the form where it differs from the ticket's; null otherwise. */
  private @Nullable String edited(long id, @Nullable String payload) {
    if (payload == null || payload.isBlank()) {
      return null;
    }
    String stored = ports.tickets().find(id).map(TicketRow::payload).orElse("{}");
    try {
      if (ResultView.exact(payload).equals(ResultView.exact(stored))) {
        return null;
      }
    } catch (NumberFormatException e) {
      throw new InvalidInputException(
          "the payload has a number whose exponent is beyond all bounds");
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "the payload is no JSON: " + Format.firstLine(UnreadableJson.reason(e), 200));
    }
    return payload;
  }

  private void review(Context context) {
    long id = id(context);
    String actor = Visitor.of(context).actor();
    answer(
        context,
        () -> {
          if (wanted(context, "approve", "reject").equals("approve")) {
            desk(context).approve(id, actor);
            return Notice.good("Approved #" + id + ": it is done.");
          }
          String feedback = words(context, "feedback");
          if (feedback == null) {
            return Notice.bad("#" + id + " was not rejected: say what should be different.");
          }
          desk(context).reject(id, actor, feedback);
          return Notice.good("Rejected #" + id + "; the next attempt is told your feedback.");
        });
  }

  private void act(Context context) {
    long id = id(context);
    String actor = Visitor.of(context).actor();
    String wanted = String.valueOf(context.formParam("do"));
    answer(
        context,
        () ->
            switch (wanted) {
              case "assign" -> assign(context, id, words(context, "assignee"), actor);
              case "unassign" -> assign(context, id, null, actor);
              case "hold" -> {
                String reason = words(context, "reason");
                desk(context).hold(id, actor, reason == null ? "held by " + actor : reason);
                yield Notice.good("#" + id + " is on hold.");
              }
              case "cancel" -> {
                desk(context).cancel(id, actor, words(context, "reason"));
                yield Notice.good("Cancelled #" + id + ".");
              }
              case "replay" -> {
                String from = String.valueOf(context.formParam("from"));
                long replayed = desk(context).replay(id, actor, from);
                yield Notice.good("#" + replayed + " is worked again from " + from + " on.");
              }
              default -> throw new Refused(400, "there is no such action");
            });
  }

  private Notice assign(Context context, long id, @Nullable String person, String actor) {
    desk(context).assign(id, person, actor);
    return Notice.good(
        person == null
            ? "Nobody looks after #" + id + " any more."
            : person + " looks after #" + id + ".");
  }

  private void abortRetry(Context context) {
    long id = id(context);
    answer(
        context,
        () -> {
          requireWait(id, context.formParam("until"));
          TicketState state = desk(context).abortRetry(id, Visitor.of(context).actor());
          return Notice.good(
              state == TicketState.READY
                  ? "#" + id + " is tried now."
                  : "The retry of #" + id + " is being aborted.");
        });
  }

  /**
   * Requires the wait that was seen. A session waits several times in one attempt, and the ticket's
   * version stays the same.
   */
  private void requireWait(long id, @Nullable String until) {
    Optional<String> now =
        ports.tickets().currentWait(id).map(wait -> String.valueOf(wait.until().toEpochMilli()));
    if (until != null && !now.equals(Optional.of(until))) {
      throw new StaleViewException(
          "ticket " + id + " has changed since you looked: that wait of its session is over");
    }
  }

  private void autoRetry(Context context) {
    long id = id(context);
    boolean on = "true".equals(context.formParam("enabled"));
    answer(
        context,
        () -> {
          requireSwitch(id, context.formParam("switched"), on);
          ports
              .desk()
              .setAutoRetry(id, Visitor.of(context).actor(), on ? AutoRetry.ON : AutoRetry.OFF);
          return Notice.good("The sessions of #" + id + (on ? " retry again." : " retry no more."));
        });
  }

  /**
   * Requires the switch that was seen. A switch does not change the ticket's version, and an old
   * form would undo a newer switch.
   */
  private void requireSwitch(long id, @Nullable String seen, boolean wanted) {
    AutoRetrySwitch now = ports.tickets().autoRetry(id).orElse(null);
    if (now != null
        && now.enabled() != wanted
        && seen != null
        && !seen.equals(TicketPage.at(now))) {
      throw new StaleViewException(
          "ticket %s has changed since you looked: %s has switched its auto-retry"
              .formatted(id, now.changedBy()));
    }
  }

  private void queue(Context context) {
    String queue = String.valueOf(context.formParam("queue"));
    String actor = Visitor.of(context).actor();
    answer(
        context,
        () -> {
          if (wanted(context, "pause", "resume").equals("pause")) {
            ports.desk().pauseQueue(queue, actor);
            return Notice.good("Paused " + queue + "; what runs goes on.");
          }
          ports.desk().resumeQueue(queue, actor);
          return Notice.good("Resumed " + queue + ".");
        },
        "/queues");
  }

  private void answer(Context context, Supplier<Notice> work) {
    answer(context, work, Links.ticket(id(context)));
  }

  static void answer(Context context, Supplier<Notice> work, String otherwise) {
    Notice notice;
    try {
      notice = work.get();
    } catch (IllegalTransitionException
        | StaleViewException
        | InvalidInputException
        | NotFoundException e) {
      notice = Notice.bad(sentence(e));
    }
    NoticeCookie.put(context, notice);
    context.redirect(Links.back(context.formParam("back"), otherwise), HttpStatus.SEE_OTHER);
  }

  /**
   * Does what a form asks for, once for its field {@code once}.
   *
   * @param deed does it and returns the text of the notice
   */
  static Notice once(Context context, WebPorts ports, Function<WebPorts, String> deed) {
    String once = words(context, "once");
    if (once == null) {
      return Notice.good(deed.apply(ports));
    }
    String form = "form at " + context.path() + " of " + Visitor.of(context).actor();
    RequestKey key = new RequestKey(EnqueueForms.hash(form + ": " + once), EnqueueForms.hash(form));
    WebPorts.Once.Told told = ports.once().answer(key, deed);
    return Notice.good(
        told.body() + (told.repeated() ? " The form was sent before; it was done once." : ""));
  }

  static String sentence(HoldfastException e) {
    String message = String.valueOf(e.getMessage());
    return message.isEmpty() ? "refused" : message;
  }

  private TicketDesk desk(Context context) {
    return desk(ports.desk(), context);
  }

  /** Returns the desk for the version of the ticket that the visitor's page showed. */
  static TicketDesk desk(TicketDesk desk, Context context) {
    String version = context.formParam("version");
    return version == null || version.isBlank() ? desk : desk.onVersion(version);
  }

  /** Returns which of its buttons sent a form; refuses a form that does not say. */
  static String wanted(Context context, String... buttons) {
    String wanted = context.formParam("do");
    if (wanted == null || !List.of(buttons).contains(wanted)) {
      throw new Refused(400, "there is no such action");
    }
    return wanted;
  }

  static long id(Context context) {
    String text = context.pathParam("id");
    if (!text.matches("[0-9]{1,18}")) {
      throw new Refused(400, "a ticket's id is a whole number");
    }
    return Long.parseLong(text);
  }

  static @Nullable String words(Context context, String field) {
    String given = context.formParam(field);
    String words = given == null ? "" : given.replace("\r\n", "\n").replace("\0", "").strip();
    if (words.length() > LONGEST_WORDS) {
      throw new InvalidInputException(
          field + ": at most " + Format.number(LONGEST_WORDS) + " characters");
    }
    return words.isEmpty() ? null : words;
  }

  static Retries retries(Context context) {
    return context.formParam("keep") == null ? Retries.RESET : Retries.KEEP;
  }

  static Conversation conversation(Context context) {
    return context.formParam("fresh") == null ? Conversation.RESUME : Conversation.START_OVER;
  }
}
