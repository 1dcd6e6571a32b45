package dev.holdfast.web.console;

import dev.holdfast.queue.CallDecision;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.ToolCallRow;
import dev.holdfast.schema.Question;
import dev.holdfast.schema.UnreadableJson;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.web.Refused;
import dev.holdfast.web.Routes;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.view.Format;
import dev.holdfast.web.console.view.Links;
import dev.holdfast.web.console.view.QuestionForm;
import dev.holdfast.web.console.view.ResultView;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Handles the buttons beside a tool call that waits for a person (5.4). */
record CallForms(WebPorts ports) implements Routes {
  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post("/tickets/{id}/decide-call", this::decide, Role.OPERATOR);
    routes.post("/tickets/{id}/answer", this::answer, Role.OPERATOR);
  }

  private void decide(Context context) {
    long id = TicketForms.id(context);
    TicketForms.answer(
        context,
        () -> {
          ToolCallRow call = waiting(id, context.formParam("call"));
          boolean approve = TicketForms.wanted(context, "approve", "deny").equals("approve");
          String edited = approve ? edited(call, context.formParam("arguments")) : null;
          String words = TicketForms.words(context, "words");
          boolean remember = approve && context.formParam("remember") != null;
          TicketDesk desk = TicketForms.desk(ports.desk(), context);
          desk.decideCall(
              id,
              Visitor.of(context).actor(),
              new CallDecision(approve, call.id(), edited, words, remember));
          return Notice.good(
              (approve ? "Approved " : "Denied ")
                  + call.tool()
                  + " of #"
                  + id
                  + (edited == null ? "." : " with other arguments."));
        },
        Links.ticket(id));
  }

  private void answer(Context context) {
    long id = TicketForms.id(context);
    TicketForms.answer(
        context,
        () -> {
          QuestionForm form =
              ports
                  .tickets()
                  .question(id)
                  .map(Question::parse)
                  .map(QuestionForm::of)
                  .orElseThrow(
                      () -> new IllegalTransitionException("#" + id + " asks nothing any more"));
          TicketForms.desk(ports.desk(), context)
              .answer(id, Visitor.of(context).actor(), form.answer(context::formParam).toString());
          return Notice.good("Answered #" + id + "; it goes on.");
        },
        Links.ticket(id));
  }

  private ToolCallRow waiting(long ticketId, @Nullable String call) {
    return ports.tickets().history(ticketId).toolCalls().rows().stream()
        .filter(each -> String.valueOf(each.id()).equals(call))
        .findFirst()
        .orElseThrow(() -> new Refused(404, "#" + ticketId + " has no such tool call"));
  }

  /**
   * Returns the arguments that somebody wrote in place of the model's; null where they are the
   * same.
   */
  private static @Nullable String edited(ToolCallRow call, @Nullable String given) {
    if (given == null || given.isBlank()) {
      return null;
    }
    JsonNode wanted;
    try {
      wanted = ResultView.exact(given);
    } catch (NumberFormatException e) {
      throw new InvalidInputException(
          "the arguments have a number whose exponent is beyond all bounds");
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "the arguments are no JSON: " + Format.firstLine(UnreadableJson.reason(e), 200));
    }
    return isSame(wanted, call.arguments()) ? null : wanted.toString();
  }

  private static boolean isSame(JsonNode wanted, String arguments) {
    try {
      return wanted.equals(ResultView.exact(arguments));
    } catch (JacksonException | NumberFormatException e) {
      // The model's arguments were not valid, so what stands there now is different.
      return false;
    }
  }
}
