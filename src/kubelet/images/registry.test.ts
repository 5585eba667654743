import { expect, test } from "vitest";
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
