import type { ApiRequest, UserInfo } from "../../meta/exchange.ts";
import { errorText } from "../../util/error-text.ts";
import type { Logger } from "../../util/logger.ts";
import { type Answer, text } from "./answer.ts";
import { attributesOf } from "./attributes.ts";

/** A permission on a subresource of the node. */
export interface NodePermission {
  readonly verb: string;
  readonly node: string;
  readonly subresource: string;
}

/** Decides who callers are and what they may do. Both methods may reject when the API server cannot be asked. */
export interface Access {
  /** Returns undefined for a caller without valid credentials. */
  authenticate(request: ApiRequest): Promise<UserInfo | undefined>;
  isAllowed(user: UserInfo, permission: NodePermission): Promise<boolean>;
}

/** Returns the refusal of a request, with upstream's texts; undefined for one that is allowed. */
export async function refusal(
  access: Access,
  node: string,
  request: ApiRequest,
  segments: readonly string[],
  log: Logger,
): Promise<Answer | undefined> {
  const user = await access.authenticate(request).catch((error: unknown) => {
    log.warn("Cannot authenticate a caller of the kubelet", { error: errorText(error) });
    return undefined;
  });
  if (user === undefined) return text(401, "Unauthorized");
  const { verb, subresources } = attributesOf(request.method, segments);
  for (const subresource of subresources) {
    const who = `user=${user.name}, verb=${verb}, resource=nodes, subresource=${subresource}`;
    try {
      if (await access.isAllowed(user, { verb, node, subresource })) return undefined;
    } catch (error) {
      log.warn("Cannot authorize a caller of the kubelet", { error: errorText(error) });
      return text(500, `Authorization error (${who})`);
    }
  }
  const asked = `user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}]`;
  return text(403, `Forbidden (${asked})\n`);
}
