import type { LookupFunction } from "node:net";
import { describe, expect, test } from "vitest";
import { guardedLookup, isGlobalUnicast } from "./global-unicast.ts";
import { backendHeaders, clientHeaders, rewriteLocation } from "./headers.ts";
import { parseProxyName } from "./name.ts";
import { divide } from "./path.ts";

test.each([
  ["10.0.0.1", true],
  ["192.168.1.1", true],
  ["fd00::1", true],
  ["127.0.0.1", false],
  ["127.8.8.8", false],
  ["0.0.0.0", false],
  ["169.254.169.254", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::1", false],
  ["::", false],
  ["fe80::1", false],
  ["ff02::1", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:169.254.169.254", false],
  ["::ffff:10.0.0.1", true],
  ["localhost", false],
  ["", false],
])("the address %s may be proxied to: %j", (address, allowed) => {
  expect(isGlobalUnicast(address)).toBe(allowed);
});

test.each([
  [["10.0.0.1"], null],
  [["10.0.0.1", "127.0.0.1"], "address not allowed"],
  [["::1"], "address not allowed"],
])("a name with the addresses %j is looked up with the error %j", (addresses, message) => {
  const lookup: LookupFunction = (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  let found: Error | null | undefined;
  guardedLookup(lookup)("name", { all: true }, (error) => (found = error));
  expect(found?.message ?? null).toBe(message);
});

const prefix = "/api/v1/namespaces/default/pods/web/proxy";

test.each([
  ["", ""],
  ["/", "/"],
  ["/a/b", "/a/b"],
  ["/a/b/", "/a/b/"],
  ["//a///b", "/a/b"],
  ["/../../secrets", "/secrets"],
  ["/a/%2e%2E/b", "/b"],
  ["/a/..", "/"],
  ["/a/./b/.", "/a/b/"],
  ["/a%2fb", "/a%2fb"],
  ["/proxy/pods/x", "/proxy/pods/x"],
])("the path %j is %j at the backend", (path, rest) => {
  expect(divide(`${prefix}${path}`, true)).toEqual({ prefix, rest });
});

test.each([["/a b"], ["/a\r\nhost: evil"], ["/\u0000"], ["/ä"]])("the path %j is refused", (path) => {
  expect(() => divide(`${prefix}${path}`, true)).toThrow("invalid path");
});

test.each([
  ["web", { isTls: false, name: "web", port: "" }],
  ["web:http", { isTls: false, name: "web", port: "http" }],
  ["https:web:443", { isTls: true, name: "web", port: "443" }],
  ["http:web:", { isTls: false, name: "web", port: "" }],
])("the name %s is read", (id, expected) => {
  expect(parseProxyName("pod", id)).toEqual(expected);
});

test.each([["ftp:web:80"], [":80"], ["a:b:c:d"], ["HTTPS:web:1"]])("the name %s is refused", (id) => {
  expect(() => parseProxyName("service", id)).toThrow(`invalid service request "${id}"`);
});

describe("headers for a backend", () => {
  const forwarding = { path: "/a/", prefix, isUpgrade: false };
  const of = (headers: Record<string, string>, isUpgrade = false) =>
    backendHeaders(
      { headers, caller: { type: "connection", address: "10.1.2.3" } },
      { ...forwarding, isUpgrade },
    );

  test("contain neither credentials nor headers of the connection", () => {
    const headers = {
      ":authority": "api:6443",
      ":path": "/x",
      accept: "*/*",
      authorization: "Bearer secret",
      connection: "keep-alive, X-Private",
      cookie: "a=b",
      "impersonate-user": "root",
      "impersonate-extra-scopes": "x",
      "keep-alive": "timeout=5",
      "proxy-authorization": "Basic x",
      te: "trailers",
      "transfer-encoding": "chunked",
      "content-length": "3",
      "x-forwarded-for": "10.9.9.9",
      "x-private": "1",
    };
    expect(of(headers)).toEqual({
      accept: "*/*",
      cookie: "a=b",
      host: "api:6443",
      "x-forwarded-for": "10.9.9.9, 10.1.2.3",
      "x-forwarded-uri": `${prefix}/a/`,
    });
  });

  test("request the upgrade, without a token among the protocols", () => {
    const token = "base64url.bearer.authorization.k8s.io.c2VjcmV0";
    const headers = {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-protocol": `${token}, chat`,
    };
    expect(of(headers, true)).toEqual({
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-protocol": "chat",
      "x-forwarded-for": "10.1.2.3",
    });
  });
});

test("headers of an answer contain neither CORS nor headers of the connection", () => {
  const headers = {
    connection: "close, x-hop",
    "x-hop": "1",
    "transfer-encoding": "chunked",
    "access-control-allow-origin": "*",
    "content-type": "text/html",
    "set-cookie": ["a=1", "b=2"],
  };
  expect(clientHeaders(headers, undefined)).toEqual({ "content-type": "text/html" });
});

test.each([
  ["/login", `${prefix}/login`],
  ["/login/?next=%2F#top", `${prefix}/login/?next=%2F#top`],
  ["http://10.0.0.9:80/login", `${prefix}/login`],
  ["//10.0.0.9:80/login", `${prefix}/login`],
  ["https://api:6443/login", `https://api:6443${prefix}/login`],
  [`${prefix}/login`, `${prefix}/login`],
  ["login", "login"],
  ["?a=b", "?a=b"],
  ["https://example.com/login", "https://example.com/login"],
])("a redirect to %s leads to %s", (location, expected) => {
  expect(rewriteLocation(location, { backend: "10.0.0.9:80", host: "api:6443", prefix })).toBe(expected);
});
