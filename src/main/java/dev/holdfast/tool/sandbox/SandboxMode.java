package dev.holdfast.tool.sandbox;

import java.util.Locale;

/** The demand that programs of tools are confined: {@code tools.sandbox}. */
public enum SandboxMode {
  /**
   * {@link #REQUIRED} where bubblewrap works when the worker starts; otherwise {@link #PREFERRED}.
   */
  AUTO,
  /** A ticket whose tools run programs is held where they cannot be confined. */
  REQUIRED,
  /** Programs run unconfined where they cannot be confined. */
  PREFERRED,
  /** Never confined: the worker is in a container or a machine that is itself the boundary. */
  OFF;

  /** The word as in a configuration: {@code required}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
