package dev.holdfast.workflow;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.TicketHandler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Works tickets of kind {@code workflow}. An attempt takes no time: it looks at the states of the
 * steps, and ends with the steps that begin now, with the whole result, or with what a person has
 * to look at. The end of a step files the ticket again. Thread-safe.
 *
 * @param longestPayload the longest payload of a step's ticket, {@code payload.max-bytes}
 */
public record WorkflowHandler(WorkflowSteps steps, int longestPayload) implements TicketHandler {
  @Override
  public HandlerResult handle(TicketContext context) {
    ClaimedTicket claimed = context.claimed();
    Optional<Design> design = claimed.design();
    if (design.isEmpty()) {
      return held("a workflow has a design: cancel it, and enqueue with --design NAME");
    }
    try {
      WorkflowDesign workflow = WorkflowDesign.of(WorkflowJson.parse(design.get().definition()));
      Map<String, Optional<Design>> designs = new HashMap<>();
      Planner planner =
          new Planner(
              workflow,
              WorkflowJson.parse(context.payload()),
              longestPayload,
              step -> saysSuccess(step, designs),
              steps.tickets(claimed.id(), workflow.uses()));
      return switch (planner.plan()) {
        case Plan.Done(JsonNode result) ->
            new HandlerResult.Succeeded(result.toString(), workflow.review().of(claimed.id()));
        case Plan.Hold(String reason) -> held(reason);
        case Plan.CannotBegin(String problem) ->
            toBeCorrected(problem, design.get().name(), claimed.id());
        case Plan.Go go -> advanced(go, designs);
      };
    } catch (InvalidInputException e) {
      return toBeCorrected(String.valueOf(e.getMessage()), design.get().name(), claimed.id());
    }
  }

  private boolean saysSuccess(Step step, Map<String, Optional<Design>> designs) {
    String name = step.design();
    return name != null
        && designs
            .computeIfAbsent(name, steps::design)
            .map(each -> WorkflowJson.parse(each.definition()).path("after").asString("done"))
            .filter("success"::equals)
            .isPresent();
  }

  private HandlerResult advanced(Plan.Go go, Map<String, Optional<Design>> designs) {
    ObjectNode plan = WorkflowJson.MAPPER.createObjectNode();
    ArrayNode begins = plan.putArray("steps");
    for (Plan.Begun each : go.begins()) {
      Step step = each.step();
      String name = step.design();
      if (name != null && designs.computeIfAbsent(name, steps::design).isEmpty()) {
        return held(
            "step %s: there is no design \"%s\"; put it (holdfast design put %s --file FILE), then"
                    .formatted(step.name(), name, name)
                + " release");
      }
      begins.add(json(each));
    }
    strings(plan.putArray("skipped"), go.skipped());
    strings(plan.putArray("success"), go.success());
    strings(plan.putArray("succeeded"), go.succeeded());
    return new HandlerResult.Advanced(plan.toString());
  }

  private static ObjectNode json(Plan.Begun begun) {
    Step step = begun.step();
    ObjectNode json = WorkflowJson.MAPPER.createObjectNode().put("step", step.name());
    if (step.isHuman()) {
      json.put("kind", HumanHandler.KIND);
    } else {
      json.put("design", step.design());
    }
    json.putArray("payloads").addAll(begun.payloads());
    if (step.forEach().isPresent()) {
      json.put("items", true);
      if (step.breadth() != null) {
        json.put("breadth", step.breadth());
      }
    }
    // If all items have the same title, the database numbers them.
    if (begun.titles().stream().distinct().count() == 1) {
      json.put("title", begun.titles().getFirst());
    } else if (!begun.titles().isEmpty()) {
      begun.titles().forEach(json.putArray("titles")::add);
    }
    if (step.queue() != null) {
      json.put("queue", step.queue());
    }
    if (step.priority() != null) {
      json.put("priority", step.priority());
    }
    if (step.onCancelled() != OnCancelled.HOLD) {
      json.put("on_cancelled", step.onCancelled().wireName());
    }
    return json;
  }

  private static void strings(ArrayNode array, List<String> texts) {
    texts.forEach(array::add);
  }

  /**
   * Holds the ticket: the design, or the payload, does not fit what the steps gave; a person
   * corrects it.
   */
  private static HandlerResult toBeCorrected(String problem, String design, long id) {
    return held(
        ("%s. Correct the design (holdfast design put %s --file FILE; holdfast design use"
                + " %s) or the payload, then release")
            .formatted(problem, design, id),
        problem);
  }

  private static HandlerResult held(String reason) {
    return held(reason, reason);
  }

  private static HandlerResult held(String reason, String error) {
    return HandlerResult.held(
        reason, new ErrorReport(error, null, null, null, Category.CODE_ERROR, null));
  }
}
