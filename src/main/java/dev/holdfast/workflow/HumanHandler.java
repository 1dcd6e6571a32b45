package dev.holdfast.workflow;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.schema.Question;
import dev.holdfast.ticket.Answer;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.TicketHandler;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/**
 * Works tickets of kind {@code human}: the payload is a question, as {@code {"ask": …, "schema":
 * …}}, and the result a person's answer. An answer by SQL is not checked against the schema, so one
 * that does not fit is asked for again. Thread-safe.
 */
public final class HumanHandler implements TicketHandler {
  /** The kind of its tickets. */
  public static final String KIND = "human";

  @Override
  public HandlerResult handle(TicketContext context) {
    try {
      Question question = Question.parse(context.payload());
      Optional<Answer> answer = context.answer();
      if (answer.isEmpty()) {
        return HandlerResult.asks(question);
      }
      String problem = question.problem(answer.get().value());
      if (problem.isEmpty()) {
        return HandlerResult.done(answer.get().value());
      }
      return HandlerResult.asks(
          new Question(
              question.ask() + "\n(The last answer did not fit: " + problem + ")",
              question.choices(),
              question.schema()));
    } catch (IllegalArgumentException | JacksonException e) {
      String why = "the payload is no question: " + e.getMessage();
      return HandlerResult.held(
          why, new ErrorReport(why, null, null, null, Category.CODE_ERROR, null));
    }
  }
}
