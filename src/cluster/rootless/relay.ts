import { connect, type Socket } from "node:net";

const maxAnswer = 64;

/**
 * Connects to a host of the machine's network by the relay at a Unix socket (`native/init/relay.c`). The relay looks the name
 * up. @throws Error with the code of why there is no connection
 */
export async function connectByRelay(path: string, host: string, port: number): Promise<Socket> {
  if (!/^[\w.:-]{1,255}$/.test(host)) throw fail("ENOTFOUND", host, port);
  const socket = connect(path);
  try {
    socket.write(`${host} ${port}\n`);
    const answer = await firstLine(socket);
    if (answer !== "ok") throw fail(answer, host, port);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function fail(code: string, host: string, port: number): Error {
  return Object.assign(new Error(`connect ${code} ${host}:${port}`), { code });
}

/** Reads the line, and leaves what comes after it. */
function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = Buffer.alloc(0);
    const settle = (error?: Error) => {
      socket.off("readable", read).off("error", settle).off("end", ended);
      if (error !== undefined) reject(error);
    };
    const ended = () => settle(new Error("the relay has ended"));
    const read = () => {
      for (let chunk: unknown = socket.read(); Buffer.isBuffer(chunk); chunk = socket.read()) {
        text = Buffer.concat([text, chunk]);
        const end = text.indexOf("\n");
        if (end < 0 && text.length > maxAnswer) return settle(new Error("the relay answers too much"));
        if (end < 0) continue;
        settle();
        if (end + 1 < text.length) socket.unshift(text.subarray(end + 1));
        return resolve(text.subarray(0, end).toString());
      }
    };
    socket.on("readable", read).on("error", settle).on("end", ended);
  });
}
