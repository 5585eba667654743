import { generateKeyPairSync } from "node:crypto";
import { registrations } from "../api/registrations.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import type { Env } from "../util/env.ts";
import { admissionPlugins } from "./admission/plugins.ts";
import { certificateAuthenticator, componentAuthenticator } from "./authn/caller.ts";
import { RbacAuthorizer } from "./authz/rbac.ts";
import { Codec } from "./resources/codec.ts";
import { ApiServer, type ApiServerOptions } from "./server.ts";

const keys = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

export const testAdmission = admissionPlugins({ serviceCIDR: "10.96.0.0/16" });

/** An API server as in a cluster, but over memory and without nodes. `others` replace its parts. */
export function testServer(env: Env, others: Partial<ApiServerOptions> = {}): ApiServer {
  const codec = others.codec ?? new Codec();
  return new ApiServer({
    store: new MemoryStore({ clock: env.clock, stamp: codec.stamp }),
    registrations,
    admission: testAdmission,
    authenticators: [componentAuthenticator, certificateAuthenticator],
    serviceAccountKeys: keys,
    authorizer: (services) => new RbacAuthorizer(services),
    nodes: () => undefined,
    ...others,
    env,
    codec,
  });
}
