package dev.holdfast.architecture.broken.util;

final class Anything {}
