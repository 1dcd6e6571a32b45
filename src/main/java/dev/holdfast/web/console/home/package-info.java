/** What the home page shows, made of figures: numbers, charts, queues and models. */
@NullMarked
package dev.holdfast.web.console.home;

import org.jspecify.annotations.NullMarked;
