package dev.holdfast.secret;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.core.io.JsonStringEncoder;

/** The ways to write one secret that are met in logs, answers and dumps. */
final class SecretForms {
  private static final int BITS = 8;
  private static final int BITS_PER_CHARACTER = 6;

  private SecretForms() {}

  /** Returns the forms, with the value itself among them. */
  static Set<String> of(String value) {
    Set<String> forms = new LinkedHashSet<>();
    forms.add(value);
    String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
    forms.add(encoded);
    forms.add(encoded.replace("+", "%20"));
    String quoted = quoted(value);
    forms.add(quoted);
    // A log line in JSON may contain another one.
    forms.add(quoted(quoted));
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    for (int before = 0; before < 3; before++) {
      forms.add(inside(Base64.getEncoder(), bytes, before));
      forms.add(inside(Base64.getUrlEncoder(), bytes, before));
    }
    return forms;
  }

  private static String quoted(String text) {
    return new String(JsonStringEncoder.getInstance().quoteAsCharArray(text));
  }

  /**
   * Returns the part of a Base64 text that depends only on the value, with so many other bytes
   * before it. Three bytes become four characters, so there are three possible positions.
   */
  private static String inside(Base64.Encoder encoder, byte[] value, int before) {
    byte[] shifted = new byte[before + value.length];
    System.arraycopy(value, 0, shifted, before, value.length);
    int from = (before * BITS + BITS_PER_CHARACTER - 1) / BITS_PER_CHARACTER;
    int to = shifted.length * BITS / BITS_PER_CHARACTER;
    return encoder.encodeToString(shifted).substring(from, to);
  }
}
