package dev.holdfast.schedule;

import dev.holdfast.queue.Channel;
import java.util.List;
import java.util.Optional;

/**
 * Actions of people on schedules. Each change is logged with its actor. Thread-safe.
 *
 * <p>A name that is not there is a {@code TicketNotFoundException}; what is not allowed an {@code
 * InvalidTicketException} that says why.
 */
public interface ScheduleDesk {
  /** The same desk; what is done through it is recorded as done through this channel. */
  ScheduleDesk through(Channel channel);

  /** By name. */
  List<Schedule> list();

  Optional<Schedule> find(String name);

  /** Makes it, or replaces its settings; a pause stays. */
  Schedule put(NewSchedule schedule, String actor);

  /** No ticket comes of it until it is resumed. */
  void pause(String name, String actor);

  /** Times within the pause are not made up for. */
  void resume(String name, String actor);

  /**
   * Makes one ticket now, whatever times, pause and overlap say.
   *
   * @return its id
   */
  long run(String name, String actor);

  /** Its tickets stay. */
  void delete(String name, String actor);
}
