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
            "SCRAM-SHA-256$1:AAECAwQFBgcICQoLDA0ODw==$RRnwtPWsje5OXJGhB+8qaBpLXu2/dwXJSMwaI9+ikf0="
                + ":R+NlZ/uNS5AS0v7ei4BxNr6Jep7hXTdZFmknZb4Cm9s=");
  }

  @Test
  @DisplayName("each verifier has a salt of its own, and none has the password")
  void salted() {
    assertThat(PasswordVerifier.of("correct horse"))
        .isNotEqualTo(PasswordVerifier.of("correct horse"))
        .doesNotContain("correct horse");
  }
}
