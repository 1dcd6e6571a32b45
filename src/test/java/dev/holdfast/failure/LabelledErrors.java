package dev.holdfast.failure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Labelled error texts of a resource, and how many of them the classifier gets right. */
record LabelledErrors(List<Labelled> texts) {
  private static final Pattern KIND = Pattern.compile("TRICKY\\[([\\w-]+)]");

  record Labelled(
      int id,
      String text,
      List<String> accept,
      @Nullable Integer httpStatus,
      @Nullable Long retryAfterMs,
      String kind,
      Failure failure) {

    /** What is wrong with the failure, or "" where nothing is. */
    String complaint() {
      String said = failure.category().wireName() + " by " + failure.rule();
      return accept.contains(failure.category().wireName())
          ? ""
          : id
              + ": expected "
              + accept
              + ", got "
              + said
              + ": "
              + text.lines().findFirst().orElse("");
    }

    boolean hasRightStatus() {
      return Objects.equals(httpStatus, failure.httpStatus());
    }

    boolean hasRightHint() {
      Long millis = failure.retryAfter() == null ? null : failure.retryAfter().toMillis();
      return Objects.equals(retryAfterMs, millis);
    }
  }

  static LabelledErrors read(String resource) {
    try (InputStream in = LabelledErrors.class.getResourceAsStream(resource)) {
      String lines = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return new LabelledErrors(lines.lines().map(LabelledErrors::parse).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Labelled parse(String line) {
    JsonNode json = JsonMapper.shared().readTree(line);
    List<String> accept = new ArrayList<>();
    json.get("accept").forEach(each -> accept.add(each.asString()));
    Matcher kind = KIND.matcher(json.get("why").asString());
    return new Labelled(
        json.get("id").asInt(),
        json.get("text").asString(),
        accept,
        json.get("http_status").isNull() ? null : json.get("http_status").asInt(),
        json.get("retry_after_ms").isNull() ? null : json.get("retry_after_ms").asLong(),
        kind.find() ? kind.group(1) : "",
        Classifier.standard().classify(ErrorReport.ofText(json.get("text").asString())));
  }

  List<String> complaints() {
    List<String> complaints = new ArrayList<>();
    for (Labelled each : texts) {
      String complaint = each.complaint();
      if (!complaint.isEmpty()) {
        complaints.add(complaint);
      }
    }
    return complaints;
  }

  /** Share of right categories, of the tricky texts alone or of all. */
  double accuracy(boolean trickyOnly) {
    List<Labelled> counted =
        texts.stream().filter(each -> !trickyOnly || !each.kind().isEmpty()).toList();
    long right = counted.stream().filter(each -> each.complaint().isEmpty()).count();
    return (double) right / counted.size();
  }

  /** "right/all" for each tricky kind; "" is the kind of the plain texts. */
  Map<String, String> byKind() {
    Map<String, int[]> counts = new TreeMap<>();
    for (Labelled each : texts) {
      int[] count = counts.computeIfAbsent(each.kind(), kind -> new int[2]);
      count[0] += each.complaint().isEmpty() ? 1 : 0;
      count[1]++;
    }
    Map<String, String> shares = new TreeMap<>();
    counts.forEach((kind, count) -> shares.put(kind, count[0] + "/" + count[1]));
    return shares;
  }
}
