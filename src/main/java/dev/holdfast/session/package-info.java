/**
 * One agent's conversation: the loop over its turns, and what an answer leads to. Its parts have
 * packages of their own, each of which imports only those before it: {@code approval}, {@code
 * report}, {@code journal}, {@code context}, {@code event}, {@code retry}.
 */
@NullMarked
package dev.holdfast.session;

import org.jspecify.annotations.NullMarked;
