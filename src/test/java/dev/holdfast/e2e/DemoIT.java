package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first five minutes, in an empty directory. */
@Tag("slow")
class DemoIT {
  private static final Pattern RELEASE_THIS =
      Pattern.compile("(?m)^  holdfast release (\\d+) --guidance 'use the color green'");

  private final Path directory;
  @AutoClose private final Installation holdfast;

  DemoIT(@TempDir Path directory) {
    this.directory = directory;
    this.holdfast = new Installation(directory);
  }

  private static void assertEnded(HoldfastProcess demo) throws InterruptedException {
    Outcome outcome = demo.awaitOutcome();
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.stderr()).isEmpty();
    assertThat(outcome.stdout().strip().lines().toList().getLast())
        .isEqualTo("The demo has ended; its data stays in .holdfast.");
  }

  @Test
  @DisplayName(
      "demo runs the samples while a second terminal looks at them and releases one, without a"
          + " database URL; it ends with 0, keeps its data, and --exit-when-done ends by itself;"
          + " demo asks nothing of a configured database, also not to hear of new tickets;"
          + " a demo that is to end by itself ends at once when it is told to, with one line and no"
          + " error")
  void demo() throws Exception {
    Outcome nothing = holdfast.ask("list");
    assertThat(nothing.exit()).isEqualTo(4);
    assertThat(nothing.stderr()).hasLineCount(1).contains("holdfast demo");

    HoldfastProcess demo = holdfast.start("demo");
    String id = demo.awaitOutput(RELEASE_THIS).group(1);
    assertThat(holdfast.ok("list", "--state", "on_hold")).contains("\n" + id + " ");
    assertThat(holdfast.ok("show", id)).contains("Max retries exceeded: unknown");
    assertThat(holdfast.ok("release", id, "--guidance", "use the color green"))
        .isEqualTo("released #" + id);
    demo.awaitOutput(Pattern.compile("#" + id + " +guided +attempt \\d succeeded"));
    assertThat(holdfast.ok("list", "--state", "done")).contains("\n" + id + " ");
    assertThat(holdfast.ok("show", id)).contains("{\"color\": \"green\"}", "released");

    demo.signal("TERM");
    assertEnded(demo);
    assertThat(holdfast.ask("list").exit()).as("nothing is left running").isEqualTo(4);

    besideConfiguredDatabase();

    HoldfastProcess early = holdfast.start("demo", "--exit-when-done");
    early.awaitOutput(Pattern.compile("#\\d+ +guided +failed"));
    early.signal("TERM");
    assertEnded(early);
  }

  /** The second demo of this directory, to its own end. */
  private void besideConfiguredDatabase() throws Exception {
    try (ServerSocket configured = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "postgres://ann:secret@127.0.0.1:" + configured.getLocalPort() + "/jobs";
      holdfast.with("HOLDFAST_DATABASE_URL", url).with("HOLDFAST_DATABASE_LISTEN_URL", url);
      Outcome again = holdfast.run("demo", "--exit-when-done");
      holdfast.with("HOLDFAST_DATABASE_URL", "").with("HOLDFAST_DATABASE_LISTEN_URL", "");
      assertThat(again.exit()).as(again.toString()).isZero();
      assertThat(again.stderr()).hasLineCount(1).contains("is not touched");
      assertThat(again.stdout())
          .contains("on_hold: Max retries exceeded: system_error")
          .containsPattern("agent +attempt 1 succeeded")
          .contains("its model only plays a script")
          .doesNotContain("in another terminal", "psql '", " show ");
      configured.setSoTimeout(1);
      assertThatThrownBy(configured::accept)
          .as("nobody has connected")
          .isInstanceOf(SocketTimeoutException.class);
    }
    try (Stream<Path> workspaces = Files.list(directory.resolve(".holdfast/agents"))) {
      assertThat(workspaces)
          .as("one for each demo, with the script that the agent has mended")
          .hasSize(2)
          .allSatisfy(
              each ->
                  assertThat(each.resolve("total.sh")).content().contains("sum=$((sum + amount))"));
    }
  }
}
