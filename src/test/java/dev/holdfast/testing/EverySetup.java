package dev.holdfast.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * The tests of this class of integration tests run twice: as usual, and on the oldest PostgreSQL in
 * a Turkish locale and an odd time zone. It stands on what touches SQL, text or time; {@code
 * EverySetupTest} says where it must stand. Unit tests run once, in that locale and time zone.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Tag("every-setup")
@Target(ElementType.TYPE)
public @interface EverySetup {}
