import { describe, expect, test } from "vitest";
import { parseReference } from "./reference.ts";
import { registrySource } from "./registry.ts";

const failing = (cause: unknown) => () => Promise.reject(new TypeError("fetch failed", { cause }));
const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

test.each([
  [coded("getaddrinfo ENOTFOUND registry.example", "ENOTFOUND"), "getaddrinfo ENOTFOUND registry.example"],
  [coded("certificate has expired", "CERT_HAS_EXPIRED"), "CERT_HAS_EXPIRED: certificate has expired"],
  [
    new AggregateError([coded("connect ECONNREFUSED ::1:5000", "ECONNREFUSED"), new Error("other")]),
    "connect ECONNREFUSED ::1:5000",
  ],
  [undefined, "fetch failed"],
])("a registry that cannot be reached is reported with the cause (%s)", async (cause, text) => {
  const source = registrySource(parseReference("registry.example/app:v1"), failing(cause));
  await expect(source.plan()).rejects.toThrow(new Error(`cannot reach the registry: ${text}`));
});

describe("a registry that wants credentials", () => {
  const me = { username: "me", password: "p:w" };
  const login = `Basic ${Buffer.from("me:p:w").toString("base64")}`;

  /** Answers with a manifest when the authorization is accepted. Returns each request's place and authorization. */
  async function plan(challenge: string, accepted: string, credentials?: typeof me, image = "r.test/app:v1") {
    const seen: string[] = [];
    const fetch = async (input: string | URL | Request, init?: RequestInit) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const authorization = new Headers(init?.headers).get("authorization") ?? "-";
      seen.push(`${url.origin}${url.pathname.startsWith("/v2/") ? "" : url.search} ${authorization}`);
      if (url.pathname === "/token") return Response.json({ token: authorization === login ? "own" : "any" });
      if (authorization === accepted) return Response.json({ layers: [], config: {} });
      return new Response("", { status: 401, headers: { "www-authenticate": challenge } });
    };
    const failure = await registrySource(parseReference(image), fetch, credentials)
      .plan()
      .then(
        () => "",
        (error: unknown) => String(error),
      );
    return { seen, failure };
  }

  test("gets them only after it has asked, by name and password", async () => {
    const { seen } = await plan('Basic realm="r"', login, me);
    expect(seen.slice(0, 2)).toEqual(["https://r.test -", `https://r.test ${login}`]);
    expect((await plan('Basic realm="r"', login)).failure).toContain("the registry wants credentials");
  });

  test("gets a token that the credentials were exchanged for; without them, an anonymous one", async () => {
    const challenge = 'Bearer realm="https://auth.test/token",service="s"';
    expect((await plan(challenge, "Bearer own", me)).seen.slice(0, 3)).toEqual([
      "https://r.test -",
      `https://auth.test?service=s ${login}`,
      "https://r.test Bearer own",
    ]);
    expect((await plan(challenge, "Bearer any")).seen[1]).toBe("https://auth.test?service=s -");
  });

  test("gets no password for a place that is not secure, unless the registry is there itself", async () => {
    const challenge = (host: string) => `Bearer realm="http://${host}/token"`;
    const { seen, failure } = await plan(challenge("auth.test"), "Bearer own", me);
    expect([seen, failure]).toEqual([["https://r.test -"], expect.stringContaining("is not secure")]);
    const local = await plan(challenge("127.0.0.1:5000"), "Bearer own", me, "127.0.0.1:5000/app:v1");
    expect(local.seen[1]).toBe(`http://127.0.0.1:5000 ${login}`);
  });
});
