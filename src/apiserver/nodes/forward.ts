import type { Duplex } from "node:stream";
import type { PodAddress } from "../../meta/node-endpoint.ts";
import { NodePortError } from "../../streams/forward.ts";
import type { SpdyStream } from "../../streams/spdy/stream.ts";
import { forwardPath } from "./queries.ts";
import { connectSpdy, type Kubelet } from "./spdy.ts";

const protocol = "portforward.k8s.io";
/** Far more than an error's text takes. */
const maxErrorBytes = 16 * 1024;

/**
 * Opens a connection to a Pod's port through its kubelet. Each has a SPDY connection of its own, so that none waits
 * for another. The stream fails with the kubelet's text when the port does. @throws StatusError
 */
export async function dialPort(kubelet: Kubelet, pod: PodAddress, port: number): Promise<Duplex> {
  const connection = await connectSpdy(kubelet, forwardPath(pod), protocol);
  const headers = (purpose: string) =>
    new Map([
      ["streamtype", purpose],
      ["port", String(port)],
      ["requestid", "0"],
    ]);
  const error = await connection.open(headers("error"));
  error.end();
  const data = await connection.open(headers("data"));
  failWith(error, data);
  data.once("close", () => connection.end());
  return data;
}

/** Fails the data once the error stream has ended with a text. It ends before the data does. */
function failWith(error: SpdyStream, data: Duplex): void {
  let text = "";
  error.on("data", (chunk: Buffer) => (text = (text + chunk.toString()).slice(0, maxErrorBytes)));
  error.once("end", () => {
    if (text !== "") data.destroy(new NodePortError(text));
  });
}
