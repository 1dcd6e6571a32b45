package dev.holdfast.cli.root;

import picocli.CommandLine.IVersionProvider;

/** The text of {@code --version}. */
public final class Version implements IVersionProvider {
  /** Returns the version of the jar; {@code development} where there is none. */
  public static String text() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"holdfast " + text() + ", Java " + Runtime.version()};
  }
}
