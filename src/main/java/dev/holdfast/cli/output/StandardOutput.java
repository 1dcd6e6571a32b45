package dev.holdfast.cli.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Standard output of this process. It remembers why it could not be written. */
final class StandardOutput extends FileOutputStream {
  private static final int TYPE = 0xf000;
  private static final int PIPE = 0x1000;
  private static final int SOCKET = 0xc000;

  private volatile String problem = "";

  StandardOutput() {
    super(FileDescriptor.out);
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    try {
      super.write(bytes, from, count);
    } catch (IOException e) {
      problem = PlainText.oneLine(e.getMessage());
      throw e;
    }
  }

  /**
   * Returns what went wrong; empty where nothing did. The reader of a pipe may stop: {@code
   * holdfast list | head}.
   */
  String problem() {
    return problem.isEmpty() || isPipe() ? "" : problem;
  }

  private static boolean isPipe() {
    try {
      int type = (int) Files.getAttribute(Path.of("/dev/fd/1"), "unix:mode") & TYPE;
      return type == PIPE || type == SOCKET;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }
}
