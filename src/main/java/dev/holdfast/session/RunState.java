package dev.holdfast.session;

/** What the parts of one execution share. Confined to the session's thread. */
record RunState(Memory memory, Progress progress, Notices notices, SessionEvents events) {}
