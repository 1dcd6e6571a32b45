package dev.holdfast.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a fresh, migrated database of its own. Constructors and methods take it as a
 * parameter of type {@link TestDatabase}; nested classes share that of the class around them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TestDatabaseExtension.class)
public @interface WithDatabase {}
