package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Repairs of one small repository beside the programs of a run. */
final class Repairs {
  /** Its check takes its time, so that a death finds it running. */
  private static final String CHECK =
      "sleep 1; case \"$(head -n 1 value.txt)\" in good*) ;; *) echo wrong value; exit 1;; esac\n";

  private final Chaos chaos;
  private final Path project;
  private final List<Long> ids = new ArrayList<>();

  Repairs(Chaos chaos) throws IOException, InterruptedException {
    this.chaos = chaos;
    this.project = Files.createDirectory(chaos.jobs.resolve("project"));
    Files.writeString(project.resolve("value.txt"), "bad 0\n");
    Files.writeString(project.resolve("check.sh"), CHECK);
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-q", "-m", "The project");
    chaos.database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('mender', 1,"
            + " 'repair', ?::jsonb)",
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                Map.of(
                    "kind",
                    "repair",
                    "review",
                    "none",
                    "repository",
                    Map.of("path", project.toString(), "ref", "main"),
                    "verify",
                    List.of(Map.of("name", "check", "command", List.of("sh", "check.sh"))),
                    "targets",
                    List.of(Map.of("provider", "openai", "model", "m")))));
  }

  /** What the model says to each of them. */
  static ModelBehaviour answer() {
    return ModelBehaviour.answer(
        "value.txt\n<<<<<<< SEARCH\nbad 0\n=======\ngood 1\n>>>>>>> REPLACE\n");
  }

  void enqueue(int count) {
    for (int i = 0; i < count; i++) {
      long id = chaos.database.number("SELECT holdfast.enqueue_ticket(design => 'mender')");
      ids.add(id);
      chaos.load.acknowledged().put("repair-" + id, id);
    }
  }

  /** Each result is a commit with the patch in it, and the original is as it was. */
  void check() throws IOException, InterruptedException {
    for (long id : ids) {
      String commit =
          chaos.database.value("SELECT result->>'commit' FROM holdfast.tickets WHERE id = ?", id);
      assertThat(git("show", commit + ":value.txt")).as("repair %s", id).isEqualTo("good 1");
    }
    assertThat(git("show", "main:value.txt")).isEqualTo("bad 0");
    assertThat(git("status", "--porcelain")).isEmpty();
  }

  private String git(String... words) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=t", "-c", "user.email=t@example.com"));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes()).strip();
    assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
    return said;
  }
}
