import type { ApiResponse } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import type { Target } from "../resources/target.ts";
import { containerAddress, nodeOf, readPod } from "./pod-address.ts";

/** Answers exec, attach and portforward over a connection that cannot be upgraded. */
export function upgradeRequired(context: Context, { namespace, name, subresource }: Target): ApiResponse {
  const pod = readPod(context, namespace, name);
  if (subresource !== "portforward") containerAddress(pod, context.request.query.get("container") ?? "");
  nodeOf(context, pod);
  throw errors.badRequest("Upgrade request required");
}
