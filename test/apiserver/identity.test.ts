import { beforeAll, describe, expect, test } from "vitest";
import { addNamespace, admin } from "../../src/apiserver/server.suite.ts";
import { Client } from "../../src/client/client.ts";
import { InProcessTransport } from "../../src/client/in-process.ts";
import { reconcileBootstrapPolicy } from "../../src/cluster/bootstrap-policy/reconcile.ts";
import { ensurePki, type Pki } from "../../src/cluster/pki.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";
import { send } from "../http-call.ts";
import { useHttpsServer } from "./https-server.suite.ts";

const server = useHttpsServer();
let strangers: Pki;
beforeAll(async () => {
  const { bed } = server();
  for (const name of ["kube-system", "kube-public"]) await addNamespace(bed, name);
  await reconcileBootstrapPolicy(new Client(new InProcessTransport(bed.server.handle, admin)));
  await bed.clock.settle();
  const env = { clock: systemClock, random: systemRandom, log: silentLogger };
  strangers = await ensurePki({ env, directory: undefined, serverNames: ["localhost"] });
});

describe("a client certificate", () => {
  const review = { headers: { "content-type": "application/json" }, body: '{"kind":"SelfSubjectReview"}' };
  const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

  test("authenticates as the user that it names", async () => {
    const { json } = await server().send("POST", whoAmI, review);
    expect(json.status.userInfo).toMatchObject({
      username: "kubernetes-admin",
      groups: ["system:masters", "system:authenticated"],
    });
    expect(json.status.userInfo.extra["authentication.kubernetes.io/credential-id"]).toEqual([
      expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/),
    ]);
  });

  test("of another authority is refused, even where anonymous users may read", async () => {
    const { open } = server();
    const session = open(strangers.admin);
    for (const path of ["/api/v1/secrets", "/version", "/readyz"])
      expect((await send(session, "GET", path)).json).toMatchObject({
        code: 401,
        reason: "Unauthorized",
        message: "Unauthorized",
      });
  });
});

describe("an anonymous user", () => {
  test.each([
    ["/version", 200],
    ["/healthz", 200],
    ["/livez", 200],
    ["/readyz", 200],
    ["/api", 403],
    ["/apis", 403],
    ["/api/v1/namespaces", 403],
    ["/api/v1/namespaces/default/secrets", 403],
    ["/openapi/v2", 403],
    ["/openapi/v3", 403],
    ["/metrics", 403],
    ["/nowhere", 403],
  ])("GET %s: %d", async (path, code) => {
    const { open } = server();
    const answer = await send(open(), "GET", path);
    expect(answer.code).toBe(code);
    if (code === 403) expect(answer.json.message).toContain('User "system:anonymous" cannot ');
  });

  test("gets 401 for an invalid token", async () => {
    const { open } = server();
    const answer = await send(open(), "GET", "/version", { headers: { authorization: "Bearer nonsense" } });
    expect(answer.json).toMatchObject({ code: 401, reason: "Unauthorized" });
  });
});

describe("health checks", () => {
  test.each(["healthz", "livez", "readyz"])(
    "%s answers ok, and lists its checks on request",
    async (name) => {
      const { send: ask } = server();
      expect(await ask("GET", `/${name}`)).toMatchObject({ code: 200, text: "ok" });
      const verbose = await ask("GET", `/${name}?verbose`);
      expect(verbose.text).toBe(`[+]ping ok\n[+]store ok\n[+]watch-cache ok\n${name} check passed\n`);
      const excluding = await ask("GET", `/${name}?verbose&exclude=store`);
      expect(excluding.text).toContain("[+]store excluded: ok\n");
      expect(await ask("GET", `/${name}/ping`)).toMatchObject({ code: 200, text: "ok" });
      expect((await ask("GET", `/${name}/none`)).code).toBe(404);
    },
  );
});

describe("every answer", () => {
  test("has an audit ID and is not cached", async () => {
    const { headers } = await server().send("GET", "/version");
    expect(headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers["cache-control"]).toBe("no-cache, private");
  });

  test("is indented for curl", async () => {
    const { text } = await server().send("GET", "/api/v1/namespaces/default", {
      headers: { "user-agent": "curl/8" },
    });
    expect(text).toMatch(/^\{\n {2}"/);
  });
});
