package dev.holdfast.architecture.broken;

public final class Facade {
  private Facade() {}

  public static final class Part {}
}
