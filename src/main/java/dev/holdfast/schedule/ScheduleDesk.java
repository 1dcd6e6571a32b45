package dev.holdfast.schedule;

import dev.holdfast.queue.Channel;
import java.util.List;
import java.util.Optional;

/**
 * Actions of people on schedules. Each change is logged with its actor. Thread-safe.
 *
 * <p>A name that does not exist is a {@code NotFoundException}; a value that is not allowed is an
 * {@code InvalidInputException} that says why.
 */
public interface ScheduleDesk {
  /** Returns the same desk; what is done through it is recorded with this channel. */
  ScheduleDesk through(Channel channel);

  /** Lists schedules by name. */
  List<Schedule> list();

  Optional<Schedule> find(String name);

  /** Makes a schedule, or replaces its settings; a pause stays. */
  Schedule put(NewSchedule schedule, String actor);

  /** Pauses a schedule: it makes no ticket until it is resumed. */
  void pause(String name, String actor);

  /** Resumes a schedule; times within the pause are not made up for. */
  void resume(String name, String actor);

  /**
   * Makes one ticket now, whatever times, pause and overlap say.
   *
   * @return its id
   */
  long run(String name, String actor);

  /** Deletes a schedule; its tickets stay. */
  void delete(String name, String actor);
}
