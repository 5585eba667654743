/** The peer does not speak SPDY/3.1, or asks for more than is given: the connection ends. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
}
