package dev.holdfast.postgres.embedded;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes the form of a password that PostgreSQL stores for SCRAM-SHA-256 (RFC 5802), with 1,000
 * rounds instead of 4,096. The rounds slow down an attacker who guesses a person's words from a
 * stolen database; 192 random bits cannot be guessed, and each connection pays for the rounds on
 * both sides. The driver lib/pq of Go takes a number with fewer than four digits for a mistake.
 */
final class PasswordVerifier {
  private static final String HMAC = "HmacSHA256";
  private static final int SALT_BYTES = 16;
  private static final int ROUNDS = 1000;
  private static final int KEY_BITS = 256;

  private PasswordVerifier() {}

  /**
   * Returns the text that {@code ALTER ROLE … PASSWORD} and {@code initdb --pwfile} take instead of
   * the password.
   */
  static String of(String password) {
    byte[] salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    return of(password, salt);
  }

  static String of(String password, byte[] salt) {
    try {
      byte[] salted =
          SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
              .generateSecret(new PBEKeySpec(password.toCharArray(), salt, ROUNDS, KEY_BITS))
              .getEncoded();
      byte[] client = hmac(salted, "Client Key");
      byte[] server = hmac(salted, "Server Key");
      byte[] stored = MessageDigest.getInstance("SHA-256").digest(client);
      Base64.Encoder base64 = Base64.getEncoder();
      return "SCRAM-SHA-256$%s:%s$%s:%s"
          .formatted(
              ROUNDS,
              base64.encodeToString(salt),
              base64.encodeToString(stored),
              base64.encodeToString(server));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC and SHA-256", e);
    }
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance(HMAC);
    mac.init(new SecretKeySpec(key, HMAC));
    return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
  }
}
