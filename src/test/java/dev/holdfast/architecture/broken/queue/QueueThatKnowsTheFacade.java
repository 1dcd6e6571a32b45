package dev.holdfast.architecture.broken.queue;

import dev.holdfast.architecture.broken.Facade;

record QueueThatKnowsTheFacade(Facade.Part part) {}
