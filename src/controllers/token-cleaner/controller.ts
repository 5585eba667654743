import {
  bootstrapTokenNamespace,
  bootstrapTokenType,
  expiryOf,
} from "../../api/core/secret/bootstrap-token.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";

/** Deletes expired bootstrap tokens (upstream `bootstrap/tokencleaner.go`). */
export function tokenCleaner(): Controller {
  return controller({
    name: "token-cleaner",
    for: secrets,
    fieldSelector: `type=${bootstrapTokenType}`,
    async reconcile({ namespace, name, cache, client, env }) {
      const secret = cache.get(secrets, namespace, name);
      const expiry = secret === undefined ? undefined : expiryOf(secret);
      if (expiry === undefined || namespace !== bootstrapTokenNamespace) return {};
      const leftMs = expiry - env.clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      const preconditions = { uid: secret?.metadata.uid ?? "" };
      // A conflict means that another Secret has the name.
      await ignoreGone(client.of(secrets, namespace).delete(name, { preconditions }), "Conflict");
      return {};
    },
  });
}
