import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { loadKubeconfig, resolveContext } from "../../src/client/kubeconfig.ts";
import { type HttpAnswer, type HttpCall, send } from "../http-call.ts";
import type { Vitals } from "./server.ts";

/** The sender of a request: the administrator, a user without any grant, or a client without credentials. */
export type Attacker = "admin" | "anybody" | "anonymous";

/** The results of the requests since the last `takeTally`. */
export interface Tally {
  tried: number;
  /** The number of answers with 4xx. */
  refused: number;
  /** Answers with 5xx: `METHOD path: message`. */
  readonly failures: string[];
  /** Requests without an answer: the stream or connection ended. */
  readonly hangUps: string[];
}

/** A server under attack, in a process of its own. */
export interface Target {
  readonly port: number;
  /** Returns options of a TLS connection with the administrator's certificate, or with none. */
  readonly tls: (as: Attacker) => ConnectionOptions;
  /** Sends a request and counts its answer; undefined when the server closed the stream. */
  readonly send: (
    as: Attacker,
    method: string,
    path: string,
    call?: HttpCall,
  ) => Promise<HttpAnswer | undefined>;
  readonly takeTally: () => Tally;
  /**
   * Returns the measurements since the last call. With `collects` (the default), memory is measured after a garbage
   * collection.
   */
  readonly vitals: (collects?: boolean) => Promise<Vitals>;
  readonly isAlive: () => boolean;
  readonly stop: () => Promise<void>;
}

/**
 * Answers with 500 that are upstream's own: errors that are no Status, which
 * apiserver/pkg/endpoints/handlers/responsewriters/status.go answers with 500.
 */
const upstreamFailures = [
  // apiserver/pkg/storage/errors.go
  "resourceVersion should not be set on objects to be created",
  // apimachinery/pkg/util/managedfields/internal/structuredmerge.go
  "failed to create typed patch object",
  // ValidatePodBinding in pkg/apis/core/validation, whose list BindingREST turns into one error.
  "target.name: Required value",
  "target.kind: Unsupported value: ",
  // apimachinery/pkg/util/proxy: a backend that cannot be reached, or that fails itself.
  "error trying to reach service",
  "error dialing backend",
  // pkg/registry/core/service/storage
  "no endpoints available for service",
  "no service port ",
  // pkg/util/node
  "no preferred addresses found",
];

/** Starts a fresh server without objects. */
export async function startTarget(): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), "knarr-attack-"));
  const child = fork(join(import.meta.dirname, "server.ts"), [directory], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ kubeconfig }] = (await once(child, "message")) as [{ kubeconfig: string }];
  const { connection } = await resolveContext(await loadKubeconfig([kubeconfig]));
  const { server, ca, certificate: pair } = connection;
  const sessions = new Map<Attacker, ClientHttp2Session>();
  let tally = emptyTally();
  const tls = (as: Attacker): ConnectionOptions => ({
    ...(ca !== undefined && { ca }),
    ...(as !== "anonymous" && pair !== undefined && { cert: pair.certificate, key: pair.key }),
  });
  const sessionOf = (as: Attacker) => {
    let session = sessions.get(as);
    if (session === undefined || session.closed || session.destroyed) {
      // With Node's default of 10 MB, a body beyond the server's limit ends the client's own streams.
      session = connectHttp2(server, { ...tls(as), maxSessionMemory: 1024 });
      session.on("error", () => {});
      sessions.set(as, session);
    }
    return session;
  };
  return {
    port: Number(new URL(server).port),
    tls,
    send: async (as, method, path, call = {}) => {
      tally.tried += 1;
      const disguise: Readonly<Record<string, string>> =
        as === "anybody" ? { "impersonate-user": "mallory" } : {};
      const headers = { ...disguise, ...call.headers };
      const where = `${method} ${path.slice(0, 200)}`;
      let answer: HttpAnswer | undefined;
      try {
        answer = await send(sessionOf(as), method, path, { ...call, headers });
      } catch (error) {
        tally.hangUps.push(`${where}: ${String(error)}`);
        return undefined;
      }
      if (answer.code === 0) tally.hangUps.push(where);
      else if (answer.code >= 500 && !isUpstream(answer))
        tally.failures.push(`${answer.code} ${where}: ${answer.text.slice(0, 300)}`);
      else if (answer.code >= 400) tally.refused += 1;
      return answer;
    },
    takeTally: () => {
      const taken = tally;
      tally = emptyTally();
      return taken;
    },
    vitals: async (collects = true) => {
      if (!child.connected) return deathly;
      return new Promise((resolve) => {
        const settle = (vitals: Vitals) => {
          child.off("message", settle).off("exit", die);
          resolve(vitals);
        };
        const die = () => settle(deathly);
        child.on("message", settle).on("exit", die).send({ collects });
      });
    },
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      for (const session of sessions.values()) session.destroy();
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.disconnect();
        await ended;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The measurements of a process that has ended. */
const deathly: Vitals = { longestStallMs: Number.POSITIVE_INFINITY, rss: 0 };

export function isUpstream({ text }: HttpAnswer): boolean {
  return upstreamFailures.some((failure) => text.includes(failure));
}

function emptyTally(): Tally {
  return { tried: 0, refused: 0, failures: [], hangUps: [] };
}
