/** Thrown when bytes are not a valid protobuf message. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}
