import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach } from "vitest";

const host = "127.0.0.1";
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

function portOf(address: ReturnType<Server["address"]>): number {
  if (address === null || typeof address === "string") throw new Error("not listening");
  return address.port;
}

/** Returns a TCP port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const port = portOf(server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** Starts a TCP server that runs until the test ends, and returns its port. */
export async function tcpServer(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    serve(socket);
  });
  open.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, host);
  await once(server, "listening");
  return portOf(server.address());
}

/** Starts a UDP server that answers every datagram, and returns its port. */
export async function udpServer(answer: (message: Buffer) => string): Promise<number> {
  const socket = await udpSocket();
  socket.on("message", (message, from) => socket.send(answer(message), from.port, from.address));
  return socket.address().port;
}

/** Opens a UDP socket that exists until the test ends. */
export async function udpSocket(): Promise<UdpSocket> {
  const socket = createSocket("udp4");
  let closed = false;
  socket.once("close", () => (closed = true));
  open.push(() => {
    if (!closed) socket.close();
  });
  socket.bind(0, host);
  await once(socket, "listening");
  return socket;
}

/** Sends `said`, closes the sending side, and returns everything received. */
export async function converse(port: number, said: string): Promise<string> {
  const socket = connect({ port, host, allowHalfOpen: true });
  open.push(() => socket.destroy());
  socket.end(said);
  return text(socket);
}
