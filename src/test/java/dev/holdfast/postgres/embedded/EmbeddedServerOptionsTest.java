package dev.holdfast.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EmbeddedServerOptionsTest {
  private static final Path HOME = Path.of("/srv/work/.holdfast");

  @Test
  @DisplayName("binaries are unpacked into the user's cache, or beside the data of a homeless user")
  void cache() {
    assertThat(EmbeddedServerOptions.cache("/home/ann", HOME))
        .isEqualTo(Path.of("/home/ann/.cache/holdfast"));
    assertThat(EmbeddedServerOptions.cache("?", HOME)).isEqualTo(HOME.resolve("cache"));
  }
}
