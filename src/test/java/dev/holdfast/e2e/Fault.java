package dev.holdfast.e2e;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.testing.ModelReply;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.RawModelServer;
import java.io.IOException;
import java.net.Socket;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/** A way in which a model's server fails every call, as the page of retries lists them. */
enum Fault {
  LIMITED("429 without a hint", true, (request, to) -> limited(to)),
  LIMITED_FOR_4S("429 with `Retry-After: 4`", true, (request, to) -> limited(to, "Retry-After: 4")),
  LIMITED_BY_OPENAI(
      "429 with OpenAI's headers",
      true,
      (request, to) ->
          json(
              to,
              "429 Too Many Requests",
              "{\"error\":{\"message\":\"Rate limit reached for m in organization org-1 on requests"
                  + " per min (RPM): Limit 3, Used 3, Requested 1. Please try again in"
                  + " 4s.\",\"type\":\"requests\",\"param\":null,\"code\":\"rate_limit_exceeded\"}}",
              "retry-after: 4",
              "retry-after-ms: 4000",
              "x-ratelimit-limit-requests: 3",
              "x-ratelimit-limit-tokens: 150000",
              "x-ratelimit-remaining-requests: 0",
              "x-ratelimit-remaining-tokens: 149984",
              "x-ratelimit-reset-requests: 4s",
              "x-ratelimit-reset-tokens: 6m0s",
              "x-request-id: req_1",
              "openai-processing-ms: 3")),
  LIMITED_BY_ANTHROPIC(
      "429 with Anthropic's headers",
      true,
      (request, to) ->
          json(
              to,
              "429 Too Many Requests",
              "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"This"
                  + " request would exceed your organization's rate limit.\"}}",
              "anthropic-ratelimit-requests-limit: 50",
              "anthropic-ratelimit-requests-remaining: 0",
              "anthropic-ratelimit-requests-reset: 2099-01-01T00:00:00Z",
              "anthropic-ratelimit-tokens-limit: 40000",
              "anthropic-ratelimit-tokens-remaining: 40000",
              "anthropic-ratelimit-tokens-reset: 2099-01-01T00:00:00Z",
              "retry-after: 4",
              "request-id: req_1")),
  LIMITED_BY_GEMINI(
      "429 with Gemini's body",
      true,
      (request, to) ->
          json(
              to,
              "429 Too Many Requests",
              "[{\"error\":{\"code\":429,\"message\":\"You exceeded your current rate"
                  + " limit.\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"4s\"}]}}]",
              "Vary: Origin",
              "Server: scaffolding on HTTPServer2")),
  OVERLOADED(
      "529 overloaded",
      false,
      (request, to) ->
          json(
              to,
              "529 Overloaded",
              "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}")),
  UNAVAILABLE(
      "503",
      false,
      (request, to) ->
          json(
              to,
              "503 Service Unavailable",
              "{\"error\":{\"message\":\"The server is"
                  + " unavailable.\",\"type\":\"server_error\"}}")),
  BROKEN(
      "500",
      false,
      (request, to) ->
          json(
              to,
              "500 Internal Server Error",
              "{\"error\":{\"message\":\"The server had an error.\",\"type\":\"server_error\"}}")),
  GATEWAY_TIMEOUT(
      "504",
      false,
      (request, to) ->
          json(to, "504 Gateway Timeout", "{\"error\":{\"message\":\"upstream timed out\"}}")),
  SILENT("no answer in time", false, (request, to) -> new CountDownLatch(1).await()),
  REFUSED("connection refused", false, (request, to) -> {}),
  CUT(
      "connection cut in mid-stream",
      false,
      (request, to) -> {
        RawModelServer.stream(to, request, ModelReply.text("almost"), 2);
        to.setSoLinger(true, 0);
      }),
  ERROR_IN_STREAM(
      "200 with an error inside the stream",
      false,
      (request, to) -> {
        RawModelServer.stream(to, request, ModelReply.text("almost"), 1);
        RawModelServer.write(
            to,
            "data: {\"error\":{\"message\":\"The server had an"
                + " error.\",\"type\":\"server_error\"}}",
            "");
      }),
  BAD_KEY(
      "401",
      true,
      (request, to) ->
          json(
              to,
              "401 Unauthorized",
              "{\"error\":{\"message\":\"Incorrect API key"
                  + " provided.\",\"type\":\"invalid_request_error\",\"code\":\"invalid_api_key\"}}")),
  FORBIDDEN(
      "403",
      true,
      (request, to) ->
          json(
              to,
              "403 Forbidden",
              "{\"error\":{\"message\":\"You are not allowed to use this"
                  + " model.\",\"type\":\"permission_error\"}}")),
  UNPAID(
      "402",
      true,
      (request, to) ->
          json(
              to,
              "402 Payment Required",
              "{\"error\":{\"message\":\"Payment required.\",\"type\":\"billing_error\"}}")),
  NO_QUOTA(
      "429 `insufficient_quota`",
      true,
      (request, to) ->
          json(
              to,
              "429 Too Many Requests",
              "{\"error\":{\"message\":\"You exceeded your current quota, please check your plan"
                  + " and billing"
                  + " details.\",\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}",
              "Retry-After: 1")),
  GARBLED(
      "200 with garbled JSON",
      false,
      (request, to) -> json(to, "200 OK", "{\"choices\": [{\"mess<<<")),
  EMPTY(
      "an empty answer",
      false,
      (request, to) -> RawModelServer.stream(to, request, ModelReply.text(""), 99)),
  REFUSAL(
      "a refusal",
      false,
      (request, to) ->
          RawModelServer.stream(
              to,
              request,
              ModelReply.text("I'm sorry, but I can't help with that.").withStop("content_filter"),
              99)),
  NO_TOOL_IN_FINAL_TURN(
      "text instead of a report, in the final turn",
      false,
      (request, to) ->
          RawModelServer.stream(to, request, ModelReply.text("All done, it works now."), 99)),
  REPORT_AS_TEXT_IN_FINAL_TURN(
      "the report as text, in the final turn",
      false,
      (request, to) ->
          RawModelServer.stream(
              to,
              request,
              ModelReply.text("{\"status\": \"success\", \"content\": \"as text\"}"),
              99)),
  REPORT_TO_WRONG_TOOL_IN_FINAL_TURN(
      "the report to another tool, in the final turn",
      false,
      (request, to) ->
          RawModelServer.stream(
              to,
              request,
              ModelReply.calls(
                  new ToolCall(
                      "call_1",
                      "final_report",
                      "{\"status\": \"success\", \"content\": \"to another tool\"}")),
              99));

  private final String title;
  private final boolean ofTheKey;
  private final RawModelServer.Answers answers;

  Fault(String title, boolean ofTheKey, RawModelServer.Answers answers) {
    this.title = title;
    this.ofTheKey = ofTheKey;
    this.answers = answers;
  }

  String title() {
    return title;
  }

  /** Whether another key of the same account's provider works. */
  boolean ofTheKey() {
    return ofTheKey;
  }

  boolean inFinalTurn() {
    return name().endsWith("FINAL_TURN");
  }

  String type() {
    return this == LIMITED_BY_ANTHROPIC || this == OVERLOADED ? "anthropic" : "openai";
  }

  String provider(TargetsAndKeys setup) {
    return (name() + "-" + setup).toLowerCase(Locale.ROOT).replace('_', '-');
  }

  void answer(ModelRequest request, Socket to) throws IOException, InterruptedException {
    answers.write(request, to);
  }

  private static void limited(Socket to, String... headers) throws IOException {
    json(
        to,
        "429 Too Many Requests",
        "{\"error\":{\"message\":\"Too many requests, slow"
            + " down.\",\"type\":\"requests\",\"code\":\"rate_limit_exceeded\"}}",
        headers);
  }

  private static void json(Socket to, String status, String body, String... headers)
      throws IOException {
    String[] lines = new String[headers.length + 5];
    lines[0] = "HTTP/1.1 " + status;
    lines[1] = "Content-Type: application/json";
    System.arraycopy(headers, 0, lines, 2, headers.length);
    lines[headers.length + 2] = "Connection: close";
    lines[headers.length + 3] = "";
    lines[headers.length + 4] = body;
    RawModelServer.write(to, lines);
  }
}
