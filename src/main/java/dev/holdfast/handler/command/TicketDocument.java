package dev.holdfast.handler.command;

import dev.holdfast.ticket.Answer;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.Ticket;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Makes the text of a ticket that a program reads on stdin: one JSON object, one line, UTF-8. */
final class TicketDocument {
  private TicketDocument() {}

  static String of(ClaimedTicket claimed) {
    Ticket ticket = claimed.ticket();
    ObjectNode document = ProgramJson.MAPPER.createObjectNode();
    document.put("id", ticket.id());
    document.put("queue", ticket.queue());
    document.put("kind", ticket.kind());
    document.put("title", ticket.title());
    document.set("payload", ProgramJson.MAPPER.readTree(ticket.payload()));
    document.put("priority", ticket.priority());
    document.put("attempt", claimed.attempt());
    document.put("lease_no", claimed.lease().no());
    document.put("retry_count", claimed.retryCount());
    document.put("created_at", ticket.createdAt().toString());
    document.set(
        "results",
        claimed.results() == null
            ? ProgramJson.MAPPER.createObjectNode()
            : ProgramJson.MAPPER.readTree(claimed.results()));
    words(claimed, document.putArray("guidance"), document.putArray("answers"));
    claimed
        .design()
        .ifPresentOrElse(
            design -> design(design, document.putObject("design")),
            () -> document.putNull("design"));
    return document + "\n";
  }

  private static void words(ClaimedTicket claimed, ArrayNode guidance, ArrayNode answers) {
    for (Guidance each : claimed.guidance()) {
      Answer answer = each.answer();
      if (answer == null) {
        guidance
            .addObject()
            .put("text", each.text())
            .put("author", each.author())
            .put("source", each.source())
            .put("given_at", each.givenAt().toString());
      } else {
        answers
            .addObject()
            .put("question", answer.question())
            .put("by", each.author())
            .put("at", each.givenAt().toString())
            .set("answer", ProgramJson.MAPPER.readTree(answer.value()));
      }
    }
  }

  private static void design(Design design, ObjectNode node) {
    node.put("name", design.name()).put("version", design.version());
  }
}
