import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { decodeProtectedHeader, errors as joseErrors, jwtVerify, SignJWT } from "jose";
import type { KubeObject } from "../../meta/kind.ts";
import type { ApiRequest, UserInfo } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import { uuid } from "../../util/random.ts";
import type { Services } from "../services.ts";
import type { Authenticator } from "./authenticator.ts";

/** What a token says besides JWT's own claims (upstream `serviceaccount/claims.go`). */
interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: BoundReference;
  readonly pod?: BoundReference;
  readonly secret?: BoundReference;
  readonly node?: BoundReference;
}

interface BoundReference {
  readonly name: string;
  readonly uid: string;
}

/** What a token is asked for. */
export interface TokenOptions {
  readonly namespace: string;
  readonly serviceAccount: BoundReference;
  /** The token lives no longer than this object. */
  readonly boundTo?: BoundReference & { readonly kind: "Pod" | "Secret" | "Node" };
  readonly node?: BoundReference;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

export const issuer = "https://kubernetes.default.svc.cluster.local";

/** The key's name in token headers: there is one key. */
const keyId = "knarr";

type Reads = Pick<Services, "env" | "store" | "codec">;

/** Issues and checks the tokens of ServiceAccounts (KEP-1205). */
export class ServiceAccountTokens implements Authenticator {
  readonly name = "service-account";
  readonly #services: Reads;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;

  constructor(services: Reads, keys: { readonly privateKey: string; readonly publicKey: string }) {
    this.#services = services;
    this.#privateKey = createPrivateKey(keys.privateKey);
    this.#publicKey = createPublicKey(keys.publicKey);
  }

  /** What checks a token's signature, as a JSON Web Key (RFC 7517). */
  get publicKey(): object {
    return { use: "sig", kid: keyId, alg: "ES256", ...this.#publicKey.export({ format: "jwk" }) };
  }

  /** A signed token and the moment of its end, in milliseconds since the epoch. */
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
    const token = await new SignJWT({ "kubernetes.io": claims })
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .setIssuer(issuer)
      .setSubject(userName(namespace, serviceAccount.name))
      .setAudience(audiences.length === 0 ? [issuer] : [...audiences])
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(issuedAt + expirationSeconds)
      .setJti(uuid(random))
      .sign(this.#privateKey);
    return { token, expiresAt: (issuedAt + expirationSeconds) * 1000 };
  }

  async authenticate({ headers }: ApiRequest): Promise<UserInfo | undefined> {
    const token = /^Bearer\s+(\S+)$/i.exec(headers["authorization"] ?? "")?.[1];
    if (token === undefined) return undefined;
    try {
      if (decodeProtectedHeader(token).kid !== keyId) throw errors.unauthorized();
      const { payload } = await jwtVerify(token, this.#publicKey, {
        issuer,
        audience: issuer,
        algorithms: ["ES256"],
        currentDate: new Date(this.#services.env.clock.now()),
      });
      return this.#userOf(payload["kubernetes.io"] as KubernetesClaims, payload.jti ?? "");
    } catch (error) {
      if (error instanceof joseErrors.JOSEError || error instanceof TypeError) throw errors.unauthorized();
      throw error;
    }
  }

  /** The token's account and whatever it is bound to must still be the very ones that it was made for. */
  #userOf(claims: KubernetesClaims, id: string): UserInfo {
    const { namespace, serviceaccount, pod, secret, node } = claims;
    this.#mustExist(`/registry/serviceaccounts/${namespace}/`, serviceaccount);
    if (pod !== undefined) this.#mustExist(`/registry/pods/${namespace}/`, pod);
    if (secret !== undefined) this.#mustExist(`/registry/secrets/${namespace}/`, secret);
    const prefix = "authentication.kubernetes.io";
    const extra: Record<string, readonly string[]> = { [`${prefix}/credential-id`]: [`JTI=${id}`] };
    if (pod !== undefined) {
      extra[`${prefix}/pod-name`] = [pod.name];
      extra[`${prefix}/pod-uid`] = [pod.uid];
    }
    if (node !== undefined) {
      extra[`${prefix}/node-name`] = [node.name];
      extra[`${prefix}/node-uid`] = [node.uid];
    }
    return {
      name: userName(namespace, serviceaccount.name),
      uid: serviceaccount.uid,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
      extra,
    };
  }

  #mustExist(prefix: string, { name, uid }: BoundReference): void {
    const { store, codec } = this.#services;
    const entry = store.read(prefix + name);
    const object: KubeObject | undefined = entry === undefined ? undefined : codec.decode(entry);
    if (object?.metadata.uid !== uid || object.metadata.deletionTimestamp !== undefined)
      throw errors.unauthorized();
  }
}

function userName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
