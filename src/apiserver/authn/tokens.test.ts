import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { type Bed, inDefault, type Json, podBody, startBed } from "../server.suite.ts";
import { issuer, ServiceAccountTokens, tokenForSecret } from "./service-account-tokens.ts";
import type { TokenKeyTexts } from "./token-keys.ts";

const accounts = inDefault("serviceaccounts");
const pods = inDefault("pods");
const secrets = inDefault("secrets");

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const request = (spec: object = {}) =>
  bed.post(`${accounts}/default/token`, { spec: { audiences: [], ...spec } });
const tokenOf = async (spec?: object): Promise<string> => (await request(spec)).body.status.token;
const review = async (token: string): Promise<Json> =>
  (await bed.make("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } })).status;
const bearer = (token: string) => ({
  caller: { type: "connection", address: "127.0.0.1" } as const,
  headers: { authorization: `Bearer ${token}` },
});

describe("a token of a ServiceAccount", () => {
  test("authenticates its bearer as that account, by default for an hour", async () => {
    const { status, body } = await request();
    expect(status).toBe(201);
    expect(body.status.expirationTimestamp).toBe("2026-01-01T01:00:00Z");
    expect(await review(body.status.token)).toMatchObject({
      authenticated: true,
      user: {
        username: "system:serviceaccount:default:default",
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      },
    });
    const { body: refused } = await bed.get(pods, bearer(body.status.token));
    expect(refused).toMatchObject({ code: 403, reason: "Forbidden" });
    await bed.clock.advance(3_659_000);
    expect(await review(body.status.token)).toMatchObject({ authenticated: true });
    // Clocks may differ by a minute.
    await bed.clock.advance(2_000);
    expect(await review(body.status.token)).toMatchObject({ authenticated: false, error: "Unauthorized" });
    expect((await bed.get(pods, bearer(body.status.token))).body).toMatchObject({
      code: 401,
      message: "Unauthorized",
    });
  });

  test.each([
    [599, "may not specify a duration less than 10 minutes"],
    [2 ** 32 + 1, "may not specify a duration larger than 2^32 seconds"],
  ])("for %d seconds is refused", async (expirationSeconds, why) => {
    const { status, body } = await request({ expirationSeconds });
    expect(status).toBe(422);
    expect(body.message).toContain(why);
  });

  test("can be verified with the keys that the server publishes", async () => {
    const read = async (path: string): Promise<Json> => JSON.parse((await bed.get(path)).body as string);
    const { issuer, jwks_uri } = await read("/.well-known/openid-configuration");
    const keys = await read(new URL(jwks_uri as string).pathname);
    const { payload } = await jwtVerify(await tokenOf(), createLocalJWKSet(keys as JSONWebKeySet), {
      issuer: issuer as string,
      currentDate: new Date(bed.clock.now()),
    });
    expect(payload.sub).toBe("system:serviceaccount:default:default");
    expect(keys.keys).toMatchObject([{ kty: "EC", crv: "P-256", use: "sig", alg: "ES256" }]);
    expect(keys.keys[0]).not.toHaveProperty("d");
  });

  test("bound to a Pod names the Pod, and ends with it", async () => {
    const { metadata } = await bed.make(pods, podBody("web"));
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "web", uid: metadata.uid };
    const token = await tokenOf({ boundObjectRef });
    expect((await review(token)).user.extra).toMatchObject({
      "authentication.kubernetes.io/pod-name": ["web"],
      "authentication.kubernetes.io/pod-uid": [metadata.uid],
    });
    await bed.delete(`${pods}/web`);
    expect((await review(token)).authenticated).toBe(false);
    await bed.make(pods, podBody("web"));
    expect((await review(token)).authenticated).toBe(false);
    expect((await request({ boundObjectRef })).status).toBe(409);
  });

  test("bound to a Secret ends with it, and bound to any other kind is refused", async () => {
    await bed.make(secrets, { metadata: { name: "s" } });
    const token = await tokenOf({ boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "s" } });
    expect((await review(token)).authenticated).toBe(true);
    await bed.delete(`${secrets}/s`);
    expect((await review(token)).authenticated).toBe(false);
    expect((await request({ boundObjectRef: { kind: "ConfigMap", name: "c" } })).status).toBe(400);
    expect((await request({ boundObjectRef: { kind: "Pod", name: "none" } })).status).toBe(404);
  });

  test("ends with its account, even when a new account takes the name", async () => {
    const token = await tokenOf();
    await bed.delete(`${accounts}/default`);
    expect((await review(token)).authenticated).toBe(false);
    await bed.make(accounts, { metadata: { name: "default" } });
    expect((await review(token)).authenticated).toBe(false);
  });

  test("bound to a Pod is valid for a minute after the Pod's deletion timestamp", async () => {
    const { metadata } = await bed.make(pods, podBody("web", { spec: { nodeName: "n1" } }));
    const token = await tokenOf({
      boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "web", uid: metadata.uid },
    });
    await bed.delete(`${pods}/web?gracePeriodSeconds=30`);
    await bed.clock.advance(89_000);
    expect((await review(token)).authenticated).toBe(true);
    await bed.clock.advance(2_000);
    expect((await review(token)).authenticated).toBe(false);
  });

  test("of a terminating account is valid for a minute", async () => {
    const token = await tokenOf();
    await bed.patch(`${accounts}/default`, { metadata: { finalizers: ["example.com/f"] } });
    await bed.delete(`${accounts}/default`);
    expect((await review(token)).authenticated).toBe(true);
    await bed.clock.advance(61_000);
    expect((await review(token)).authenticated).toBe(false);
  });

  test("bound to a Node ends with it, even when a new Node takes the name", async () => {
    const nodes = "/api/v1/nodes";
    const { metadata } = await bed.make(nodes, { metadata: { name: "n1" } });
    const token = await tokenOf({ boundObjectRef: { kind: "Node", apiVersion: "v1", name: "n1" } });
    expect((await review(token)).user.extra).toMatchObject({
      "authentication.kubernetes.io/node-name": ["n1"],
      "authentication.kubernetes.io/node-uid": [metadata.uid],
    });
    await bed.delete(`${nodes}/n1`);
    expect((await review(token)).authenticated).toBe(false);
    await bed.make(nodes, { metadata: { name: "n1" } });
    expect((await review(token)).authenticated).toBe(false);
  });

  test("bound to a Pod names the Pod's Node, even one that does not exist", async () => {
    await bed.make(pods, podBody("web", { spec: { nodeName: "n1" } }));
    const token = await tokenOf({ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "web" } });
    const { extra } = (await review(token)).user;
    expect(extra).toMatchObject({ "authentication.kubernetes.io/node-name": ["n1"] });
    expect(extra).not.toHaveProperty(["authentication.kubernetes.io/node-uid"]);
  });

  test("is for the account that the request names", async () => {
    const ask = (metadata: object) =>
      bed.post(`${accounts}/default/token`, { metadata, spec: { audiences: [] } });
    const { uid } = (await bed.get(`${accounts}/default`)).body.metadata;
    const { body } = await ask({ name: "default", namespace: "default", uid });
    expect(body.metadata).toMatchObject({ name: "default", namespace: "default", uid });
    expect(body.spec.audiences).toEqual(["https://kubernetes.default.svc.cluster.local"]);
    expect((await ask({ name: "other" })).body).toMatchObject({
      code: 422,
      message:
        'TokenRequest.authentication.k8s.io "default" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    });
    expect((await ask({ uid: "u" })).body).toMatchObject({ code: 409, reason: "Conflict" });
  });

  test("for another audience is not for the API server", async () => {
    expect((await review(await tokenOf({ audiences: ["vault"] }))).authenticated).toBe(false);
  });
});

describe("a token in a Secret", () => {
  const type = "kubernetes.io/service-account-token";
  const make = async (): Promise<string> => {
    const { uid } = (await bed.get(`${accounts}/default`)).body.metadata;
    const token = await tokenForSecret(
      bed.server.services.tokens.keys,
      "default",
      { name: "default", uid },
      "t",
    );
    const annotations = { "kubernetes.io/service-account.name": "default" };
    await bed.make(secrets, { metadata: { name: "t", annotations }, type, stringData: { token } });
    return token;
  };

  test("authenticates its bearer as the account, without expiry", async () => {
    const token = await make();
    await bed.clock.advance(365 * 86_400_000);
    expect(await review(token)).toMatchObject({
      authenticated: true,
      user: { username: "system:serviceaccount:default:default" },
    });
  });

  const lastUsed = async () =>
    (await bed.get(`${secrets}/t`)).body.metadata.labels?.["kubernetes.io/legacy-token-last-used"];

  test("is labelled with the day of its last use, even of one that is refused", async () => {
    const token = await make();
    expect(await lastUsed()).toBe(undefined);
    await review(token);
    expect(await lastUsed()).toBe("2026-01-01");
    const { resourceVersion } = (await bed.get(`${secrets}/t`)).body.metadata;
    await review(token);
    expect((await bed.get(`${secrets}/t`)).body.metadata.resourceVersion).toBe(resourceVersion);
    await bed.clock.advance(86_400_000);
    const labels = { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" };
    await bed.patch(`${secrets}/t`, { metadata: { labels } });
    expect((await review(token)).authenticated).toBe(false);
    expect(await lastUsed()).toBe("2026-01-02");
  });

  test("that was generated for its account warns", async () => {
    const token = await make();
    expect((await bed.get(pods, bearer(token))).warnings).toEqual([]);
    await bed.patch(`${accounts}/default`, { secrets: [{ name: "t" }] });
    expect((await bed.get(pods, bearer(token))).warnings).toEqual([
      '299 - "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."',
    ]);
  });

  test.each<readonly [string, () => Promise<unknown>]>([
    ["the Secret is deleted", () => bed.delete(`${secrets}/t`)],
    ["the Secret has another token", () => bed.patch(`${secrets}/t`, { stringData: { token: "other" } })],
    [
      "the Secret is marked as invalid",
      () =>
        bed.patch(`${secrets}/t`, {
          metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } },
        }),
    ],
    [
      "the Secret is terminating",
      async () => {
        await bed.patch(`${secrets}/t`, { metadata: { finalizers: ["example.com/f"] } });
        await bed.delete(`${secrets}/t`);
      },
    ],
    ["the account is deleted", () => bed.delete(`${accounts}/default`)],
    [
      "another account has the name",
      async () => {
        await bed.delete(`${accounts}/default`);
        await bed.make(accounts, { metadata: { name: "default" } });
      },
    ],
  ])("no longer, once %s", async (_, change) => {
    const token = await make();
    expect((await review(token)).authenticated).toBe(true);
    await change();
    expect((await review(token)).authenticated).toBe(false);
  });
});

describe("keys", () => {
  const pair = () =>
    generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
  const tokensWith = (keys: TokenKeyTexts) => new ServiceAccountTokens(bed.server.services, keys);
  const issueWith = async (tokens: ServiceAccountTokens) => {
    const { uid } = (await bed.get(`${accounts}/default`)).body.metadata;
    const serviceAccount = { name: "default", uid };
    const audiences = [issuer];
    return (await tokens.issue({ namespace: "default", serviceAccount, audiences, expirationSeconds: 600 }))
      .token;
  };
  const accepts = (tokens: ServiceAccountTokens, token: string) =>
    tokens.authenticate(bearer(token)).then(
      () => true,
      () => false,
    );

  test("are rotated while tokens of the old one stay valid", async () => {
    const [old, next] = [pair(), pair()];
    const token = await issueWith(tokensWith(old));
    const rotated = tokensWith({ privateKey: next.privateKey, publicKey: next.publicKey + old.publicKey });
    expect(await accepts(rotated, token)).toBe(true);
    expect(await accepts(rotated, await issueWith(rotated))).toBe(true);
    expect(await accepts(tokensWith(next), token)).toBe(false);
    expect(rotated.keys.published).toHaveLength(2);
  });

  test("are named by a digest of their DER form", async () => {
    const keys = pair();
    const der = createPublicKey(keys.publicKey).export({ type: "spki", format: "der" });
    const kid = createHash("sha256").update(der).digest("base64url");
    expect(decodeProtectedHeader(await issueWith(tokensWith(keys)))).toEqual({ alg: "ES256", kid });
  });

  test("may be RSA", async () => {
    const keys = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const tokens = tokensWith(keys);
    expect(await accepts(tokens, await issueWith(tokens))).toBe(true);
  });

  test("sign nothing by another algorithm: neither none nor a digest with the public key as its secret", async () => {
    const { verifying } = bed.server.services.tokens.keys;
    const [{ kid, key } = { kid: "", key: undefined }] = verifying;
    const { uid } = (await bed.get(`${accounts}/default`)).body.metadata;
    const claims = { "kubernetes.io": { namespace: "default", serviceaccount: { name: "default", uid } } };
    const secret = Buffer.from(key?.export({ type: "spki", format: "pem" }) ?? "");
    for (const header of [{ alg: "HS256", kid }, { alg: "HS256" }]) {
      const unsigned = new SignJWT(claims).setProtectedHeader(header).setIssuer(issuer).setAudience(issuer);
      expect((await bed.get("/version", bearer(await unsigned.sign(secret)))).status).toBe(401);
    }
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const none = `${encode({ alg: "none", kid })}.${encode({ ...claims, iss: issuer, aud: issuer })}.`;
    expect((await bed.get("/version", bearer(none))).status).toBe(401);
  });
});

describe("credentials", () => {
  const status = async (authorization: string) =>
    (await bed.get("/version", { ...bearer(""), headers: { authorization } })).status;

  test("are read as upstream reads them", async () => {
    const token = await tokenOf();
    for (const good of [`Bearer ${token}`, `bearer ${token}`, `  Bearer ${token}  `, `Bearer ${token} more`])
      expect([good, await status(good)]).toEqual([good, 403]);
    for (const bad of ["Bearer a b", "Bearer nonsense", `Bearer x${token}`, `Bearer ${"a".repeat(100_000)}`])
      expect([bad, await status(bad)]).toEqual([bad, 401]);
    // No bearer token: anonymous. A token after two spaces is empty.
    const who = async (authorization: string) =>
      (await bed.get(pods, { ...bearer(""), headers: { authorization } })).body.message;
    for (const none of ["", "Bearer", `Bearer  ${token}`, `Bearer\t${token}`, `Basic ${token}`])
      expect(await who(none)).toContain("system:anonymous");
  });

  test("are reviewed for the requested audiences, and no others", async () => {
    const reviewFor = async (token: string, audiences: readonly string[]): Promise<Json> =>
      (await bed.make("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, audiences } })).status;
    const vault = await tokenOf({ audiences: ["vault", "other"] });
    expect(await reviewFor(vault, ["vault", "third"])).toMatchObject({
      authenticated: true,
      audiences: ["vault"],
    });
    expect(await reviewFor(vault, ["third"])).toMatchObject({ authenticated: false });
    expect(await reviewFor(await tokenOf(), ["vault"])).toMatchObject({ authenticated: false });
    const empty = await bed.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "" } });
    expect(empty.body).toMatchObject({
      code: 400,
      message: "token is required for TokenReview in authentication",
    });
  });

  const certified = (commonName: string, token = "") => ({
    ...(token === "" ? {} : { headers: { authorization: `Bearer ${token}` } }),
    caller: {
      type: "connection",
      address: "127.0.0.1",
      certificate: { commonName, organizations: ["system:masters"], fingerprint: "f" },
    } as const,
  });

  test("of a certificate without a common name are anonymous", async () => {
    expect((await bed.get(pods, certified("boss"))).status).toBe(200);
    expect((await bed.get(pods, certified(""))).body.message).toContain('User "system:anonymous"');
    expect((await bed.get(pods, certified("", await tokenOf()))).body.message).toContain(
      'User "system:serviceaccount:default:default"',
    );
  });

  test("that are invalid are refused, unless the request also has valid ones", async () => {
    const caller = { type: "connection", address: "127.0.0.1", certificate: "rejected" } as const;
    expect((await bed.get(pods, { caller })).status).toBe(401);
    expect((await bed.get(pods, { ...bearer(await tokenOf()), caller })).status).toBe(403);
    expect((await bed.get(pods, certified("boss", "nonsense"))).status).toBe(200);
  });
});
