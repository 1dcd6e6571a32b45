package dev.holdfast.process;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Calls functions of the system's C library in this process. */
final class NativeFunction {
  private NativeFunction() {}

  /**
   * True if native calls are allowed. False in a program that embeds Holdfast and has not allowed
   * them: Java would print a warning.
   */
  static boolean isAllowed() {
    return NativeFunction.class.getModule().isNativeAccessEnabled();
  }

  /** A call of a handle, with its cast. */
  @FunctionalInterface
  interface Call<T> {
    T run() throws Throwable;
  }

  /**
   * Returns the function of this name.
   *
   * @param signature as its manual declares it
   */
  @SuppressWarnings("restricted") // whoever calls this answers for the signature
  static MethodHandle named(String name, FunctionDescriptor signature, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), signature, options);
  }

  /**
   * Returns the result of a call. C throws nothing, and an error of the JVM must not be swallowed.
   *
   * @param name of the function
   */
  static <T> T call(String name, Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // what a method handle declares
      throw new IOException(name + " was not called", e);
    }
  }
}
