package dev.holdfast.architecture.broken.retry;

class OpenPolicy {}
