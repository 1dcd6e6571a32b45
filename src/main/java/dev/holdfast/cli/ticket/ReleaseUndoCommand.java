package dev.holdfast.cli.ticket;

import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.UndoneTickets;
import dev.holdfast.queue.UndoneTickets.Undone;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast release undo}. */
@Command(
    name = "undo",
    description =
        "Take back a release of the last minute: its tickets are on hold as before, but for those"
            + " that a worker has begun with.",
    footer = {"", "Example:", "  holdfast release undo 3f0a2b6e-8d5c-4c0e-9d5f-1f6f3c1f7a52"})
final class ReleaseUndoCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "KEY", description = "As holdfast release has printed it.")
  private String key = "";

  @Mixin private final ByOption by = new ByOption();

  @Option(
      names = "--json",
      description = "Print a JSON object with what was taken back and refused.")
  private boolean json;

  ReleaseUndoCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    String actor = by.name(root);
    try (Backend backend = root.open()) {
      // All are taken back before anything is printed: each ticket that is told first may begin.
      List<Undone> all = new ArrayList<>();
      new UndoneTickets(backend.desk(), key, actor).forEachRemaining(all::add);
      Iterator<Undone> told = all.iterator();
      return new TicketAction(root.terminal(), "taken back", json)
          .run(all.stream().map(Undone::ticketId).iterator(), id -> told.next().require());
    }
  }
}
