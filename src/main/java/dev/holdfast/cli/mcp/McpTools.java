package dev.holdfast.cli.mcp;

import dev.holdfast.cli.inspect.ClassifyLines;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.config.Settings;
import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketHistory;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.schema.Question;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.NotFoundException;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The tools of the MCP server. Each answers with JSON, and a refusal is an answer with the reason.
 * It serves one call at a time.
 */
final class McpTools {
  private static final int SHOWN = 20;
  private static final int MOST_SHOWN = 100;

  private final Backend backend;
  private final Classifier classifier;
  private final String actor;

  McpTools(Backend backend, Settings settings, String actor) {
    this.backend = backend;
    this.classifier = Classifier.standard().withRules(settings.classifierRules());
    this.actor = actor;
  }

  List<SyncToolSpecification> all(boolean mayAct) {
    List<SyncToolSpecification> tools = new ArrayList<>();
    tools.add(
        tool(
            "list_tickets",
            "List tickets, the newest first; on_hold ones wait for a decision.",
            true,
            Map.of(
                "state",
                Map.of(
                    "enum",
                    List.of(
                        "ready", "in_progress", "needs_review", "on_hold", "done", "cancelled")),
                "category",
                text("transient, api_error, code_error, system_error or unknown"),
                "fingerprint",
                text("only tickets with this error"),
                "queue",
                text("only tickets of this queue"),
                "limit",
                Map.of("type", "integer", "minimum", 1, "maximum", MOST_SHOWN)),
            List.of(),
            this::list));
    tools.add(
        tool(
            "show_ticket",
            "Show a ticket with its payload, attempts, errors, guidance and history.",
            true,
            Map.of("id", id()),
            List.of("id"),
            this::show));
    tools.add(
        tool(
            "classify_error",
            "Say how an error text is classified: category, rule, retry hint, fingerprint.",
            true,
            Map.of("text", text("the error"), "http_status", Map.of("type", "integer")),
            List.of("text"),
            this::classify));
    if (mayAct) {
      addActions(tools);
    }
    return tools;
  }

  private void addActions(List<SyncToolSpecification> tools) {
    tools.add(
        tool(
            "release_ticket",
            "Send a held ticket back to work, with guidance for the next attempt.",
            false,
            Map.of(
                "id", id(),
                "guidance", text("what the next attempt is told"),
                "fresh", Map.of("type", "boolean", "description", "let an agent start over")),
            List.of("id"),
            this::release));
    tools.add(
        tool(
            "answer_ticket",
            "Answer the question that a held ticket waits with; show_ticket has the question.",
            false,
            Map.of("id", id(), "answer", text("one of the choices, a text, or JSON for a schema")),
            List.of("id", "answer"),
            this::answerQuestion));
    tools.add(
        tool(
            "reject_ticket",
            "Send the result of a ticket in needs_review back to work, with feedback.",
            false,
            Map.of("id", id(), "feedback", text("what has to be different")),
            List.of("id", "feedback"),
            this::reject));
  }

  private static Map<String, Object> id() {
    return Map.of("type", "integer", "minimum", 0, "description", "the ticket");
  }

  private static Map<String, Object> text(String description) {
    return Map.of("type", "string", "maxLength", 100_000, "description", description);
  }

  private SyncToolSpecification tool(
      String name,
      String description,
      boolean reads,
      Map<String, Object> properties,
      List<String> required,
      Function<Arguments, Object> work) {
    Map<String, Object> schema =
        Map.of(
            "type",
            "object",
            "properties",
            properties,
            "required",
            required,
            "additionalProperties",
            false);
    Tool tool =
        Tool.builder(name, schema)
            .description(description)
            .annotations(new ToolAnnotations(null, reads, false, reads, false, null))
            .build();
    return new SyncToolSpecification(
        tool,
        (exchange, request) ->
            answer(new Arguments(request.arguments(), properties.keySet()), work));
  }

  /** The arguments of a call. */
  private record Arguments(@Nullable Map<String, Object> given, Set<String> known) {
    @Nullable String text(String name) {
      Object value = given == null ? null : given.get(name);
      if (value instanceof Double number && number == Math.rint(number) && number < 1e15) {
        return String.valueOf(number.longValue()); // to JSON Schema 17.0 is an integer
      }
      return value == null ? null : String.valueOf(value);
    }

    @Nullable Integer number(String name) {
      String text = text(name);
      if (text != null && !text.matches("[0-9]{1,9}")) {
        throw new UsageException(name + ": a whole number");
      }
      return text == null ? null : Integer.valueOf(text);
    }

    long id() {
      return Words.id(String.valueOf(text("id")));
    }

    void requireKnown() {
      if (given != null && !known.containsAll(given.keySet())) {
        throw new UsageException("there are only these arguments: " + known);
      }
    }
  }

  private synchronized CallToolResult answer(
      Arguments arguments, Function<Arguments, Object> work) {
    try {
      arguments.requireKnown();
      return result(JsonOutput.of(work.apply(arguments)), false);
    } catch (HoldfastException e) {
      return result(PlainText.oneLine(e.getMessage()), true);
    }
  }

  private static CallToolResult result(String text, boolean error) {
    return CallToolResult.builder().addTextContent(text).isError(error).build();
  }

  private Object list(Arguments arguments) {
    String state = arguments.text("state");
    String category = arguments.text("category");
    String fingerprint = arguments.text("fingerprint");
    Integer limit = arguments.number("limit");
    int shown = limit == null ? SHOWN : Math.min(Words.limit(limit), MOST_SHOWN);
    TicketFilter filter =
        TicketFilter.all(shown)
            .withState(state == null ? null : Words.state(state))
            .withQueue(arguments.text("queue"))
            .withError(
                category == null ? null : Words.category(category).wireName(),
                TicketFilter.fingerprint(fingerprint));
    return backend.reader().summaries(filter);
  }

  private Object show(Arguments arguments) {
    long id = arguments.id();
    TicketReader reader = backend.reader();
    TicketRow row =
        reader.find(id).orElseThrow(() -> new NotFoundException("there is no ticket " + id));
    Map<String, @Nullable Object> ticket = JsonOutput.columns(row);
    TicketHistory history = reader.history(id);
    ticket.put("attempts", history.attempts().rows());
    ticket.put("guidance", history.guidance().rows());
    ticket.put("timeline", history.timeline().rows());
    ticket.put(
        "left_out",
        Map.of(
            "attempts", history.attempts().older(),
            "guidance", history.guidance().older(),
            "timeline", history.timeline().older()));
    ticket.put("question", JsonOutput.embedded(reader.question(id).orElse(null)));
    return ticket;
  }

  private Object classify(Arguments arguments) {
    ErrorReport report = ErrorReport.ofText(String.valueOf(arguments.text("text")));
    Integer status = arguments.number("http_status");
    return ClassifyLines.columns(
        classifier.classify(
            status == null ? report : report.withHttpStatus(ClassifyLines.status(status))));
  }

  private Object release(Arguments arguments) {
    boolean fresh = "true".equals(arguments.text("fresh"));
    return changed(
        arguments.id(),
        backend
            .desk()
            .through(Channel.MCP)
            .release(
                arguments.id(),
                actor,
                arguments.text("guidance"),
                Retries.RESET,
                fresh ? Conversation.START_OVER : Conversation.RESUME)
            .wireName());
  }

  private Object answerQuestion(Arguments arguments) {
    long id = arguments.id();
    String answer =
        Question.answer(backend.reader().question(id), String.valueOf(arguments.text("answer")));
    return changed(id, backend.desk().through(Channel.MCP).answer(id, actor, answer).wireName());
  }

  private Object reject(Arguments arguments) {
    String feedback = String.valueOf(arguments.text("feedback"));
    return changed(
        arguments.id(),
        backend.desk().through(Channel.MCP).reject(arguments.id(), actor, feedback).wireName());
  }

  private Object changed(long id, String state) {
    Map<String, Object> changed = new LinkedHashMap<>();
    changed.put("id", id);
    changed.put("state", state);
    changed.put("by", actor);
    return changed;
  }
}
