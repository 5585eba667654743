import { createHmac } from "node:crypto";
import type { ConfigMap } from "../../api/core/config-map/schema.ts";
import { bootstrapSecretName, isExpired, textOf } from "../../api/core/secret/bootstrap-token.ts";
import type { Secret } from "../../api/core/secret/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";

const contentKey = "kubeconfig";
const signaturePrefix = "jws-kubeconfig-";
const tokenId = /^[a-z0-9]{6}$/;

/**
 * Plans the data of the ConfigMap `cluster-info`: its kubeconfig with a signature for each token that may sign.
 * Returns undefined when nothing changes.
 */
export function planSignatures(
  { data = {} }: ConfigMap,
  secrets: readonly Secret[],
  now: number,
): Readonly<Record<string, string>> | undefined {
  const content = data[contentKey];
  if (content === undefined) return undefined;
  const others = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  const signatures = secrets
    .filter((secret) => maySign(secret, now))
    .map((secret) => {
      const id = textOf(secret, "token-id");
      return [signaturePrefix + id, detachedSignature(content, id, textOf(secret, "token-secret"))] as const;
    });
  const next = Object.fromEntries([...others, ...signatures]);
  return deepEqual(next, data) ? undefined : next;
}

function maySign(secret: Secret, now: number): boolean {
  const id = textOf(secret, "token-id");
  return (
    tokenId.test(id) &&
    secret.metadata.name === bootstrapSecretName(id) &&
    textOf(secret, "token-secret") !== "" &&
    textOf(secret, "usage-bootstrap-signing") === "true" &&
    !isExpired(secret, now)
  );
}

/** A JWS in compact form without its content (RFC 7515, appendix F), signed with the token's secret part. */
function detachedSignature(content: string, id: string, secret: string): string {
  const encode = (text: string) => Buffer.from(text).toString("base64url");
  const header = encode(JSON.stringify({ alg: "HS256", kid: id }));
  const hmac = createHmac("sha256", secret).update(`${header}.${encode(content)}`);
  return `${header}..${hmac.digest("base64url")}`;
}
