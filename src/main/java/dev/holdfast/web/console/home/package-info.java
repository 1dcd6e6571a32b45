/** The home page's numbers, charts, queues and models, made of figures. */
@NullMarked
package dev.holdfast.web.console.home;

import org.jspecify.annotations.NullMarked;
