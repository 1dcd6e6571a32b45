package dev.holdfast.config;

import java.util.regex.Pattern;

/** Takes passwords out of text that people or logs will see. */
public final class Redaction {
  // The pattern goes to the last at sign: a password that is written as it is may contain any
  // character.
  private static final Pattern IN_AUTHORITY = Pattern.compile("(//[^/:@\\s]*):.*@");
  private static final Pattern IN_QUERY =
      Pattern.compile("([?&](?:password|sslpassword)=)[^&\\s]*", Pattern.CASE_INSENSITIVE);

  private Redaction() {}

  /** Returns {@code postgres://ann:***@host/db} for {@code postgres://ann:secret@host/db}. */
  public static String withoutPassword(String text) {
    String authority = IN_AUTHORITY.matcher(text).replaceAll("$1:***@");
    return IN_QUERY.matcher(authority).replaceAll("$1***");
  }
}
