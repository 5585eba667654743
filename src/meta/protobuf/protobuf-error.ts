/** The bytes are no protobuf message of the expected kind. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}
