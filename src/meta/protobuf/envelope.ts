import type { MessageType } from "../schema.ts";

/** The bytes are no Kubernetes protobuf message that this server reads. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

export function decodeEnvelope(_bytes: Uint8Array, { name }: MessageType): unknown {
  throw new ProtobufError(`cannot read ${name} from protobuf: send JSON or YAML`);
}
