package dev.holdfast.architecture.broken.retry;

abstract sealed class SealedPolicy {
  static final class Only extends SealedPolicy {}
}
