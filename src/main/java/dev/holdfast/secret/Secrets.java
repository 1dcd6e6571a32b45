package dev.holdfast.secret;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Takes the values of secrets out of text that others will read: each becomes {@code
 * [redacted:NAME]}. A value is also found as it is written in a URL and in JSON, by whatever
 * program, and in Base64, even in the middle of a longer Base64 text. One that is shorter than
 * {@link #SHORTEST} characters is not looked for: innocent text has it too. Immutable but for what
 * it {@link #learn}s; shows no value. Thread-safe.
 */
public final class Secrets {
  /** Characters of the shortest value that is looked for. */
  public static final int SHORTEST = 8;

  /** What stands behind a text whose end was cut off. */
  private static final String CUT = "…";

  /** For a process that has none. */
  public static final Secrets NONE = new Secrets(Map.of(), null);

  /**
   * @param text a value, or another way to write it
   * @param mark the same without backslashes, for a first look at text that may be escaped
   */
  private record Form(String text, String mark, String replacement) {}

  private record Spelled(AnySpelling value, String replacement) {}

  private final Map<String, String> nameByValue;
  private final List<Form> forms;
  private final List<Spelled> spelled;

  /**
   * What was learned, by these or by others that were made of the same; null for what everybody has
   * and so learns nothing.
   */
  private final @Nullable AtomicReference<@Nullable Secrets> later;

  private Secrets(
      Map<String, String> nameByValue, @Nullable AtomicReference<@Nullable Secrets> later) {
    this.nameByValue = nameByValue;
    this.later = later;
    List<Form> all = new ArrayList<>();
    nameByValue.forEach(
        (value, name) ->
            SecretForms.of(value)
                .forEach(
                    form -> all.add(new Form(form, form.replace("\\", ""), replacement(name)))));
    // A secret may be the beginning of a longer one.
    all.sort(Comparator.comparingInt((Form form) -> form.text().length()).reversed());
    this.forms = List.copyOf(all);
    this.spelled =
        nameByValue.entrySet().stream()
            .sorted(
                Comparator.comparingInt((Map.Entry<String, String> each) -> each.getKey().length())
                    .reversed())
            .flatMap(each -> spelled(each.getKey(), each.getValue()).stream())
            .toList();
  }

  private static Optional<Spelled> spelled(String value, String name) {
    return AnySpelling.of(value).map(any -> new Spelled(any, replacement(name)));
  }

  private static String replacement(String name) {
    return "[redacted:" + name + "]";
  }

  /**
   * @param nameByValue what to call each value in its place; values that are too short are ignored
   */
  public static Secrets of(Map<String, String> nameByValue) {
    return of(nameByValue, new AtomicReference<>());
  }

  private static Secrets of(
      Map<String, String> nameByValue, AtomicReference<@Nullable Secrets> later) {
    Map<String, String> kept = new HashMap<>(nameByValue);
    kept.keySet().removeIf(value -> value.length() < SHORTEST);
    return new Secrets(Map.copyOf(kept), later);
  }

  /** These and more. */
  public Secrets and(Map<String, String> moreByValue) {
    Map<String, String> all = new HashMap<>(nameByValue);
    moreByValue.forEach(all::putIfAbsent);
    return of(all, later == null ? new AtomicReference<>() : later);
  }

  /** One more from now on, for these and for all that were or will be made of the same. */
  public void learn(String value, String name) {
    if (later != null && !nameByValue.containsKey(value)) {
      later.updateAndGet(known -> (known == null ? NONE : known).with(value, name));
    }
  }

  private @Nullable Secrets learned() {
    return later == null ? null : later.get();
  }

  private Secrets with(String value, String name) {
    return nameByValue.containsKey(value) ? this : and(Map.of(value, name));
  }

  /** Characters of the longest form in which a secret may come; 0 without secrets. */
  public int longest() {
    Secrets more = learned();
    return more == null ? ownLongest() : Math.max(ownLongest(), more.longest());
  }

  private int ownLongest() {
    int form = forms.isEmpty() ? 0 : forms.getFirst().text().length();
    return Math.max(
        form, spelled.stream().mapToInt(each -> each.value().longest()).max().orElse(0));
  }

  /**
   * The length of the beginning that may be told before the rest is known: no secret that begins in
   * it can end behind it.
   */
  public int settled(String text) {
    Secrets more = learned();
    int end = ownSettled(text);
    for (int before = -1; more != null && before != end; ) {
      before = end;
      end = ownSettled(text.substring(0, more.settled(text.substring(0, end))));
    }
    return end;
  }

  private int ownSettled(String text) {
    int end = text.length();
    for (Form form : forms) {
      int at = Math.max(0, text.length() - form.text().length() + 1);
      while (at < end && !form.text().regionMatches(0, text, at, text.length() - at)) {
        at++;
      }
      end = Math.min(end, at);
    }
    for (int before = end + 1; before > end; ) {
      before = end;
      for (Form form : forms) {
        end = startOfOneAcross(text, form.text(), end);
      }
      for (Spelled each : spelled) {
        end = each.value().startOfOneAcross(text, end);
      }
    }
    return end;
  }

  /** The beginning of a secret that lies across a place; else the place. */
  private static int startOfOneAcross(String text, String secret, int place) {
    int at = text.indexOf(secret, Math.max(0, place - secret.length() + 1));
    return at >= 0 && at < place ? at : place;
  }

  /** The text without secrets; where its end was cut off, without the beginning of one there. */
  public String redact(String text) {
    Secrets more = learned();
    return redactOwn(more == null ? text : more.redact(text));
  }

  private String redactOwn(String text) {
    String safe = text.endsWith(CUT) ? withoutBeginning(text) : text;
    if (AnySpelling.mayBeIn(text)) {
      for (Spelled each : spelled) {
        safe = each.value().replace(safe, each.replacement());
      }
    }
    for (Form form : forms) {
      safe = safe.replace(form.text(), form.replacement());
    }
    return safe;
  }

  /** A few equal characters are a chance. */
  private String withoutBeginning(String text) {
    String kept = text.substring(0, text.length() - CUT.length());
    int settled = settled(kept);
    return kept.length() - settled < SHORTEST / 2 ? text : kept.substring(0, settled) + CUT;
  }

  /**
   * A JSON document without secrets in its keys, texts and numbers. It stays valid JSON, and where
   * it has no secret it stays as it is.
   */
  public String redactJson(String json) {
    Secrets more = learned();
    return redactOwnJson(more == null ? json : more.redactJson(json));
  }

  private String redactOwnJson(String json) {
    boolean seen = mayBeIn(json);
    // Any character may be written by its number: then only the text that was read tells.
    if (!seen && (forms.isEmpty() || (!json.contains("\\u") && !json.contains(CUT)))) {
      return json;
    }
    try {
      SecretJson.Changed safe = SecretJson.change(json, this::redact);
      // What was seen may stand where it is not read: before another value of the same key.
      return seen || safe.changed() ? safe.json() : json;
    } catch (JacksonException | NumberFormatException e) {
      String safe = redact(json);
      // Without a secret that has a quote it may be JSON.
      return safe.equals(json) ? json : redactOwnJson(safe);
    }
  }

  /** In JSON a quote has a backslash, and in JSON inside of JSON it has three. */
  private boolean mayBeIn(String json) {
    String plain = json.indexOf('\\') < 0 ? json : json.replace("\\", "");
    return forms.stream().anyMatch(form -> plain.contains(form.mark()))
        || (AnySpelling.mayBeIn(json)
            && spelled.stream().anyMatch(each -> each.value().isIn(json)));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Secrets secrets && nameByValue.equals(secrets.nameByValue);
  }

  @Override
  public int hashCode() {
    return nameByValue.hashCode();
  }

  /** The number of secrets alone. */
  @Override
  public String toString() {
    return "Secrets[" + nameByValue.size() + "]";
  }
}
