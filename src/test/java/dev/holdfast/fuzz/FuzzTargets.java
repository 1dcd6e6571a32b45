package dev.holdfast.fuzz;

import dev.holdfast.cli.ticket.TicketLinesFuzz;
import dev.holdfast.config.ConfigFuzz;
import dev.holdfast.failure.FailureFuzz;
import dev.holdfast.limit.RateFuzz;
import dev.holdfast.llm.anthropic.AnthropicFuzz;
import dev.holdfast.llm.openai.OpenAiFuzz;
import dev.holdfast.postgres.inbox.PayloadFuzz;
import dev.holdfast.retry.RetryFuzz;
import dev.holdfast.schedule.ScheduleFuzz;
import dev.holdfast.schema.SchemaFuzz;
import dev.holdfast.secret.SecretFuzz;
import dev.holdfast.telemetry.trace.TraceFuzz;
import dev.holdfast.tool.ToolFuzz;
import dev.holdfast.tool.mcp.McpFuzz;
import dev.holdfast.tool.patch.PatchFuzz;
import dev.holdfast.tool.sandbox.ProxyFuzz;
import dev.holdfast.web.BodyFuzz;
import dev.holdfast.web.webhook.MailFuzz;
import dev.holdfast.web.webhook.SignatureFuzz;
import dev.holdfast.workflow.WorkflowFuzz;
import java.util.List;

/** All targets. */
public final class FuzzTargets {
  public static final List<FuzzTarget> ALL =
      List.of(
          FailureFuzz.CLASSIFIER,
          FailureFuzz.HINTS,
          FailureFuzz.STACK_TRACES,
          PatchFuzz.ANSWER,
          PatchFuzz.DIFF,
          PayloadFuzz.PAYLOAD,
          PayloadFuzz.STORABLE,
          ConfigFuzz.FILE,
          ConfigFuzz.VALUE,
          RetryFuzz.DURATION,
          RetryFuzz.OVERRIDES,
          ScheduleFuzz.CRON,
          OpenAiFuzz.STREAM,
          AnthropicFuzz.STREAM,
          ToolFuzz.ARGUMENTS,
          McpFuzz.FRAMES,
          ProxyFuzz.REQUEST,
          SecretFuzz.TEXT,
          SecretFuzz.JSON,
          WorkflowFuzz.TEMPLATE,
          WorkflowFuzz.STEPS,
          SchemaFuzz.QUESTION,
          SchemaFuzz.ENQUEUES,
          TraceFuzz.TRACEPARENT,
          TicketLinesFuzz.LINES,
          MailFuzz.NOTICE,
          SignatureFuzz.SECRET,
          BodyFuzz.BODIES,
          RateFuzz.RATE);

  private FuzzTargets() {}

  /**
   * @throws IllegalArgumentException with the names that there are
   */
  public static FuzzTarget named(String name) {
    for (FuzzTarget target : ALL) {
      if (target.name().equals(name)) {
        return target;
      }
    }
    throw new IllegalArgumentException(
        "no target \"" + name + "\": " + ALL.stream().map(FuzzTarget::name).toList());
  }
}
