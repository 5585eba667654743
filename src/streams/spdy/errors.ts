/** The peer violates SPDY/3.1 or exceeds a limit: the connection ends. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
}
