package dev.holdfast.web.console;

import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalJson;
import dev.holdfast.testing.TicketDatabase;
import java.util.List;

/** Tickets in the states that the pages show, put there by SQL. */
record SampleTickets(TicketDatabase database) {
  /** Held tickets with one error; their ids, the oldest first. */
  List<Long> hold(int count, String title, String error) {
    return database
        .column(
            "INSERT INTO holdfast.tickets (kind, title, payload, state, error, error_category,"
                + " error_fingerprint, hold_reason) SELECT 'manual', ? || ' ' || n,"
                + " '{\"to\": \"ann\"}', 'on_hold', ?, 'system_error', md5(?), 'Max retries"
                + " exceeded: system_error' FROM generate_series(1, ?) n RETURNING id",
            title,
            error,
            error,
            count)
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  long hold(String title, String error) {
    return hold(1, title, error).getFirst();
  }

  /** A ticket whose result waits for a person. */
  long review(String title, String result) {
    return database.number(
        "INSERT INTO holdfast.tickets (kind, title, state, result, completed_at) VALUES"
            + " ('manual', ?, 'needs_review', ?::jsonb, now()) RETURNING id",
        title,
        result);
  }

  /** A step of an agent's session. */
  void journal(long id, long lease, int seq, JournalEntry entry, String kind) {
    database.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry) VALUES (?, ?,"
            + " ?, ?, ?::jsonb)",
        id,
        seq,
        lease,
        kind,
        JournalJson.write(entry));
  }

  String state(long id) {
    return database.state(id);
  }

  List<String> guidance(long id) {
    return database.column(
        "SELECT guidance FROM holdfast.ticket_guidance WHERE ticket_id = ? ORDER BY id", id);
  }
}
