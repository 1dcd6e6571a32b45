package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StartedPartsTest {
  private final List<String> closed = new ArrayList<>();
  private final StartedParts parts = new StartedParts();

  private void breaking(String part) {
    closed.add(part);
    throw new IllegalStateException(part + " broke");
  }

  @Test
  @DisplayName("what was started last is closed first, once")
  void order() {
    assertThat(parts.add("pool", closed::add)).isEqualTo("pool");
    parts.add("server", closed::add);
    parts.close();
    parts.close();
    assertThat(closed).containsExactly("server", "pool");
  }

  @Test
  @DisplayName("a part that breaks when it is closed keeps no other open, and is told")
  void breaks() {
    parts.add("pool", closed::add);
    parts.add("server", this::breaking);
    parts.add("worker", this::breaking);
    assertThatThrownBy(parts::close)
        .hasMessage("worker broke")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(closed).containsExactly("worker", "server", "pool");
  }

  @Test
  @DisplayName("a start that fails closes what stands and stays the failure that is told")
  void failedStart() {
    parts.add("pool", closed::add);
    parts.add("server", this::breaking);
    IllegalStateException failure = new IllegalStateException("the port is taken");
    parts.closeAfter(failure);
    assertThat(failure.getSuppressed()).hasSize(1);
    assertThat(closed).containsExactly("server", "pool");
  }

  @Test
  @DisplayName("a part that finds no thread to end itself keeps no other open")
  void noThread() {
    parts.add("pool", closed::add);
    parts.add(
        "server",
        part -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    parts.close();
    assertThat(closed).containsExactly("pool");
  }
}
