package dev.holdfast.telemetry.trace;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WireCall;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.tool.ToolReply;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.Locale;

/**
 * OpenTelemetry's conventions for generative AI, as of version 1.37: how spans of agents, models
 * and tools are called and what they say. They are still in development; what changes in them
 * changes here. Neither prompts, answers, arguments nor results are in any span.
 */
final class GenAi {
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("gen_ai.operation.name");
  private static final AttributeKey<String> PROVIDER =
      AttributeKey.stringKey("gen_ai.provider.name");
  private static final AttributeKey<String> MODEL = AttributeKey.stringKey("gen_ai.request.model");
  private static final AttributeKey<String> AGENT = AttributeKey.stringKey("gen_ai.agent.name");
  private static final AttributeKey<String> CONVERSATION =
      AttributeKey.stringKey("gen_ai.conversation.id");
  private static final AttributeKey<Long> INPUT = AttributeKey.longKey("gen_ai.usage.input_tokens");
  private static final AttributeKey<Long> OUTPUT =
      AttributeKey.longKey("gen_ai.usage.output_tokens");
  private static final AttributeKey<Long> CACHE_READ =
      AttributeKey.longKey("gen_ai.usage.cache_read.input_tokens");
  private static final AttributeKey<Long> CACHE_WRITE =
      AttributeKey.longKey("gen_ai.usage.cache_creation.input_tokens");
  private static final AttributeKey<String> TOOL = AttributeKey.stringKey("gen_ai.tool.name");
  private static final AttributeKey<String> TOOL_CALL =
      AttributeKey.stringKey("gen_ai.tool.call.id");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<Long> HTTP_STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<Double> COST = AttributeKey.doubleKey("holdfast.cost_usd");
  private static final AttributeKey<Long> EXECUTIONS =
      AttributeKey.longKey("holdfast.tool.executions");

  private GenAi() {}

  /** Returns the attributes of an attempt at an agent's ticket; none for another ticket. */
  static Attributes agent(ClaimedTicket ticket) {
    if (!ticket.ticket().kind().equals("agent")) {
      return Attributes.empty();
    }
    return Attributes.builder()
        .put(OPERATION, "invoke_agent")
        .put(AGENT, ticket.design().map(Design::name).orElse("agent"))
        .put(CONVERSATION, Long.toString(ticket.id()))
        .build();
  }

  static String nameOf(WireCall call) {
    return "chat " + call.target().model();
  }

  static Attributes of(WireCall call) {
    Usage usage = call.usage();
    AttributesBuilder all =
        Attributes.builder()
            .put(OPERATION, "chat")
            .put(PROVIDER, call.target().provider())
            .put(MODEL, call.target().model());
    if (!usage.equals(Usage.NONE)) {
      all.put(INPUT, usage.input() + usage.cacheRead() + usage.cacheWrite())
          .put(OUTPUT, usage.output())
          .put(CACHE_READ, usage.cacheRead())
          .put(CACHE_WRITE, usage.cacheWrite());
    }
    if (call.httpStatus() != null) {
      all.put(HTTP_STATUS, call.httpStatus().longValue());
    }
    if (call.costUsd() != null) {
      all.put(COST, call.costUsd().doubleValue());
    }
    if (call.failure() != null) {
      all.put(ERROR, call.failure().wireName());
    }
    return all.build();
  }

  static String nameOf(ToolCall call) {
    return "execute_tool " + call.name();
  }

  static Attributes of(ToolCall call) {
    return Attributes.builder()
        .put(OPERATION, "execute_tool")
        .put(TOOL, call.name())
        .put(TOOL_CALL, call.id())
        .build();
  }

  static Attributes of(ToolReply reply) {
    AttributesBuilder all = Attributes.builder().put(EXECUTIONS, (long) reply.executions());
    return isWell(reply)
        ? all.build()
        : all.put(ERROR, reply.outcome().name().toLowerCase(Locale.ROOT)).build();
  }

  static boolean isWell(ToolReply reply) {
    return reply.outcome() == ToolReply.Outcome.OK
        || reply.outcome() == ToolReply.Outcome.MODEL_RETRY;
  }
}
