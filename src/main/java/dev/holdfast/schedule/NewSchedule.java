package dev.holdfast.schedule;

import dev.holdfast.queue.NewTicket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as people write it. It has either cron or every.
 *
 * @param name 1 to 100 letters, digits and . _ : -
 * @param cron five fields in the time of the zone, or a nickname as {@code @daily}
 * @param every at least one second
 * @param zone as {@code Europe/Berlin}
 * @param ticket what each ticket is made of: a design or a kind, a payload, a title, a queue and a
 *     priority. Its times and unique key are not looked at; one with more is refused
 */
public record NewSchedule(
    String name,
    @Nullable String cron,
    @Nullable Duration every,
    String zone,
    NewTicket ticket,
    CatchUp catchUp,
    Overlap overlap) {}
