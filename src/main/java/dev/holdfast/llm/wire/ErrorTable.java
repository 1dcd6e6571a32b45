package dev.holdfast.llm.wire;

import dev.holdfast.llm.FailureKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The one mapping of error answers to failures (B17): structured code first, then HTTP status, then
 * text, because the status alone does not give the class. OpenAI answers 429 for an empty account,
 * Anthropic does for a monthly cap, and overload arrives on 200 inside a stream. There is one table
 * for all vendors: their codes do not contradict each other, and gateways pass on the codes of the
 * provider behind them.
 */
final class ErrorTable {
  private static final Map<String, ErrorMeaning> CODES = new HashMap<>();
  private static final Map<String, ErrorMeaning> CODES_WITHOUT_STATUS = new HashMap<>();

  private static final Pattern OVERFLOW =
      Pattern.compile(
          "(?i)prompt is too long|input is too long|maximum context length|context[_"
              + " ]length[_ ]exceeded|exceeds? the (?:available |model's |maximum )?context"
              + "|context window (?:exceeds|is full|limit)|greater than the context length"
              + "|token count[^\\n]{0,60}exceeds the maximum|maximum prompt length is \\d"
              + "|exceeded model token limit|reduce the length of the (?:messages|prompt)"
              + "|exceeds the limit of \\d+ tokens|too large for model with \\d+ maximum context"
              + "|longer than the (?:maximum model|model's context) length|context length is only"
              + "|exceeds? context limit|prompt too long; exceeded|range of input length should be"
              + "|max_new_tokens` must be <=");

  /** The words for a request with more tokens than a minute allows: waiting does not help. */
  private static final Pattern ABOVE_RATE =
      Pattern.compile("(?i)request too large for [^\\n]{0,300}\\btokens per min");

  /** The words for a refused content, which some servers send with the status of a refused key. */
  private static final Pattern FLAGGED =
      Pattern.compile(
          "(?i)requires moderation on|your input was flagged|violates usage guidelines");

  private static final Pattern SPENT =
      Pattern.compile(
          "(?i)you have reached your specified API usage limits|credit balance is too low"
              + "|insufficient (?:credits|balance|funds)|billing hard limit|key limit exceeded"
              + "|used all available credits|doesn't have any credits|budget has been exceeded");
  private static final Pattern NO_QUOTA_AT_ALL = Pattern.compile("\\blimit: 0\\b");

  static {
    put(CODES, ErrorMeaning.OVERFLOW, "context_length_exceeded", "context_window_exceeded");
    put(CODES, ErrorMeaning.OVERFLOW, "request_too_large", "model_context_window_exceeded");
    put(
        CODES,
        ErrorMeaning.QUOTA,
        "insufficient_quota",
        "credit_balance_exhausted",
        "billing_error");
    put(CODES, ErrorMeaning.QUOTA, "organization_spend_limit_exceeded", "insufficient_balance");
    put(CODES, ErrorMeaning.QUOTA, "project_spend_limit_exceeded", "billing_not_active");
    put(CODES, ErrorMeaning.QUOTA, "organization_usage_limit_exceeded", "payment_required");
    put(CODES, ErrorMeaning.QUOTA, "enforced_spend_limit_reached", "billing_hard_limit_reached");
    put(CODES, ErrorMeaning.QUOTA, "budget_exceeded", "arrearage");
    put(CODES, ErrorMeaning.AUTH, "invalid_api_key", "authentication_error", "permission_error");
    put(CODES, ErrorMeaning.AUTH, "account_deactivated", "unsupported_country_region_territory");
    put(CODES, ErrorMeaning.AUTH, "unauthenticated", "permission_denied");
    put(CODES, ErrorMeaning.RATE_LIMIT, "rate_limit_exceeded", "rate_limit_error", "slow_down");
    put(CODES, ErrorMeaning.RATE_LIMIT, "too_many_requests", "resource_exhausted");
    put(CODES, ErrorMeaning.BROKEN, "overloaded_error", "server_is_overloaded", "overloaded");
    put(
        CODES,
        ErrorMeaning.BROKEN,
        "service_unavailable_error",
        "engine_overloaded",
        "unavailable");
    put(CODES, ErrorMeaning.REFUSED, "model_not_found", "content_policy_violation");

    // beside a status these codes only repeat it, and not always correctly
    put(CODES_WITHOUT_STATUS, ErrorMeaning.REFUSED, "invalid_request_error", "not_found_error");
    put(CODES_WITHOUT_STATUS, ErrorMeaning.REFUSED, "bad_request_error", "invalid_argument");
  }

  private ErrorTable() {}

  private static void put(Map<String, ErrorMeaning> table, ErrorMeaning meaning, String... codes) {
    for (String code : codes) {
      table.put(ErrorBody.fold(code), meaning);
    }
  }

  /**
   * @param status null for an error within a stream
   */
  static ErrorMeaning of(@Nullable Integer status, ErrorBody body) {
    if (isRedirect(status)) {
      return ErrorMeaning.REFUSED;
    }
    if (body.html()) {
      return ofHtml(status);
    }
    if (ABOVE_RATE.matcher(body.message()).find()) {
      return ErrorMeaning.OVERFLOW;
    }
    ErrorMeaning coded = byCode(CODES, body.codes());
    if (ErrorMeaning.RATE_LIMIT.equals(coded) && NO_QUOTA_AT_ALL.matcher(body.message()).find()) {
      return ErrorMeaning.QUOTA;
    }
    if (ErrorMeaning.AUTH.equals(coded)) {
      return ofKey(body.message());
    }
    if (coded != null) {
      return coded;
    }
    Integer effective = status == null ? body.number() : status;
    if (effective == null) {
      ErrorMeaning refused = byCode(CODES_WITHOUT_STATUS, body.codes());
      return byText(body.message(), refused == null ? ErrorMeaning.BROKEN : refused);
    }
    return ofStatus(effective, body.message());
  }

  /** True for a redirect. Such a server is no model, whatever its body says. */
  static boolean isRedirect(@Nullable Integer status) {
    return status != null && status >= 300 && status < 400;
  }

  private static @Nullable ErrorMeaning byCode(
      Map<String, ErrorMeaning> table, List<String> codes) {
    for (String code : codes) {
      ErrorMeaning meaning = table.get(ErrorBody.fold(code));
      if (meaning != null) {
        return meaning;
      }
    }
    return null;
  }

  /**
   * Returns the meaning of an HTML page. A gateway between us and the provider sent it, so its 403
   * says nothing about our key.
   */
  private static ErrorMeaning ofHtml(@Nullable Integer status) {
    if (status == null) {
      return ErrorMeaning.INVALID;
    }
    return status == 403 ? ErrorMeaning.BROKEN : ofStatus(status, "");
  }

  private static ErrorMeaning ofStatus(int status, String message) {
    return switch (status) {
      case 401, 403 -> ofKey(message);
      case 402 -> ErrorMeaning.QUOTA;
      case 408 -> ErrorMeaning.TIMEOUT;
      case 413 -> ErrorMeaning.OVERFLOW;
      case 429 -> isSpent(message) ? ErrorMeaning.QUOTA : ErrorMeaning.RATE_LIMIT;
      default -> byText(message, status >= 500 ? ErrorMeaning.BROKEN : ErrorMeaning.REFUSED);
    };
  }

  /**
   * Returns the meaning of a refused key. Some servers refuse a content, or an empty account, in
   * the same way.
   */
  private static ErrorMeaning ofKey(String message) {
    if (FLAGGED.matcher(message).find()) {
      return ErrorMeaning.REFUSED;
    }
    return isSpent(message) ? ErrorMeaning.QUOTA : ErrorMeaning.AUTH;
  }

  private static ErrorMeaning byText(String message, ErrorMeaning otherwise) {
    if (OVERFLOW.matcher(message).find()) {
      return ErrorMeaning.OVERFLOW;
    }
    return isSpent(message) ? ErrorMeaning.QUOTA : otherwise;
  }

  /**
   * True for words about an empty account only: texts about rate limits mention plans and billing,
   * too.
   */
  private static boolean isSpent(String message) {
    return SPENT.matcher(message).find();
  }

  /** True if the provider may have been paid for work, as far as the status shows. */
  static boolean maybeBilled(@Nullable Integer status, FailureKind kind) {
    if (status == null || status < 300) {
      return true;
    }
    boolean refusedAtOnce = status < 500 && status != 408;
    boolean overloaded = status == 503 || status == 529;
    return !refusedAtOnce && !overloaded && kind != FailureKind.CONTEXT_OVERFLOW;
  }
}
