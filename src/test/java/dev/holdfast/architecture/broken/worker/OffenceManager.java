package dev.holdfast.architecture.broken.worker;

final class OffenceManager {}
