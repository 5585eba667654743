import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import type { Clock } from "../../util/clock.ts";

const timeoutMs = 2000;
const maxWaiting = 256;

/**
 * Returns a function that forwards queries to the machine's own name servers, one after the other until one
 * answers.
 */
export function forwarder(
  clock: Clock,
  servers: readonly string[],
): (query: Buffer) => Promise<Buffer | undefined> {
  let waiting = 0;
  return async (query) => {
    if (waiting >= maxWaiting) return undefined;
    waiting += 1;
    try {
      for (const server of servers) {
        const answer = await ask(clock, server, query);
        if (answer !== undefined) return answer;
      }
      return undefined;
    } finally {
      waiting -= 1;
    }
  };
}

function ask(clock: Clock, server: string, query: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(server.includes(":") ? "udp6" : "udp4");
    const finish = (answer: Buffer | undefined) => {
      timer.cancel();
      socket.close();
      resolve(answer);
    };
    const timer = clock.after(timeoutMs, () => finish(undefined));
    socket.once("error", () => finish(undefined));
    // A connected socket accepts datagrams only from the requested server.
    // A callback of `connect` would be called with the error of a failed one, too.
    socket.once("connect", () => socket.send(query));
    socket.connect(53, server);
    socket.on("message", (answer: Buffer) => {
      if (answer.length >= 2 && answer.readUInt16BE(0) === query.readUInt16BE(0)) finish(answer);
    });
  });
}

/** Returns the name servers of `/etc/resolv.conf`. */
export function hostNameServers(): readonly string[] {
  try {
    const text = readFileSync("/etc/resolv.conf", "utf8");
    return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server = ""]) => server);
  } catch {
    return [];
  }
}
