package dev.holdfast.llm;

import java.math.BigDecimal;

/** The price of a model, each part in USD per million tokens, none negative. */
public record Price(
    BigDecimal input, BigDecimal cacheRead, BigDecimal cacheWrite, BigDecimal output) {
  private static final BigDecimal MILLION = BigDecimal.valueOf(1_000_000);

  public Price {
    for (BigDecimal part : new BigDecimal[] {input, cacheRead, cacheWrite, output}) {
      if (part.signum() < 0) {
        throw new IllegalArgumentException("a price must not be negative: " + part);
      }
    }
  }

  /** Makes a price without cache prices: the cache costs what the input costs. */
  public static Price of(BigDecimal input, BigDecimal output) {
    return new Price(input, input, input, output);
  }

  /** Returns the exact cost in USD. */
  public BigDecimal cost(Usage usage) {
    return input
        .multiply(BigDecimal.valueOf(usage.input()))
        .add(cacheRead.multiply(BigDecimal.valueOf(usage.cacheRead())))
        .add(cacheWrite.multiply(BigDecimal.valueOf(usage.cacheWrite())))
        .add(output.multiply(BigDecimal.valueOf(usage.output())))
        .divide(MILLION);
  }
}
