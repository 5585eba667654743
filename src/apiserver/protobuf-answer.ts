import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { ApiResponse, EncodedEvent, ListBody, ListItem } from "../meta/exchange.ts";
import { itemMessage, listMessage } from "../meta/list-message.ts";
import { encodeEnvelope, encodeMessage, envelope } from "../meta/protobuf/envelope.ts";
import { type MessageType, messages, pointer } from "../meta/schema.ts";
import { ObjectMeta } from "../meta/v1.ts";
import { yieldToSockets } from "../util/yield.ts";
import { protobufType } from "./accept.ts";
import type { Context } from "./context.ts";
import { Status } from "./openapi/meta-messages.ts";
import type { Services } from "./services.ts";
import { once } from "./watch/record.ts";
import { table } from "../util/table.ts";

/** An object or a list in an answer. */
interface Answer {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Converts an answer to protobuf (apimachinery `runtime/serializer/protobuf`). Answers without a message stay
 * JSON, with its content type: custom resources, Tables, and documents such as discovery.
 */
export async function inProtobuf({ services }: Context, response: ApiResponse): Promise<ApiResponse> {
  const { body } = response;
  switch (body.type) {
    case "object": {
      const bytes = seal(services, body.value);
      if (bytes === undefined) return response;
      return { ...response, body: { type: "bytes", contentType: protobufType, bytes } };
    }
    case "list": {
      const schema = schemaOf(services, body.head);
      return schema === undefined ? response : { ...response, body: await listInProtobuf(body, schema) };
    }
    case "events":
      return {
        ...response,
        body: {
          type: "events",
          contentType: `${protobufType};stream=watch`,
          batches: framed(services, body.batches),
        },
      };
    default:
      return response;
  }
}

/** The number of items encoded between two turns of sockets. */
const sliceSize = 250;

/** Returns a list in pieces: the cached messages of its items, with a tag before each. */
async function listInProtobuf(body: ListBody, schema: MessageType): Promise<ListBody> {
  const item = itemMessage(schema);
  const pieces = [encodeMessage({ metadata: body.head.metadata }, schema)];
  for (const [i, one] of body.items.entries()) {
    const message = messageOf(one, item);
    pieces.push(new BinaryWriter().tag(2, WireType.LengthDelimited).uint32(message.length).finish(), message);
    if (i % sliceSize === sliceSize - 1) await yieldToSockets();
  }
  const { before, after } = envelope(
    body.head,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  return { ...body, contentType: protobufType, chunks: () => [before, ...pieces, after] };
}

/**
 * By an object's stored JSON: the message is kept as long as the object is stored, because clients may list
 * it.
 */
const known = new WeakMap<Uint8Array, Uint8Array>();

function messageOf(item: ListItem, schema: MessageType): Uint8Array {
  const found = item.encoded === undefined ? undefined : known.get(item.encoded);
  if (found !== undefined) return found;
  const message = encodeMessage(item.object, schema);
  if (item.encoded !== undefined) known.set(item.encoded, message);
  return message;
}

/** Computed once for each object, for all clients. */
const sealed = new WeakMap<object, Uint8Array>();

function seal(services: Services, object: object): Uint8Array | undefined {
  const known = sealed.get(object);
  if (known !== undefined) return known;
  const schema = isAnswer(object) ? schemaOf(services, object) : undefined;
  if (!isAnswer(object) || schema === undefined) return undefined;
  const bytes = encodeEnvelope(object, { apiVersion: object.apiVersion, kind: object.kind, schema });
  sealed.set(object, bytes);
  return bytes;
}

function isAnswer(object: object): object is Answer {
  return "kind" in object && "apiVersion" in object;
}

const message = messages("io.k8s.apimachinery.pkg.apis.meta.v1");

const PartialObjectMetadata = message("PartialObjectMetadata", "An object's metadata alone.", {
  metadata: pointer(1, ObjectMeta, "Standard object metadata."),
});

const PartialObjectMetadataList = listMessage({
  schema: PartialObjectMetadata,
  kind: "PartialObjectMetadata",
  listKind: "PartialObjectMetadataList",
});

const metaSchemas: Readonly<Record<string, MessageType>> = table({
  "v1/Status": Status,
  "meta.k8s.io/v1/PartialObjectMetadata": PartialObjectMetadata,
  "meta.k8s.io/v1/PartialObjectMetadataList": PartialObjectMetadataList,
  "meta.k8s.io/v1beta1/PartialObjectMetadata": PartialObjectMetadata,
  "meta.k8s.io/v1beta1/PartialObjectMetadataList": PartialObjectMetadataList,
});

function schemaOf({ resources }: Services, { apiVersion, kind }: Answer): MessageType | undefined {
  return metaSchemas[`${apiVersion}/${kind}`] ?? resources.messageOf(apiVersion, kind);
}

async function* framed(
  services: Services,
  batches: AsyncIterable<readonly EncodedEvent[]>,
): AsyncGenerator<readonly EncodedEvent[]> {
  for await (const batch of batches) yield batch.map((event) => inFrame(services, event));
}

/** Computed once for each event, for all watchers. */
const frames = new WeakMap<EncodedEvent, EncodedEvent>();

function inFrame(services: Services, encoded: EncodedEvent): EncodedEvent {
  let known = frames.get(encoded);
  if (known === undefined) {
    const { event } = encoded;
    known = { event, encoded: once(() => frame(services, event)) };
    frames.set(encoded, known);
  }
  return known;
}

/** Returns a WatchEvent after its length in four big-endian bytes (apimachinery `util/framer`). */
function frame(services: Services, { type, object }: EncodedEvent["event"]): Uint8Array {
  const raw = seal(services, object);
  if (raw === undefined) throw new TypeError(`Cannot send a ${object.kind} in protobuf: it has no message`);
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(type);
  writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).bytes(raw).join();
  const event = writer.finish();
  const bytes = Buffer.allocUnsafe(4 + event.length);
  bytes.writeUInt32BE(event.length);
  bytes.set(event, 4);
  return bytes;
}
