import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { ApiRequest, EncodedEvent, Handler, ResponseBody, WatchEvent } from "../meta/exchange.ts";
import { errors, StatusError } from "../meta/status.ts";
import { ConnectionError } from "./errors.ts";
import type { Transport, TransportRequest } from "./transport.ts";

const get: TransportRequest = { method: "GET", path: "/api/v1/pods" };
const value = { kind: "Pod", apiVersion: "v1", metadata: { name: "žluť" } };
const json = JSON.stringify(value);
const head = { kind: "PodList", apiVersion: "v1", metadata: {} };
const listed = JSON.stringify({ ...head, items: [value] });
const list: ResponseBody = {
  type: "list",
  head,
  items: [{ object: value, encoded: undefined }],
  value: () => ({ ...head, items: [value] }),
  chunks: () => [Buffer.from(listed.slice(0, 9)), Buffer.from(listed.slice(9))],
};
const bytes = (contentType: string, content: string): ResponseBody => ({
  type: "bytes",
  contentType,
  bytes: Buffer.from(content),
});
const watched = ["a", "b"].map((name): WatchEvent => ({
  type: "ADDED",
  object: { ...value, metadata: { name } },
}));
const lines = watched.map((event) => `${JSON.stringify(event)}\n`).join("");

/** One batch of events. After the batch the watch ends, or lasts until the signal fires. */
async function* batches(signal?: AbortSignal): AsyncIterable<readonly EncodedEvent[]> {
  yield watched.map((event) => ({ event, encoded: () => Buffer.from(`${JSON.stringify(event)}\n`) }));
  if (signal !== undefined) await aborted(signal);
}

const events = (signal?: AbortSignal): ResponseBody => ({
  type: "events",
  contentType: "application/json",
  batches: batches(signal),
});

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

async function collect<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** Tests the behaviour that all transports share. `open` makes a transport to the handler. */
export function describeTransport(name: string, open: (handler: Handler) => Transport): void {
  const answering = (body: () => ResponseBody, status = 200, headers = {}) =>
    open(() => Promise.resolve({ status, headers, body: body() }));

  describe(`${name}, as every transport`, () => {
    test("passes the method, path, query, headers and body to the server", async () => {
      const seen: ApiRequest[] = [];
      const transport = open((request) => {
        seen.push(request);
        return Promise.resolve({ status: 201, headers: { "x-a": "b" }, body: { type: "object", value } });
      });
      const body = { contentType: "application/merge-patch+json", value: { metadata: { name: "a b" } } };
      const query = new URLSearchParams({ fieldManager: "m&m" });
      const path = "/api/v1/pods/a%20b";
      const answer = await transport.request({ method: "PATCH", path, query, accept: "text/plain", body });
      await transport.request(get);
      expect(answer).toMatchObject({ status: 201, headers: { "x-a": "b" }, value });
      expect(seen).toMatchObject([
        {
          method: "PATCH",
          path,
          headers: { accept: "text/plain", "content-type": body.contentType },
          body: { type: "object", value: body.value },
        },
        { method: "GET", headers: { accept: "application/json" }, body: { type: "none" } },
      ]);
      expect(seen.map(({ query }) => query.toString())).toEqual(["fieldManager=m%26m", ""]);
    });

    test.each<[string, ResponseBody, unknown, string]>([
      ["an object", { type: "object", value }, value, json],
      ["a list", list, { ...head, items: [value] }, listed],
      ["JSON bytes", bytes("application/json", json), value, json],
      ["text", bytes("text/plain", "žluť"), "žluť", "žluť"],
      ["nothing", { type: "empty" }, undefined, ""],
    ])("returns %s, as a value and as a stream", async (_, body, expected, streamed) => {
      const transport = answering(() => body);
      expect((await transport.request(get)).value).toEqual(expected);
      expect(await text(await transport.stream(get))).toBe(streamed);
    });

    test("streams raw bytes and the lines of a watch", async () => {
      const log: () => ResponseBody = () => ({
        type: "stream",
        contentType: "text/plain",
        stream: Readable.from(["line 1\n", "line 2\n"], { objectMode: false }),
      });
      expect(await text(await answering(log).stream(get))).toBe("line 1\nline 2\n");
      expect(await text(await answering(() => events()).stream(get))).toBe(lines);
    });

    test("throws the server's Status from every method", async () => {
      const { status } = errors.conflict({ group: "", resource: "pods" }, "a", "changed");
      const transport = answering(() => ({ type: "object", value: status }), 409);
      const refused = [transport.request(get), transport.stream(get), collect(transport.watch(get))];
      for (const result of await Promise.allSettled(refused)) {
        expect(result).toMatchObject({ reason: { reason: "Conflict", message: status.message } });
        expect(result.status === "rejected" && result.reason).toBeInstanceOf(StatusError);
      }
    });

    test("turns a proxy's refusal into a Status", async () => {
      const transport = answering(() => bytes("text/plain", "slow down"), 429, { "retry-after": "3" });
      await expect(transport.request(get)).rejects.toMatchObject({
        reason: "TooManyRequests",
        message: "slow down",
        status: { details: { retryAfterSeconds: 3 } },
      });
    });

    test("yields the events of a watch in order, and ends when the server ends the watch", async () => {
      expect(await collect(answering(() => events()).watch(get))).toEqual(watched);
    });

    test("sends no request whose signal has fired", async () => {
      let asked = 0;
      const transport = open(() => Promise.reject(new Error(`request ${++asked}`)));
      const signal = AbortSignal.abort(new Error("enough"));
      const request = { ...get, signal };
      await expect(transport.request(request)).rejects.toThrow("enough");
      await expect(transport.stream(request)).rejects.toThrow("enough");
      await expect(collect(transport.watch(request))).rejects.toThrow("enough");
      expect(asked).toBe(0);
    });

    test("ends a request with the reason of its signal, and the server sees the end", async () => {
      const asked = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      const transport = open(async ({ signal }) => {
        asked.resolve();
        await aborted(signal);
        ended.resolve();
        throw signal.reason;
      });
      const stop = new AbortController();
      const request = expect(transport.request({ ...get, signal: stop.signal })).rejects.toThrow("enough");
      await asked.promise;
      stop.abort(new Error("enough"));
      await Promise.all([request, ended.promise]);
    });

    test("ends a watch with the reason of its signal, after the events that came before", async () => {
      const transport = open(({ signal }) =>
        Promise.resolve({ status: 200, headers: {}, body: events(signal) }),
      );
      const stop = new AbortController();
      const seen: WatchEvent[] = [];
      const watch = async () => {
        for await (const batch of transport.watch({ ...get, signal: stop.signal })) {
          seen.push(...batch);
          if (seen.length === watched.length) stop.abort(new Error("enough"));
        }
      };
      await expect(watch()).rejects.toThrow("enough");
      expect(seen).toEqual(watched);
    });

    test("ends open watches when it is closed, and the server sees the end", async () => {
      const ended = Promise.withResolvers<void>();
      const transport = open(({ signal }) => {
        signal.addEventListener("abort", () => ended.resolve());
        return Promise.resolve({ status: 200, headers: {}, body: events(signal) });
      });
      const begun = Promise.withResolvers<void>();
      const watch = async () => {
        for await (const _ of transport.watch(get)) begun.resolve();
      };
      // A transport that cannot tell this end from a lost connection says that the connection was lost.
      const over = watch().catch((error: unknown) => expect(error).toBeInstanceOf(ConnectionError));
      await begun.promise;
      await transport.close();
      await Promise.all([over, ended.promise]);
      await expect(transport.request(get)).rejects.toThrow();
    });
  });
}
