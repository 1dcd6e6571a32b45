package dev.holdfast.secret;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Takes the values of secrets out of text that others will read: each becomes {@code
 * [redacted:NAME]}. A value is also found as any program writes it in a URL and in JSON, and in
 * Base64, even in the middle of a longer Base64 text. A value that is shorter than {@link
 * #SHORTEST} characters is not looked for: innocent text has it too. Immutable except for what it
 * {@link #learn}s; shows no value. Thread-safe.
 */
public final class Secrets {
  /** The number of characters of the shortest value that is looked for. */
  public static final int SHORTEST = 8;

  /** The sign that stands after a text whose end was cut off. */
  private static final String CUT = "…";

  /** The secrets of a process that has none. */
  public static final Secrets NONE = new Secrets(Map.of(), null);

  /**
   * @param text a value, or another way to write it
   * @param mark the same without backslashes, for a first look at text that may be escaped
   */
  private record Form(String text, String mark, String replacement) {}

  /**
   * @param length the length of the value itself
   */
  private record Spelled(AnySpelling value, int length, String replacement) {}

  /**
   * Everything that is looked for, longest first: a secret may be the beginning of a longer one.
   *
   * @param learned what was learned when this was made
   */
  private record Wanted(Map<String, String> learned, List<Form> forms, List<Spelled> spelled) {
    static Wanted of(Map<String, String> own, Map<String, String> learned) {
      Map<String, String> all = new HashMap<>(learned);
      all.putAll(own);
      List<Form> forms = new ArrayList<>();
      List<Spelled> spelled = new ArrayList<>();
      all.forEach(
          (value, name) -> {
            String replacement = "[redacted:" + name + "]";
            SecretForms.of(value)
                .forEach(each -> forms.add(new Form(each, each.replace("\\", ""), replacement)));
            AnySpelling.of(value)
                .ifPresent(each -> spelled.add(new Spelled(each, value.length(), replacement)));
          });
      forms.sort(Comparator.comparingInt((Form each) -> each.text().length()).reversed());
      spelled.sort(Comparator.comparingInt(Spelled::length).reversed());
      return new Wanted(learned, List.copyOf(forms), List.copyOf(spelled));
    }
  }

  private final Map<String, String> nameByValue;

  /**
   * The learned values, shared by all that were made from the same one. Null for the one that
   * everybody has, which therefore learns nothing.
   */
  private final @Nullable AtomicReference<Map<String, String>> learned;

  private volatile Wanted wanted;

  private Secrets(
      Map<String, String> nameByValue, @Nullable AtomicReference<Map<String, String>> learned) {
    this.nameByValue = nameByValue;
    this.learned = learned;
    this.wanted = Wanted.of(nameByValue, learned == null ? Map.of() : learned.get());
  }

  private Wanted wanted() {
    Wanted made = wanted;
    if (learned == null || learned.get().equals(made.learned())) {
      return made;
    }
    Wanted now = Wanted.of(nameByValue, learned.get());
    wanted = now;
    return now;
  }

  /**
   * Makes secrets.
   *
   * @param nameByValue what to call each value in its place; values that are too short are ignored
   */
  public static Secrets of(Map<String, String> nameByValue) {
    return of(nameByValue, new AtomicReference<>(Map.of()));
  }

  private static Secrets of(
      Map<String, String> nameByValue, AtomicReference<Map<String, String>> learned) {
    return new Secrets(longEnough(nameByValue), learned);
  }

  private static Map<String, String> longEnough(Map<String, String> nameByValue) {
    Map<String, String> kept = new HashMap<>(nameByValue);
    kept.keySet().removeIf(value -> value.length() < SHORTEST);
    return Map.copyOf(kept);
  }

  /** Returns these secrets and more. */
  public Secrets and(Map<String, String> moreByValue) {
    Map<String, String> all = new HashMap<>(moreByValue);
    all.putAll(nameByValue);
    return of(all, learned == null ? new AtomicReference<>(Map.of()) : learned);
  }

  /** Adds a secret from now on, to these and to all that were or will be made from the same. */
  public void learn(String value, String name) {
    if (learned != null && !nameByValue.containsKey(value)) {
      learned.updateAndGet(
          known -> {
            Map<String, String> more = new HashMap<>(known);
            return more.putIfAbsent(value, name) == null ? longEnough(more) : known;
          });
    }
  }

  /**
   * Returns the number of characters of the longest form in which a secret may come; 0 without
   * secrets.
   */
  public int longest() {
    Wanted now = wanted();
    int form = now.forms().isEmpty() ? 0 : now.forms().getFirst().text().length();
    return Math.max(
        form, now.spelled().stream().mapToInt(each -> each.value().longest()).max().orElse(0));
  }

  /**
   * Returns the length of the beginning that may be shown before the rest is known: no secret that
   * begins in it can end after it.
   */
  public int settled(String text) {
    Wanted now = wanted();
    int end = text.length();
    for (Form form : now.forms()) {
      int at = Math.max(0, text.length() - form.text().length() + 1);
      while (at < end && !form.text().regionMatches(0, text, at, text.length() - at)) {
        at++;
      }
      end = Math.min(end, at);
    }
    for (int before = end + 1; before > end; ) {
      before = end;
      for (Form form : now.forms()) {
        end = startOfOneAcross(text, form.text(), end);
      }
      for (Spelled each : now.spelled()) {
        end = each.value().startOfOneAcross(text, end);
      }
    }
    return end;
  }

  /** Returns the beginning of a secret that lies across a place; otherwise the place itself. */
  private static int startOfOneAcross(String text, String secret, int place) {
    int at = text.indexOf(secret, Math.max(0, place - secret.length() + 1));
    return at >= 0 && at < place ? at : place;
  }

  /**
   * Returns the text without secrets. Where a part was cut off, the beginning of a secret there is
   * removed, too.
   */
  public String redact(String text) {
    Wanted now = wanted();
    String safe = text.contains(CUT) ? withoutBeginnings(text, now) : text;
    if (AnySpelling.mayBeIn(text)) {
      for (Spelled each : now.spelled()) {
        safe = each.value().replace(safe, each.replacement());
      }
    }
    for (Form form : now.forms()) {
      safe = safe.replace(form.text(), form.replacement());
    }
    return safe;
  }

  private String withoutBeginnings(String text, Wanted now) {
    int before = 2 * longest(); // and what a secret there may begin with the end of
    StringBuilder safe = new StringBuilder(text.length());
    int from = 0;
    for (int cut = text.indexOf(CUT); cut >= 0; cut = text.indexOf(CUT, from)) {
      int begun = begun(text.substring(Math.max(from, cut - before), cut));
      safe.append(text, from, isWithinOne(text, cut, now) ? cut : cut - begun).append(CUT);
      from = cut + CUT.length();
    }
    return safe.append(text, from, text.length()).toString();
  }

  /**
   * Returns the number of characters at the end that are the beginning of a secret. A few equal
   * characters may be chance, so they count as 0.
   */
  private int begun(String text) {
    int few = SHORTEST / 2;
    int begun = text.length() < few ? 0 : text.length() - settled(text);
    return begun < few ? 0 : begun;
  }

  /** Returns true if a secret that contains the sign itself lies there. */
  private static boolean isWithinOne(String text, int cut, Wanted now) {
    return now.forms().stream()
        .filter(form -> form.text().contains(CUT))
        .anyMatch(form -> startOfOneAcross(text, form.text(), cut) < cut);
  }

  /**
   * Returns a JSON document without secrets in its keys, texts and numbers. It stays valid JSON,
   * and without a secret it stays as it is.
   */
  public String redactJson(String json) {
    Wanted now = wanted();
    boolean seen = mayBeIn(json, now);
    // Any character may be written as its number, so only the parsed text shows the secret.
    if (!seen && (now.forms().isEmpty() || (!json.contains("\\u") && !json.contains(CUT)))) {
      return json;
    }
    try {
      SecretJson.Changed safe = SecretJson.change(json, this::redact);
      // What was seen may stand where it is not read: before another value of the same key.
      return seen || safe.changed() ? safe.json() : json;
    } catch (JacksonException | NumberFormatException e) {
      String safe = redact(json);
      // Without a secret that contains a quote, the text may be JSON.
      return safe.equals(json) ? json : redactJson(safe);
    }
  }

  /**
   * Returns true if a secret may be in the document. It ignores backslashes: in JSON a quote has
   * one, and in JSON inside of JSON it has three.
   */
  private static boolean mayBeIn(String json, Wanted now) {
    String plain = json.indexOf('\\') < 0 ? json : json.replace("\\", "");
    return now.forms().stream().anyMatch(form -> plain.contains(form.mark()))
        || (AnySpelling.mayBeIn(json)
            && now.spelled().stream().anyMatch(each -> each.value().isIn(json)));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Secrets secrets && nameByValue.equals(secrets.nameByValue);
  }

  @Override
  public int hashCode() {
    return nameByValue.hashCode();
  }

  /** Returns only the number of secrets. */
  @Override
  public String toString() {
    return "Secrets[" + nameByValue.size() + "]";
  }
}
