package dev.holdfast.postgres.embedded;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes what PostgreSQL stores of a password for SCRAM-SHA-256 (RFC 5802), made of one round
 * instead of 4,096. The rounds slow down whoever guesses the words of a person from a stolen
 * database; 192 random bits cannot be guessed, and each connection would pay for the rounds on both
 * sides: 10 ms of a processor.
 */
final class PasswordVerifier {
  private static final String HMAC = "HmacSHA256";
  private static final int SALT_BYTES = 16;
  private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};

  private PasswordVerifier() {}

  /**
   * The text that {@code ALTER ROLE … PASSWORD} and {@code initdb --pwfile} take in place of it.
   */
  static String of(String password) {
    byte[] salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    return of(password, salt);
  }

  static String of(String password, byte[] salt) {
    try {
      Mac mac = mac(password.getBytes(StandardCharsets.UTF_8));
      mac.update(salt);
      byte[] salted = mac.doFinal(FIRST_BLOCK);
      byte[] client = mac(salted).doFinal("Client Key".getBytes(StandardCharsets.UTF_8));
      byte[] server = mac(salted).doFinal("Server Key".getBytes(StandardCharsets.UTF_8));
      byte[] stored = MessageDigest.getInstance("SHA-256").digest(client);
      Base64.Encoder base64 = Base64.getEncoder();
      return "SCRAM-SHA-256$1:"
          + base64.encodeToString(salt)
          + "$"
          + base64.encodeToString(stored)
          + ":"
          + base64.encodeToString(server);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC and SHA-256", e);
    }
  }

  private static Mac mac(byte[] key) throws GeneralSecurityException {
    Mac mac = Mac.getInstance(HMAC);
    mac.init(new SecretKeySpec(key, HMAC));
    return mac;
  }
}
