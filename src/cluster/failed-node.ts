import type { NodeEndpoint } from "../meta/node-endpoint.ts";
import { errors } from "../meta/status.ts";

/** Answers for a node of this process whose agent has failed. */
export function failedNode(name: string): NodeEndpoint {
  const fail = () => Promise.reject(errors.internal(`error dialing backend: node ${name} cannot be reached`));
  return { logs: fail, exec: fail, attach: fail, dial: fail, stats: fail };
}
