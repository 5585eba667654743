import { decodeProtectedHeader, errors as joseErrors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Secret } from "../../api/core/secret/schema.ts";
import { errors } from "../../meta/status.ts";
import { uuid } from "../../util/random.ts";
import type { Authenticator, Credentials, Identity } from "./authenticator.ts";
import { bearerToken } from "./bearer-token.ts";
import {
  type BoundReference,
  boundUser,
  type KubernetesClaims,
  leewayMs,
  legacyClaims,
  legacyUse,
  type Reads,
  userName,
} from "./token-claims.ts";
import { type TokenKey, TokenKeys, type TokenKeyTexts } from "./token-keys.ts";

/** The properties of a requested token. */
export interface TokenOptions {
  readonly namespace: string;
  readonly serviceAccount: BoundReference;
  /** The token becomes invalid when this object is deleted. */
  readonly boundTo?: BoundReference & { readonly kind: "Pod" | "Secret" | "Node" };
  readonly node?: BoundReference;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/** The issuer of tokens, and the audience of tokens for the API server. */
export const issuer = "https://kubernetes.default.svc.cluster.local";
/** The issuer of the tokens in Secrets. */
const legacyIssuer = "kubernetes/serviceaccount";

/**
 * Returns the token for a Secret of type `kubernetes.io/service-account-token`: it is valid as long as the Secret
 * exists.
 */
export function tokenForSecret(
  keys: TokenKeys,
  namespace: string,
  account: Required<BoundReference>,
  secretName: string,
): Promise<string> {
  const unsigned = new SignJWT(legacyClaims(namespace, account, secretName))
    .setIssuer(legacyIssuer)
    .setSubject(userName(namespace, account.name));
  return sign(unsigned, keys.signing);
}

function sign(unsigned: SignJWT, { alg, kid, key }: TokenKey): Promise<string> {
  return unsigned.setProtectedHeader({ alg, kid }).sign(key);
}

const generatedWarning =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";

/** Records that the token in a Secret is used. Never rejects. */
export type RecordUse = (secret: Secret) => Promise<void>;

/** Issues and verifies the tokens of ServiceAccounts (KEP-1205). */
export class ServiceAccountTokens implements Authenticator {
  readonly name = "service-account";
  readonly keys: TokenKeys;
  readonly #services: Reads;
  readonly #recordUse: RecordUse;

  constructor(services: Reads, keys: TokenKeyTexts, recordUse: RecordUse = async () => {}) {
    this.#services = services;
    this.#recordUse = recordUse;
    this.keys = new TokenKeys(keys);
  }

  /** Returns a signed token and its expiry, in milliseconds since the epoch. */
  async issue(options: TokenOptions): Promise<{ token: string; expiresAt: number }> {
    const { namespace, serviceAccount, boundTo, node, audiences, expirationSeconds } = options;
    const { clock, random } = this.#services.env;
    const issuedAt = Math.floor(clock.now() / 1000);
    const bound =
      boundTo === undefined ? {} : { [boundTo.kind.toLowerCase()]: { name: boundTo.name, uid: boundTo.uid } };
    const claims: KubernetesClaims = {
      namespace,
      serviceaccount: serviceAccount,
      ...(node === undefined ? {} : { node }),
      ...bound,
    };
    const unsigned = new SignJWT({ "kubernetes.io": claims })
      .setIssuer(issuer)
      .setSubject(userName(namespace, serviceAccount.name))
      .setAudience([...audiences])
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(issuedAt + expirationSeconds)
      .setJti(uuid(random));
    return {
      token: await sign(unsigned, this.keys.signing),
      expiresAt: (issuedAt + expirationSeconds) * 1000,
    };
  }

  async authenticate({ headers, audiences = [issuer] }: Credentials): Promise<Identity | undefined> {
    const token = bearerToken(headers);
    if (token === undefined) return undefined;
    const payload = await this.#verified(token);
    // The tokens in Secrets have no audience: they are for the API server.
    const { aud = [issuer] } = payload;
    const own = typeof aud === "string" ? [aud] : aud;
    const common = audiences.filter((one) => own.includes(one));
    if (common.length === 0) throw errors.unauthorized();
    if (payload.iss === issuer) return { user: boundUser(this.#services, payload), audiences: common };
    const { user, secret, isInvalidated, isGenerated } = legacyUse(this.#services, payload, token);
    await this.#recordUse(secret);
    if (isInvalidated) throw errors.unauthorized();
    return { user, audiences: common, warnings: isGenerated ? [generatedWarning] : [] };
  }

  /** @throws StatusError 401 for a token that this cluster does not accept at present. */
  async #verified(token: string): Promise<JWTPayload> {
    for (const key of this.keys.named(keyIdOf(token))) {
      const payload = await this.#verifiedBy(key, token);
      if (payload !== undefined) return payload;
    }
    throw errors.unauthorized();
  }

  async #verifiedBy({ key, alg }: TokenKey, token: string): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, {
        issuer: [issuer, legacyIssuer],
        algorithms: [alg],
        currentDate: new Date(this.#services.env.clock.now()),
        clockTolerance: leewayMs / 1000,
      });
      return payload;
    } catch (error) {
      if (error instanceof joseErrors.JOSEError || error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

/** @throws StatusError 401 for a malformed token. */
function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    throw errors.unauthorized();
  }
}
