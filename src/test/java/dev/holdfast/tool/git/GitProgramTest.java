package dev.holdfast.tool.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Where git runs a program that stays, its number is in a file. */
@EnabledOnOs(OS.LINUX)
class GitProgramTest {
  private static final GitProgram UNCONFINED = GitProgram.unconfined(System.getenv());
  private static final GitProgram CONFINED =
      new GitProgram(System.getenv(), (command, directory) -> command);

  @TempDir private Path directory;

  private GitCommand starting(String program) {
    return GitCommand.in(
        directory,
        "-c",
        "alias.leave=!"
            + program
            + " > /dev/null 2>&1 & while [ ! -s pid ]; do sleep 0.01; done; true",
        "leave");
  }

  private GitCommand inItsGroup() {
    return starting("sh -c 'echo $$ > pid; exec sleep 1000'");
  }

  private GitCommand inASessionOfItsOwn() {
    return starting("setsid sh -c 'echo $$ > pid; exec sleep 1000'");
  }

  /** One that has ended has no program any more, whether or not somebody asked for its end. */
  private Optional<ProcessHandle> left() throws Exception {
    Path number = directory.resolve("pid");
    if (Files.notExists(number)) {
      return Optional.empty();
    }
    long pid = Long.parseLong(Files.readString(number).strip());
    return ProcessHandle.of(pid).filter(process -> process.info().command().isPresent());
  }

  @AfterEach
  void end() throws Exception {
    left().ifPresent(ProcessHandle::destroyForcibly);
  }

  private void assertEnds(GitProgram git, GitCommand command) throws Exception {
    assertThat(git.run(command)).matches(GitResult::isSuccess);
    await().until(() -> left().isEmpty());
  }

  @Test
  @DisplayName("What git left running in its process group is ended")
  void group() throws Exception {
    assertEnds(UNCONFINED, inItsGroup());
  }

  @Test
  @DisplayName("Nobody looks for more where git has no configuration but ours")
  void further() throws Exception {
    assertThat(UNCONFINED.run(inASessionOfItsOwn())).matches(GitResult::isSuccess);
    assertThat(left()).isPresent();
  }

  @Test
  @DisplayName("With the configuration of the worker's user, what went further is ended, too")
  void ownConfiguration() throws Exception {
    assertEnds(UNCONFINED, inASessionOfItsOwn().withOwnConfiguration());
  }

  @Test
  @DisplayName("In a workspace, what went further is ended, too")
  void confined() throws Exception {
    assertEnds(CONFINED, inASessionOfItsOwn());
  }

  @Test
  @DisplayName("What goes over the network has all the configuration that its user's git has")
  void configuration() throws Exception {
    Path settings = directory.resolve("xdg/git/config");
    Files.createDirectories(settings.getParent());
    Files.writeString(settings, "[credential]\n\thelper = ours\n");
    Map<String, String> environment = new TreeMap<>(System.getenv());
    environment.put("HOME", directory.toString());
    environment.put("XDG_CONFIG_HOME", directory.resolve("xdg").toString());
    GitProgram git = GitProgram.unconfined(environment);
    GitCommand user = GitCommand.in(directory, "config", "--get-all", "credential.helper");
    assertThat(git.run(user.withOwnConfiguration()).stdout()).contains("ours");
    assertThat(git.run(user).stdout()).isEmpty();
    GitCommand machine =
        GitCommand.in(directory, "-c", "alias.told=!echo \"${GIT_CONFIG_NOSYSTEM-taken}\"", "told");
    assertThat(git.run(machine.withOwnConfiguration()).stdout().strip()).isEqualTo("taken");
    assertThat(git.run(machine).stdout().strip()).isEqualTo("1");
  }
}
