package dev.holdfast.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PasswordVerifierTest {
  @Test
  @DisplayName("a verifier is the one that another implementation makes of the same salt")
  void known() {
    byte[] salt = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

    assertThat(PasswordVerifier.of("correct horse", salt))
        .isEqualTo(
            "SCRAM-SHA-256$1000:AAECAwQFBgcICQoLDA0ODw==$"
                + "+DiigcmD8bqjtPIn7DmDh4/H3yat8wHxLqJG3XmLHXU=:"
                + "psnfLdCVHtV+hGQoxV3bscc2K2g4WXut5ZIH7OBcIxE=");
  }

  @Test
  @DisplayName("each verifier has a salt of its own, and none has the password")
  void salted() {
    assertThat(PasswordVerifier.of("correct horse"))
        .isNotEqualTo(PasswordVerifier.of("correct horse"))
        .doesNotContain("correct horse");
  }
}
