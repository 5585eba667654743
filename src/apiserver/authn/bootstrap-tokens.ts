import {
  bootstrapGroups,
  bootstrapSecretName,
  bootstrapTokenNamespace,
  bootstrapTokenType,
  isExpired,
  textOf,
} from "../../api/core/secret/bootstrap-token.ts";
import { type Secret, secrets } from "../../api/core/secret/schema.ts";
import { errors } from "../../meta/status.ts";
import type { Authenticator, Credentials, Identity } from "./authenticator.ts";
import { bearerToken } from "./bearer-token.ts";
import { issuer } from "./service-account-tokens.ts";
import { isSame, read, type Reads } from "./token-claims.ts";

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

/**
 * Authenticates by the bootstrap tokens in Secrets of `kube-system` (upstream
 * `plugin/pkg/auth/authenticator/token/bootstrap`). A bearer is the user `system:bootstrap:<id>` in the group
 * `system:bootstrappers`.
 */
export class BootstrapTokens implements Authenticator {
  readonly name = "bootstrap-token";
  readonly #services: Reads;

  constructor(services: Reads) {
    this.#services = services;
  }

  authenticate({ headers, audiences = [issuer] }: Credentials): Identity | undefined {
    const [, id, token] = form.exec(bearerToken(headers) ?? "") ?? [];
    if (id === undefined || token === undefined) return undefined;
    const secret: Secret | undefined = read(
      this.#services,
      secrets,
      bootstrapTokenNamespace,
      bootstrapSecretName(id),
    );
    const groups = secret === undefined ? undefined : bootstrapGroups(secret);
    // The tokens have no audience: they are for the API server.
    const common = audiences.filter((one) => one === issuer);
    const holds = secret !== undefined && this.#holds(secret, id, token);
    if (!holds || groups === undefined || common.length === 0) throw errors.unauthorized();
    return { user: { name: `system:bootstrap:${id}`, groups }, audiences: common };
  }

  #holds(secret: Secret, id: string, token: string): boolean {
    return (
      secret.type === bootstrapTokenType &&
      secret.metadata.deletionTimestamp === undefined &&
      isSame(Buffer.from(textOf(secret, "token-secret")), Buffer.from(token)) &&
      textOf(secret, "token-id") === id &&
      textOf(secret, "usage-bootstrap-authentication") === "true" &&
      !isExpired(secret, this.#services.env.clock.now())
    );
  }
}
