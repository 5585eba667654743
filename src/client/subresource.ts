import type { Readable } from "node:stream";
import { type CallOptions, type PatchOptions, writeQuery, type WriteOptions } from "./options.ts";
import type { Transport, TransportBody, TransportRequest } from "./transport.ts";

export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

export type Writing = "POST" | "PUT" | "PATCH";

export function jsonBody(value: object): TransportBody {
  return { contentType: "application/json", value };
}

/** One subresource of one object. */
export class Subresource<T extends object> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #fieldManager: string | undefined;

  constructor(transport: Transport, path: string, fieldManager: string | undefined) {
    this.#transport = transport;
    this.#path = path;
    this.#fieldManager = fieldManager;
  }

  get({ signal }: CallOptions = {}): Promise<T> {
    return this.#request({ method: "GET", path: this.#path, signal });
  }

  create(value: object, options: WriteOptions = {}): Promise<T> {
    return this.#write("POST", jsonBody(value), options);
  }

  update(value: object, options: WriteOptions = {}): Promise<T> {
    return this.#write("PUT", jsonBody(value), options);
  }

  patch(patch: object, options: Omit<PatchOptions, "subresource">): Promise<T> {
    return this.#write("PATCH", { contentType: patchTypes[options.type], value: patch }, options);
  }

  /** Returns the answer as raw bytes, such as a container's log. */
  stream(query?: URLSearchParams, options: CallOptions = {}): Promise<Readable> {
    return this.#transport.stream({
      method: "GET",
      path: this.#path,
      query,
      accept: "*/*",
      signal: options.signal,
    });
  }

  #write(method: Writing, body: TransportBody, options: WriteOptions): Promise<T> {
    const query = writeQuery({ fieldManager: this.#fieldManager, ...options });
    return this.#request({ method, path: this.#path, query, body, signal: options.signal });
  }

  async #request(request: TransportRequest): Promise<T> {
    const answer = await this.#transport.request(request);
    // The caller names the kind that the subresource answers with; the answer is not decoded.
    return answer.value as T;
  }
}
