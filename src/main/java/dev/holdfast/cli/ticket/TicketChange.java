package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.TicketDesk;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The common part of hold, cancel, approve and reject. */
abstract class TicketChange implements Callable<Integer> {
  private final HoldfastCommand root;
  private final String done;

  @Parameters(paramLabel = "ID", arity = "1..*", description = "The tickets.")
  private List<String> ids = List.of();

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print a JSON object with what was done and refused.")
  private boolean json;

  /**
   * @param done what is done, in the past
   */
  TicketChange(HoldfastCommand root, String done) {
    this.root = root;
    this.done = done;
  }

  /** Does it to one ticket. */
  abstract void apply(TicketDesk desk, long ticketId, String actor, String words);

  /** The reason or feedback as given; empty where the command has none. */
  abstract String words();

  @Override
  public final Integer call() {
    List<Long> numbers = ids.stream().map(Words::id).distinct().toList();
    String words = Words.textOrFile("the text", words(), root.terminal().in());
    String actor = by.name(root);
    try (Backend backend = root.open()) {
      TicketDesk desk = backend.desk();
      return new TicketAction(root.terminal(), done, json)
          .run(numbers.iterator(), id -> apply(desk, id, actor, words));
    }
  }
}
