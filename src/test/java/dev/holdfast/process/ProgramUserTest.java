package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ProgramUserTest {
  @Test
  @DisplayName("a user without a name, as a container's may be, acts and is told of by number")
  void nameless() {
    assertThat(ProgramUser.nameOf("?")).isEqualTo(String.valueOf(ProgramUser.ownUid()));
    assertThat(ProgramUser.nameOf("ann")).isEqualTo("ann");
  }
}
