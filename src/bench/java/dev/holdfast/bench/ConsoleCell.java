package dev.holdfast.bench;

import dev.holdfast.postgres.bench.HeldBacklog;
import dev.holdfast.postgres.bench.ScratchDatabase;
import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Measures the time of the console's pages with a hundred thousand held tickets of 300 errors among
 * twice as many finished ones: over HTTP, from a worker in a process of its own, to the last byte.
 */
final class ConsoleCell implements Cell {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int GROUPS = 300;
  private static final int WARM_UP = 30;
  private static final String TOKEN = UUID.randomUUID().toString();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    Optional<ScratchDatabase> scratch = ScratchDatabase.create(lab.database());
    if (scratch.isEmpty()) {
      lab.say("console: left out, because the database user may not create a database");
      return result(List.of());
    }
    lab.keep(scratch.get());
    try {
      int held = lab.options().size(100_000, 600);
      HeldBacklog backlog = HeldBacklog.fill(scratch.get(), held, GROUPS);
      List<String> command = new ArrayList<>(lab.program());
      command.addAll(List.of("worker", "--port", "0"));
      ChildProcess child =
          lab.keep(
              ChildProcess.start(
                  command,
                  scratch.get().database(),
                  Path.of("."),
                  Map.of("HOLDFAST_WEB_TOKENS", "viewer:" + TOKEN)));
      try {
        String line = child.await("listens on ", PATIENCE);
        String address = line.substring(line.lastIndexOf("http"));
        return result(pages(lab, address, backlog));
      } finally {
        child.close();
        lab.forget(child);
      }
    } finally {
      scratch.get().close();
      lab.forget(scratch.get());
    }
  }

  private static CellResult result(List<Figure> figures) {
    return new CellResult(CellName.CONSOLE.wireName(), CellName.CONSOLE.what(), figures, List.of());
  }

  private static List<Figure> pages(Lab lab, String address, HeldBacklog backlog)
      throws InterruptedException {
    Map<String, String> pages = new LinkedHashMap<>();
    pages.put("inbox", "/inbox");
    pages.put("a group", "/group?category=unknown&fingerprint=" + backlog.largest());
    pages.put("held tickets", "/tickets?state=on_hold");
    pages.put("held tickets by text", "/tickets?state=on_hold&q=nothing+has+this");
    pages.put("tickets", "/tickets");
    pages.put("tickets by text", "/tickets?q=nothing+has+this");
    pages.put("a ticket", "/tickets/" + backlog.ticket());
    pages.put("review", "/review");
    pages.put("queues", "/queues");
    List<Figure> figures = new ArrayList<>();
    try (HttpClient http = HttpClient.newHttpClient()) {
      for (int i = 0; i < lab.options().size(WARM_UP, 1); i++) {
        for (String path : pages.values()) {
          load(http, address + path);
        }
      }
      for (Map.Entry<String, String> page : pages.entrySet()) {
        List<Double> millis = new ArrayList<>();
        for (int round = 0; round < lab.options().rounds(20); round++) {
          millis.add(load(http, address + page.getValue()));
        }
        Figure figure = Figure.of(page.getKey(), "ms", millis);
        lab.say("console, %s: %.0f ms", page.getKey(), figure.value().median());
        figures.add(figure.judgedBy(Bar.atMost(200, 100), lab.options()));
      }
    }
    return figures;
  }

  private static double load(HttpClient http, String address) throws InterruptedException {
    long start = System.nanoTime();
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(address))
                  .header("Authorization", "Bearer " + TOKEN)
                  .timeout(PATIENCE)
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new HoldfastException(
            String.format(Locale.ROOT, "%s answered %d", address, answer.statusCode()));
      }
    } catch (IOException e) {
      throw new HoldfastException(address + " did not answer (" + e + ")", e);
    }
    return (System.nanoTime() - start) / 1e6;
  }
}
