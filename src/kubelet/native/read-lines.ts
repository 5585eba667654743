import type { Socket } from "node:net";

/**
 * Calls `deliver` for each line until it returns true. The remaining data is passed to `rest`, and reading
 * stops.
 */
export function readLines(
  socket: Socket,
  deliver: (line: string) => boolean,
  rest: (data: Buffer) => void = () => {},
): void {
  let pending = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(10); end >= 0; end = pending.indexOf(10)) {
      const line = pending.subarray(0, end).toString("utf8");
      pending = pending.subarray(end + 1);
      if (!deliver(line)) continue;
      socket.off("data", take);
      return rest(pending);
    }
  };
  socket.on("data", take);
}
