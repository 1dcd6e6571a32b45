package dev.holdfast.testing;

import java.util.Collections;

/** Payloads that are short as they are sent and long as PostgreSQL writes them out. */
public final class PoisonPayload {
  /** 90 KB, and more than 1 GB as text: PostgreSQL itself cannot write it out. */
  public static final String UNREADABLE = numbers(10_000);

  /** 18 KB, and 262 MB as text: PostgreSQL can, a small worker cannot. */
  public static final String KILLER = numbers(2_000);

  private PoisonPayload() {}

  private static String numbers(int count) {
    return "{\"a\": [" + String.join(",", Collections.nCopies(count, "1e131071")) + "]}";
  }

  /** Puts a ticket in as somebody does who has switched all checks off. */
  public static long smuggle(TicketDatabase database, String kind, String payload) {
    long id = database.enqueue(kind);
    database.run("ALTER TABLE holdfast.ticket_base DISABLE TRIGGER USER");
    database.run(
        "UPDATE holdfast.ticket_base SET payload = ?::jsonb, payload_bytes = NULL WHERE id = ?",
        payload,
        id);
    database.run("ALTER TABLE holdfast.ticket_base ENABLE TRIGGER USER");
    database.run("ALTER TABLE holdfast.ticket_base ENABLE ALWAYS TRIGGER measure_payload");
    return id;
  }
}
