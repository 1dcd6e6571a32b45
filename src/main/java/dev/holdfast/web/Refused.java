package dev.holdfast.web;

import dev.holdfast.ticket.HoldfastException;

/** A request that cannot be answered; becomes a problem document of its status. */
public final class Refused extends HoldfastException {
  private final int status;

  /**
   * @param status the status of HTTP, from 400
   * @param detail one or two sentences that name the next step; never a secret
   */
  public Refused(int status, String detail) {
    super(detail);
    this.status = status;
  }

  public int status() {
    return status;
  }

  static Refused badRequest(String detail) {
    return new Refused(400, detail);
  }
}
