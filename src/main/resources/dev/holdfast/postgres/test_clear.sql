-- For tests: no tickets, batches, releases and schedules, no cool-downs, and no rate is used up. A trigger empties held.
TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.suspects, holdfast.leases, holdfast.ticket_attempts,
  holdfast.ticket_activity, holdfast.ticket_guidance, holdfast.ticket_dependencies, holdfast.ticket_deadlines, holdfast.batches,
  holdfast.batch_followers, holdfast.releases, holdfast.release_tickets, holdfast.schedules, holdfast.request_keys, holdfast.released_holds,
  holdfast.ticket_assignments, holdfast.ticket_waits, holdfast.tool_approvals, holdfast.session_journal, holdfast.session_events,
  holdfast.attempt_output, holdfast.in_line, holdfast.line_slots, holdfast.spent_keys, holdfast.ticket_parents, holdfast.workflows,
  holdfast.ticket_traces, holdfast.retry_aborts, holdfast.auto_retry_switches, holdfast.provider_cooldowns;
UPDATE holdfast.limit_gates SET full_at = DEFAULT
