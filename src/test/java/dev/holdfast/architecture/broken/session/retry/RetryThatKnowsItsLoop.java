package dev.holdfast.architecture.broken.session.retry;

import dev.holdfast.architecture.broken.session.Loop;

public record RetryThatKnowsItsLoop(Loop loop) {}
