/** The home page's numbers, charts, queues and models, made from figures. */
@NullMarked
package dev.holdfast.web.console.home;

import org.jspecify.annotations.NullMarked;
