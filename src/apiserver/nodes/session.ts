import type { AttachOptions, ExecSession } from "../../meta/node-endpoint.ts";
import { openSession, sessionProtocol } from "../../streams/client-session.ts";
import { connectSpdy, type Kubelet } from "./spdy.ts";

/** Starts an exec or attach on a kubelet. @throws StatusError */
export async function startSession(
  kubelet: Kubelet,
  path: string,
  options: AttachOptions,
): Promise<ExecSession> {
  const connection = await connectSpdy(kubelet, path, sessionProtocol);
  return openSession(connection, options, "the kubelet");
}
