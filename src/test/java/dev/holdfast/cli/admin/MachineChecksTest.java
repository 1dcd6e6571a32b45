package dev.holdfast.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.process.ProgramUser;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MachineChecksTest {
  @Test
  @DisplayName("doctor: a user without a name, as a container's may be, is told by number")
  void namelessUser() {
    assertThat(MachineChecks.userName("?")).isEqualTo(String.valueOf(ProgramUser.ownUid()));
    assertThat(MachineChecks.userName("ann")).isEqualTo("ann");
  }
}
