/** What is below the routes: the port, its connections, and what holds for every request. */
@NullMarked
package dev.holdfast.web.port;

import org.jspecify.annotations.NullMarked;
