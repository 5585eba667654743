import { expect, test } from "vitest";
import { useHttpsServer } from "../apiserver/https-server.suite.ts";
import { accept } from "./wire.suite.ts";

const server = useHttpsServer();

const ofVersion = (version: string) => `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`;

test("/openapi/v3 lists each document, which may be cached for ever under its URL", async () => {
  const { send } = server();
  const { paths } = (await send("GET", "/openapi/v3")).json;
  const names = Object.keys(paths);
  for (const name of ["api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "version"])
    expect(names).toContain(name);
  for (const [name, { serverRelativeURL: url }] of Object.entries<{ serverRelativeURL: string }>(paths)) {
    const { code, headers, json } = await send("GET", url, accept("application/json"));
    expect([url, code]).toEqual([url, 200]);
    expect(url).toBe(`/openapi/v3/${name}?hash=${headers["etag"]?.slice(1, -1)}`);
    expect(url).toMatch(/\?hash=[0-9A-F]{128}$/);
    expect(headers).toMatchObject({ vary: "Accept", "cache-control": "public, immutable" });
    expect(json.openapi).toBe("3.0.0");
  }
});

test("a URL with another hash is answered with 301 to the present one, which revalidates", async () => {
  const { send } = server();
  const moved = await send("GET", "/openapi/v3/apis/apps/v1?hash=0123");
  expect(moved).toMatchObject({ code: 301, text: "" });
  const location = moved.headers["location"] ?? "";
  const found = await send("GET", location);
  expect(found.code).toBe(200);
  const again = await send("GET", location, { headers: { "if-none-match": found.headers["etag"] ?? "" } });
  expect(again).toMatchObject({ code: 304, text: "" });
});

test.each([
  ["/openapi/v2", "*/*", 200, "application/json"],
  ["/openapi/v2", "application/json", 200, "application/json"],
  ["/openapi/v2", ofVersion("v2"), 200, ofVersion("v2").replace("@", ".")],
  ["/openapi/v3/apis/apps/v1", ofVersion("v3"), 200, ofVersion("v3").replace("@", ".")],
  ["/openapi/v3/apis/apps/v1", ofVersion("v2"), 406, "application/json"],
  ["/openapi/v3/apis/none/v1", "application/json", 404, "application/json"],
  ["/openapi/v1", "application/json", 404, "application/json"],
])("%s for %s: %d, %s", async (path, type, code, contentType) => {
  const answer = await server().send("GET", path, accept(type));
  expect([answer.code, answer.headers["content-type"]]).toEqual([code, contentType]);
  expect(answer.text.length).toBeGreaterThan(100);
});

test("v2 revalidates in each of its forms", async () => {
  const { send } = server();
  for (const type of ["application/json", ofVersion("v2")]) {
    const { headers } = await send("GET", "/openapi/v2", accept(type));
    expect(headers["vary"]).toBe("Accept");
    const again = await send("GET", "/openapi/v2", {
      headers: { accept: type, "if-none-match": headers["etag"] ?? "" },
    });
    expect(again).toMatchObject({ code: 304, text: "" });
  }
});
