package dev.holdfast.session.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A journal that dies with the process: for sessions that nobody resumes. Thread-safe. */
public final class InMemoryJournal implements Journal {
  private final List<JournalEntry> kept;

  public InMemoryJournal() {
    this(List.of());
  }

  /** One that begins with the entries of another. */
  public InMemoryJournal(List<JournalEntry> entries) {
    kept = new ArrayList<>(entries);
  }

  @Override
  public void each(Consumer<JournalEntry> reader) {
    entries().forEach(reader);
  }

  @Override
  public synchronized List<JournalEntry> entries() {
    return List.copyOf(kept);
  }

  @Override
  public synchronized void append(List<JournalEntry> entries) {
    kept.addAll(entries);
  }
}
