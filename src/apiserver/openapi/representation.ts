import { createHash } from "node:crypto";
import type { ApiResponse } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import { acceptClauses, jsonType } from "../accept.ts";
import type { MessageForm } from "./gnostic/form.ts";
import { writeGnostic } from "./gnostic/write.ts";

/** A document in the encodings in which it is sent. */
export class Representation {
  /** SHA-512 of the JSON in upper-case hex; as upstream, the ETag is equal for all encodings. */
  readonly hash: string;
  readonly #json: Buffer;
  readonly #message: MessageForm;
  #protobuf: Promise<Uint8Array> | undefined;

  constructor(document: object, message: MessageForm) {
    this.#json = Buffer.from(JSON.stringify(document));
    this.#message = message;
    this.hash = createHash("sha512").update(this.#json).digest("hex").toUpperCase();
  }

  /** Protobuf is written at the first request. */
  async #bytes(form: "json" | "protobuf"): Promise<Uint8Array> {
    if (form === "json") return this.#json;
    this.#protobuf ??= writeGnostic(this.#message, JSON.parse(this.#json.toString()) as object);
    return this.#protobuf;
  }

  /** Answers with the document in the client's preferred encoding, or with 304. @throws StatusError 406 */
  async answer(
    version: "v2" | "v3",
    requested: Readonly<Record<string, string | undefined>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse> {
    const form = preferred(requested["accept"] ?? "", version);
    const headers = { etag: `"${this.hash}"`, vary: "Accept", ...more };
    if (requested["if-none-match"] === headers.etag) {
      return { status: 304, headers, body: { type: "empty" } };
    }
    const contentType = form === "json" ? jsonType : protobufType(version);
    return { status: 200, headers, body: { type: "bytes", contentType, bytes: await this.#bytes(form) } };
  }
}

function protobufType(version: string): string {
  return `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
}

function preferred(accept: string, version: string): "json" | "protobuf" {
  if (accept === "") return "json";
  const protobuf = protobufType(version);
  for (const { type } of acceptClauses(accept)) {
    if (type === jsonType || type === "application/*" || type === "*/*") return "json";
    // Clients request it with an @, which no content type may contain.
    if (type.replace("@", ".") === protobuf) return "protobuf";
  }
  throw errors.notAcceptable([jsonType, protobuf]);
}
