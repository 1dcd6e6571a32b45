package dev.holdfast.postgres.batch;

import dev.holdfast.queue.Channel;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Tells the functions of a transaction how their caller came. */
final class ChannelSetting {
  private ChannelSetting() {}

  static void set(Handle handle, @Nullable Channel channel) {
    if (channel != null) {
      handle
          .createQuery("SELECT set_config('holdfast.channel', :channel, true)")
          .bind("channel", channel.wireName())
          .mapTo(String.class)
          .one();
    }
  }
}
