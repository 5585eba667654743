import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { type Bed, inDefault, type Json, podBody, startBed } from "../server.suite.ts";

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
  test("makes its bearer that account, for an hour unless asked otherwise", async () => {
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
    await bed.clock.advance(3_601_000);
    expect(await review(body.status.token)).toMatchObject({ authenticated: false, error: "Unauthorized" });
    expect((await bed.get(pods, bearer(body.status.token))).body).toMatchObject({
      code: 401,
      message: "Unauthorized",
    });
  });

  test.each([
    [599, "may not specify a duration less than 10 minutes"],
    [2 ** 32 + 1, "may not specify a duration larger than 2^32 seconds"],
  ])("for %d seconds is not to be had", async (expirationSeconds, why) => {
    const { status, body } = await request({ expirationSeconds });
    expect(status).toBe(422);
    expect(body.message).toContain(why);
  });

  test("is checked by others with the keys that the server publishes", async () => {
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

  test("bound to a Pod says so, and ends with it", async () => {
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

  test("bound to a Secret ends with it, and to anything else is not to be had", async () => {
    await bed.make(secrets, { metadata: { name: "s" } });
    const token = await tokenOf({ boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "s" } });
    expect((await review(token)).authenticated).toBe(true);
    await bed.delete(`${secrets}/s`);
    expect((await review(token)).authenticated).toBe(false);
    expect((await request({ boundObjectRef: { kind: "ConfigMap", name: "c" } })).status).toBe(400);
    expect((await request({ boundObjectRef: { kind: "Pod", name: "none" } })).status).toBe(404);
  });

  test("ends with its account, also when another one takes the name", async () => {
    const token = await tokenOf();
    await bed.delete(`${accounts}/default`);
    expect((await review(token)).authenticated).toBe(false);
    await bed.make(accounts, { metadata: { name: "default" } });
    expect((await review(token)).authenticated).toBe(false);
  });

  test("for others is not for the API server", async () => {
    expect((await review(await tokenOf({ audiences: ["vault"] }))).authenticated).toBe(false);
  });

  test("that was tampered with, or is none, is refused", async () => {
    const token = await tokenOf();
    const [head = "", , signature = ""] = token.split(".");
    const forged = Buffer.from('{"sub":"system:serviceaccount:kube-system:admin"}').toString("base64url");
    const unsigned = Buffer.from('{"alg":"none","kid":"knarr"}').toString("base64url");
    for (const bad of [
      `${head}.${forged}.${signature}`,
      `${unsigned}.${forged}.`,
      `${token}x`,
      "nonsense",
      "a.b.c",
    ])
      expect((await bed.get("/version", bearer(bad))).status).toBe(401);
  });
});
