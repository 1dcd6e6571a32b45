package dev.holdfast.web;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.QuestionTooSlowException;
import dev.holdfast.queue.ServerExhaustedException;
import dev.holdfast.queue.StaleViewException;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.web.access.Entrance;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.javalin.http.HttpStatus;
import io.javalin.http.MethodNotAllowedResponse;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.io.EOFException;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.util.List;
import java.util.TreeSet;
import org.eclipse.jetty.http.HttpException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what handlers throw into problem documents, or into pages where a browser asks for one. */
record Problems(Pages pages) implements Routes {
  private static final Logger log = LoggerFactory.getLogger(Problems.class);
  private static final int RETRY_SECONDS = 5;
  private static final int RETRY_SECONDS_OF_TOO_MANY = 15;
  private static final String CHARSET = "the charset of the Content-Type is none; send UTF-8";

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.exception(Exception.class, (e, context) -> answer(context, problem(e, context)));
    routes.exception(
        HttpResponseException.class,
        (e, context) -> {
          if (e instanceof MethodNotAllowedResponse) {
            context.header("Allow", allowed(e, context.path()));
          }
          answer(context, problem(e));
        });
    // What the server itself refuses (a line that is too long, a broken header) comes without a
    // body.
  }

  /**
   * Returns the methods that the router knows for this path, and HEAD, which the router sees as
   * GET.
   */
  private static String allowed(HttpResponseException e, String path) {
    TreeSet<String> methods = new TreeSet<>();
    e.getDetails().values().forEach(names -> methods.addAll(List.of(names.split(", "))));
    if (methods.contains("GET") && !path.startsWith(EventRoutes.PATH)) {
      methods.add("HEAD");
    }
    return String.join(", ", methods);
  }

  private void answer(Context context, Problem problem) {
    if (problem.status() == 503) {
      context.header("Retry-After", "" + RETRY_SECONDS);
    }
    if (problem.status() == 401) {
      context.header("WWW-Authenticate", "Bearer");
    }
    if (isPage(context) && problem.status() == 401) {
      context.redirect(LoginRoutes.addressFor(context), HttpStatus.SEE_OTHER);
    } else if (isPage(context)) {
      context
          .status(problem.status())
          .html(
              pages.problem(
                  problem,
                  isGet(context) ? null : Entrance.sentFrom(context),
                  again(context, problem)));
    } else {
      problem.answer(context);
    }
  }

  /**
   * Returns the seconds after which the browser asks again. It asks by GET, which would not do what
   * a form has sent.
   */
  private static int again(Context context, Problem problem) {
    if (!isGet(context)) {
      return 0;
    }
    return switch (problem.status()) {
      case 503 -> RETRY_SECONDS;
      case 429 -> RETRY_SECONDS_OF_TOO_MANY;
      default -> 0;
    };
  }

  private static boolean isGet(Context context) {
    return context.method().equals(HandlerType.GET);
  }

  /** Returns true if a person looks at the answer. */
  static boolean isPage(Context context) {
    String accept = context.header("Accept");
    return !context.path().startsWith("/api/") && accept != null && accept.contains("text/html");
  }

  private static Problem problem(HttpResponseException e) {
    return switch (e.getStatus()) {
      case 404 -> Problem.of(404, "there is nothing here; /openapi.json lists what there is");
      case 405 ->
          Problem.of(405, "this method is not for this path; /openapi.json lists which are");
      case 413 -> Problem.of(413, "the body is too large; see payload.max-bytes");
      default ->
          Problem.of(
              e.getStatus() < 400 ? 500 : e.getStatus(), "the request could not be answered");
    };
  }

  private static Problem problem(Exception e, Context context) {
    return switch (e) {
      case Refused refused -> Problem.of(refused.status(), words(refused));
      case NotFoundException found -> Problem.of(404, words(found));
      case IllegalTransitionException state -> Problem.of(409, words(state));
      case StaleViewException stale -> Problem.of(412, words(stale));
      case InvalidInputException value -> Problem.of(422, words(value));
      case TicketBusyException busy -> Problem.of(503, words(busy));
      case QuestionTooSlowException slow ->
          Problem.of(
              503,
              "this took the database longer than web.statement-timeout; "
                  + (isGet(context)
                      ? "ask for less: a queue, a state, created_from"
                      : "nothing was done: do it in portions, or by the command holdfast in a"
                          + " shell, which has no such limit"));
      // A retry does not help where a right or the schema is missing; but room comes back.
      case StatementRefusedException refused
          when !(refused instanceof ServerExhaustedException) -> {
        log.error("{} {}: {}", context.method(), context.path(), refused.getMessage());
        yield Problem.of(500, words(refused));
      }
      case DatabaseUnavailableException gone -> {
        log.warn("{} {}: {}", context.method(), context.path(), gone.getMessage());
        yield Problem.of(503, "the database cannot be reached just now; try again in some seconds");
      }
      case IllegalCharsetNameException name -> Problem.of(415, CHARSET);
      case UnsupportedCharsetException name -> Problem.of(415, CHARSET);
      case EOFException cut -> Problem.of(400, "the request's body ended before its end");
      case HttpException broken -> Problem.of(400, "the request's body could not be read");
      default -> {
        log.error("{} {} failed", context.method(), context.path(), e);
        yield Problem.of(500, "this is a fault of Holdfast; its log has the details");
      }
    };
  }

  private static String words(HoldfastException e) {
    return String.valueOf(e.getMessage());
  }
}
