import { afterEach } from "vitest";
import { registrations } from "../api/registrations.ts";
import type {
  ApiRequest,
  ApiResponse,
  Caller,
  ResponseBody,
  UserInfo,
  WatchEvent,
} from "../meta/exchange.ts";
import { parseExactly } from "../meta/json.ts";
import type { Registration } from "../meta/strategy.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import type { Revision } from "../store/store.ts";
import { silentLogger } from "../util/logger.ts";
import { type Random, seededRandom } from "../util/random.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import type { AdmissionPlugin } from "./admission/plugin.ts";
import { Codec } from "./resources/codec.ts";
import type { ApiServer, ApiServerOptions } from "./server.ts";
import { testAdmission, testServer } from "./test-server.suite.ts";

export const admin: UserInfo = { name: "admin", groups: ["system:masters"] };

/** Any JSON object, as an untyped client sees it. */
// oxlint-disable-next-line typescript/no-explicit-any -- Answers are looked into at will, as in any script.
export type Json = any;

export interface CallOptions {
  readonly user?: UserInfo;
  readonly caller?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  /** The object, or the text of another body. */
  readonly body: Json;
}

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

export interface BedOptions extends Partial<
  Pick<ApiServerOptions, "authorizer" | "components" | "nodes" | "sendHttps" | "subresources">
> {
  /** Plugins beyond the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[];
  readonly historyMs?: number;
  readonly random?: Random;
  /** Kinds beyond the built-in ones. */
  readonly more?: readonly Registration[];
  /** The store of another server. */
  readonly store?: MemoryStore;
}

/** An API server over memory, on virtual time, with the namespace `default`, and methods for requests. */
export class Bed {
  readonly clock = new VirtualClock();
  readonly store: MemoryStore;
  readonly server: ApiServer;

  constructor(options: BedOptions) {
    const { admission = [], historyMs, more = [], random = seededRandom(3), store, ...others } = options;
    const codec = new Codec();
    const env = { clock: this.clock, random, log: silentLogger };
    const history = historyMs === undefined ? {} : { historyMs };
    this.store = store ?? new MemoryStore({ clock: this.clock, stamp: codec.stamp, ...history });
    this.server = testServer(env, {
      ...others,
      store: this.store,
      codec,
      registrations: [...registrations, ...more],
      admission: [...testAdmission, ...admission],
    });
  }

  get revision(): Revision {
    return this.store.revision;
  }

  /** Sends a request as HTTP would; a string is sent unchanged, an object becomes JSON. */
  async call(method: string, url: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const response = await this.server.handle(requestOf(method, url, body, options));
    const { status, headers, warnings = [] } = response;
    return { status, headers, warnings, body: await contentOf(response.body) };
  }

  get = (url: string, options?: CallOptions) => this.call("GET", url, undefined, options);
  post = (url: string, body: unknown, options?: CallOptions) => this.call("POST", url, body, options);
  put = (url: string, body: unknown, options?: CallOptions) => this.call("PUT", url, body, options);
  delete = (url: string, body?: unknown, options?: CallOptions) => this.call("DELETE", url, body, options);

  patch(url: string, body: unknown, { headers, ...options }: CallOptions = {}): Promise<Answer> {
    const type = Array.isArray(body) ? "json-patch" : "merge-patch";
    const merged = { "content-type": `application/${type}+json`, ...headers };
    return this.call("PATCH", url, body, { ...options, headers: merged });
  }

  /** Creates an object, which must succeed. */
  async make(url: string, body: unknown, options?: CallOptions): Promise<Json> {
    const answer = await this.post(url, body, options);
    if (answer.status !== 201) throw new Error(`Cannot create in ${url}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Starts a watch and returns its events, which accumulate in a list. */
  async watch(url: string, options: CallOptions = {}): Promise<Watching> {
    const stop = new AbortController();
    const request = { ...requestOf("GET", url, undefined, options), signal: stop.signal };
    const { status, body } = await this.server.handle(request);
    if (body.type !== "events") throw new Error(`Cannot watch ${url}: ${status} ${JSON.stringify(body)}`);
    const watching: Watching = { events: [], lines: [], ended: false, stop: () => stop.abort() };
    void gather(body, watching);
    await this.clock.settle();
    return watching;
  }
}

export interface Watching {
  readonly events: WatchEvent<Json>[];
  /** The events as clients read them. */
  readonly lines: Json[];
  ended: boolean;
  readonly stop: () => void;
}

async function gather(body: ResponseBody & { type: "events" }, watching: Watching): Promise<void> {
  for await (const batch of body.batches) {
    watching.events.push(...batch.map(({ event }) => event));
    watching.lines.push(...batch.map((one) => parseExactly(Buffer.from(one.encoded()).toString())));
  }
  watching.ended = true;
}

export function requestOf(
  method: string,
  url: string,
  body: unknown,
  { user = admin, caller, headers = {} }: CallOptions,
): ApiRequest {
  const [path = "", query = ""] = url.split("?", 2);
  const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(JSON.stringify(body) ?? "");
  return {
    method,
    path,
    query: new URLSearchParams(query),
    headers,
    body: body === undefined ? { type: "none" } : { type: "bytes", read: () => Promise.resolve(bytes) },
    caller: caller ?? { type: "component", user },
    signal: new AbortController().signal,
  };
}

async function contentOf(body: ApiResponse["body"]): Promise<Json> {
  switch (body.type) {
    case "object":
      return body.encoded === undefined ? body.value : parseExactly(Buffer.from(body.encoded).toString());
    case "list":
      return parseExactly(Buffer.concat([...body.chunks()]).toString());
    case "bytes":
      return Buffer.from(body.bytes).toString();
    default:
      return undefined;
  }
}

/** Starts a server that ends after the test. */
export async function startBed(options: BedOptions = {}): Promise<Bed> {
  const stop = new AbortController();
  const { bed, ended } = await startBedUntil(stop.signal, options);
  running.push(() => {
    stop.abort();
    return ended;
  });
  return bed;
}

/** Starts a server that may outlive a test. */
export async function startBedUntil(
  signal: AbortSignal,
  options: BedOptions = {},
): Promise<{ readonly bed: Bed; readonly ended: Promise<void> }> {
  const bed = new Bed(options);
  const ended = bed.server.run(signal);
  await addNamespace(bed, "default");
  return { bed, ended };
}

export async function addNamespace(bed: Bed, name: string): Promise<void> {
  await bed.make("/api/v1/namespaces", { metadata: { name } });
  await bed.make(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
  await bed.clock.settle();
}

export const inDefault = (plural: string, group = "") =>
  group === "" ? `/api/v1/namespaces/default/${plural}` : `/apis/${group}/namespaces/default/${plural}`;

export const podBody = (name: string, more: { metadata?: object; spec?: object } = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...more.metadata },
  spec: { containers: [{ name: "main", image: "example.com/main" }], ...more.spec },
});

export const deploymentBody = (name: string, replicas = 1): Json => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "main", image: "example.com/main" }] },
    },
  },
});
