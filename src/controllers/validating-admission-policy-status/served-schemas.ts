import { type GroupVersionKind, groupVersion } from "../../meta/kind.ts";
import type { Reconcile } from "../../operator/controller.ts";
import { errorText } from "../../util/error-text.ts";
import { fieldsOf } from "../../util/is-object.ts";
import { ownValue } from "../../util/table.ts";
import { schemaOfKind } from "./open-api.ts";
import type { KnownKind } from "./type-check.ts";

type Request = Pick<Reconcile, "client" | "env" | "signal">;

/** The schemas of kinds, from the OpenAPI documents that the server serves. Each is requested once. */
export class ServedSchemas {
  readonly #request: Request;
  readonly #documents = new Map<string, Promise<unknown>>();
  #index: Promise<unknown> | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  /** Returns undefined when the schema is unknown. As upstream, an error is no warning. */
  async find(kind: GroupVersionKind): Promise<KnownKind | undefined> {
    const path = kind.group === "" ? `api/${kind.version}` : `apis/${groupVersion(kind)}`;
    const document = this.#documents.get(path) ?? this.#fetch(path);
    this.#documents.set(path, document);
    try {
      const schema = schemaOfKind(await document, kind);
      return schema && { kind, schema };
    } catch (error) {
      this.#request.signal.throwIfAborted();
      this.#request.env.log.debug("cannot resolve a schema", { ...kind, error: errorText(error) });
      return undefined;
    }
  }

  async #fetch(path: string): Promise<unknown> {
    this.#index ??= this.#get("/openapi/v3");
    const paths = fieldsOf(fieldsOf(await this.#index)["paths"]);
    const { serverRelativeURL } = fieldsOf(ownValue(paths, path));
    return typeof serverRelativeURL === "string" ? this.#get(serverRelativeURL) : undefined;
  }

  async #get(url: string): Promise<unknown> {
    const [path = "", query] = url.split("?", 2);
    const { client, signal } = this.#request;
    const answer = await client.transport.request({
      method: "GET",
      path,
      query: new URLSearchParams(query),
      signal,
      list: true,
    });
    return answer.value;
  }
}
