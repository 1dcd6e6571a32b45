package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.ModelServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Agents' sessions beside the programs of a run. Their model is an HTTP server of the harness,
 * which counts its answers: each has been paid for. Each second turn runs a program that may not
 * run twice, and that leaves a line in a file of its session.
 */
final class Sessions implements AutoCloseable {
  static final int TURNS = 6;

  private static final Pattern NAME = Pattern.compile("session-(\\d+)\\.");
  private static final String DESIGN =
      """
      {"kind": "agent", "review": "none", "tools": ["write_file", "run_command"],
       "targets": [{"provider": "openai", "model": "m"}]}
      """;
  private static final String ERRORS =
      "SELECT outcome || ': ' || error FROM holdfast.ticket_attempts WHERE ticket_id = ? ORDER BY"
          + " lease_no";
  private static final String HELD =
      "SELECT details->>'reason' FROM holdfast.ticket_activity WHERE action = 'held' AND ticket_id"
          + " = ANY (?)";

  private final Chaos chaos;
  private final long turnMillis;
  private final List<Long> ids = new ArrayList<>();
  private final Map<String, Integer> answered = new ConcurrentHashMap<>();
  private volatile @Nullable ModelBehaviour trouble;
  private @Nullable ModelServer models;
  private int port;

  /**
   * @param turnMillis how long the model thinks
   */
  Sessions(Chaos chaos, long turnMillis) {
    this.chaos = chaos;
    this.turnMillis = turnMillis;
    open();
    chaos
        .holdfast
        .with("OPENAI_API_KEY", "sk-chaos-of-sessions")
        .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", "http://127.0.0.1:" + port + "/v1")
        .with("HOLDFAST_TOOLS_SANDBOX", "off");
    chaos.database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('session', 1,"
            + " 'agent', ?::jsonb)",
        DESIGN);
  }

  /** The model's server, on the port it had before. */
  void open() {
    ModelServer server = ModelServer.start(port);
    server.always(ModelBehaviour.choose(this::behaviour));
    port = server.port();
    models = server;
  }

  /** It refuses connections from now on. */
  void shut() {
    ModelServer server = models;
    if (server != null) {
      server.close();
    }
  }

  int requests() {
    ModelServer server = models;
    return server == null ? 0 : server.requests().size();
  }

  /** What it does instead of an answer; null for none. */
  void trouble(@Nullable ModelBehaviour behaviour) {
    trouble = behaviour;
  }

  void enqueue(int count) {
    for (int i = 0; i < count; i++) {
      int number = ids.size();
      long id =
          chaos.database.number(
              "SELECT holdfast.enqueue_ticket(design => 'session', payload =>"
                  + " jsonb_build_object('prompt', ?::text))",
              "This is session-" + number + ".");
      ids.add(id);
      chaos.load.acknowledged().put("session-" + number, id);
    }
  }

  private ModelBehaviour behaviour(ModelRequest request) {
    ModelBehaviour instead = trouble;
    return instead == null ? answer(request) : instead;
  }

  private ModelBehaviour answer(ModelRequest request) {
    Matcher named = NAME.matcher(request.messages().toString());
    if (!named.find()) {
      return Repairs.answer();
    }
    String session = named.group(1);
    int turn = request.assistantMessages() + 1;
    return ModelBehaviour.after(
        Duration.ofMillis(turnMillis),
        says(session, turn),
        () -> answered.merge(session + "/" + turn, 1, Integer::sum));
  }

  private ModelBehaviour says(String session, int turn) {
    if (turn >= TURNS) {
      return ModelBehaviour.toolCall(
          "agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}");
    }
    return turn % 2 == 0
        ? ModelBehaviour.toolCall("write_file", "{\"path\": \"t.txt\", \"content\": \"x\"}")
        : ModelBehaviour.toolCall(
            "run_command", "{\"command\": \"echo " + turn + " >> " + log(session) + "\"}");
  }

  private Path log(Object session) {
    return chaos.jobs.resolve("session-" + session);
  }

  /** The reasons for which sessions waited for a person. */
  List<String> holds() {
    return chaos.database.column(HELD, (Object) ids.toArray(Long[]::new));
  }

  /** How often a worker died that had one of them. */
  long deaths() {
    return chaos.database.number(
        "SELECT count(*) FROM holdfast.ticket_attempts WHERE outcome = 'crashed' AND ticket_id ="
            + " ANY (?)",
        (Object) ids.toArray(Long[]::new));
  }

  /**
   * An answer that was given is asked for again only where its worker died before it was kept, so
   * at most once for each death; no program ran twice; no retry was used up.
   */
  void check() throws IOException {
    for (int i = 0; i < ids.size(); i++) {
      int session = i;
      int answers =
          answered.entrySet().stream()
              .filter(each -> each.getKey().startsWith(session + "/"))
              .mapToInt(Map.Entry::getValue)
              .sum();
      long deaths = chaos.database.outcomes(ids.get(i)).stream().filter("crashed"::equals).count();
      assertThat(answers)
          .as("answers that session %s was given, with %s deaths of its workers", session, deaths)
          .isBetween(TURNS, TURNS + Math.toIntExact(deaths));
      assertThat(Files.readAllLines(log(session)))
          .as("programs that session %s ran", session)
          .doesNotHaveDuplicates();
      assertThat(chaos.database.ticket(ids.get(i)))
          .as("session %s after %s", session, chaos.database.column(ERRORS, ids.get(i)))
          .containsEntry("retry_count", "0");
    }
  }

  @Override
  public void close() {
    shut();
  }
}
