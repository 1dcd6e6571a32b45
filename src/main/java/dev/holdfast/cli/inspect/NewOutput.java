package dev.holdfast.cli.inspect;

import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import java.util.HashMap;
import java.util.Map;

/** Reads the output that an attempt has printed since the last look. Used by one thread. */
final class NewOutput {
  private final Map<String, OutputChunk> lastSeen = new HashMap<>();
  private long leaseNo;

  /** Returns the new text of a stream; all of it, if the attempt is a new one. */
  String of(AttemptOutput output, String stream) {
    if (output.leaseNo() != leaseNo) {
      leaseNo = output.leaseNo();
      lastSeen.clear();
    }
    StringBuilder text = new StringBuilder();
    for (OutputChunk chunk : output.of(stream)) {
      OutputChunk last = lastSeen.get(stream);
      if (last == null || chunk.fromByte() > last.fromByte()) {
        text.append(chunk.text());
      } else if (chunk.fromByte() == last.fromByte()) {
        text.append(chunk.text(), last.text().length(), chunk.text().length());
      } else {
        continue;
      }
      lastSeen.put(stream, chunk);
    }
    return AttemptOutput.plain(text.toString());
  }
}
