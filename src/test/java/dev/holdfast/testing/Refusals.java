package dev.holdfast.testing;

/** Triggers that refuse what is done to one ticket, as a database with a fault of its own would. */
public final class Refusals {
  private final TicketDatabase database;

  public Refusals(TicketDatabase database) {
    this.database = database;
  }

  /** No update of the ticket that meets the condition (of NEW and OLD) gets through. */
  public void refuse(long id, String condition, String sqlState) {
    define(
        "BEFORE UPDATE ON holdfast.ticket_base FOR EACH ROW WHEN (NEW.id = "
            + id
            + " AND "
            + condition
            + ")",
        "",
        sqlState);
  }

  /** The first so many updates of the ticket do not get through. */
  public void refuseFirst(int times, long id, String sqlState) {
    database.run("CREATE SEQUENCE IF NOT EXISTS public.refusals");
    define(
        "BEFORE UPDATE ON holdfast.ticket_base FOR EACH ROW WHEN (NEW.id = " + id + ")",
        "IF nextval('public.refusals') > " + times + " THEN RETURN NEW; END IF;",
        sqlState);
  }

  /** Besides, no update of this ticket gets through. */
  public void refuseAlso(long id, String sqlState) {
    database.run(
        "CREATE FUNCTION public.refuse_also() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE"
            + " EXCEPTION 'no space left on device' USING ERRCODE = '"
            + sqlState
            + "'; END $$");
    refuseByFunction(id);
  }

  /** Besides, no update of this ticket gets through, for want of a right. */
  public void refuseForWantOfRight(long id) {
    database.run(
        "DO $$ BEGIN CREATE ROLE rightless; EXCEPTION WHEN duplicate_object OR unique_violation"
            + " THEN NULL; END $$");
    database.run(
        "CREATE FUNCTION public.refuse_also() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS"
            + " $$ BEGIN PERFORM FROM pg_authid; RETURN NEW; END $$");
    database.run("ALTER FUNCTION public.refuse_also() OWNER TO rightless");
    refuseByFunction(id);
  }

  private void refuseByFunction(long id) {
    database.run(
        "CREATE TRIGGER refuse_also BEFORE UPDATE ON holdfast.ticket_base FOR EACH ROW WHEN (NEW.id"
            + " = "
            + id
            + ") EXECUTE FUNCTION public.refuse_also()");
  }

  /** The ticket cannot be taken out of those that are ready. */
  public void refuseClaim(long id, String sqlState) {
    refuseTaking("ready", id, sqlState);
  }

  /** The ticket cannot be taken out of the table of those that wait. */
  public void refuseTaking(String table, long id, String sqlState) {
    define(
        "BEFORE DELETE ON holdfast." + table + " FOR EACH ROW WHEN (OLD.id = " + id + ")",
        "",
        sqlState);
  }

  /** No update of a lease with the ticket gets through. */
  public void refuseRenewal(long id, String sqlState) {
    define(
        "BEFORE UPDATE ON holdfast.leases FOR EACH ROW WHEN (" + id + " = ANY (NEW.ids))",
        "",
        sqlState);
  }

  private void define(String when, String first, String sqlState) {
    database.run(
        "CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            + first
            + " RAISE EXCEPTION 'sector 7 is unreadable' USING ERRCODE = '"
            + sqlState
            + "'; END $$");
    database.run("CREATE TRIGGER refuse " + when + " EXECUTE FUNCTION public.refuse()");
  }

  /** Everything gets through again. */
  public void end() {
    database.run("DROP FUNCTION IF EXISTS public.refuse() CASCADE");
    database.run("DROP FUNCTION IF EXISTS public.refuse_also() CASCADE");
    database.run("DROP SEQUENCE IF EXISTS public.refusals");
  }
}
