import { beforeAll, describe, expect, test } from "vitest";
import { bodies } from "./bodies.suite.ts";
import { objects } from "./objects.suite.ts";
import { paths } from "./paths.suite.ts";
import { queries } from "./queries.suite.ts";
import { useHttpsServer } from "../https-server.suite.ts";
import { configMaps, leases, services } from "./requests.suite.ts";

const server = useHttpsServer();

beforeAll(async () => {
  const { bed } = server();
  await bed.make(configMaps, { metadata: { name: "old" }, data: { k: "v" } });
  await bed.make(configMaps, { metadata: { name: "frozen" }, immutable: true, data: { k: "v" } });
  await bed.make(leases, { metadata: { name: "l" } });
  await bed.make(services, {
    metadata: { name: "s" },
    spec: { clusterIP: "10.96.0.77", ports: [{ port: 80 }] },
  });
});

describe.each([
  ["bodies", bodies],
  ["objects", objects],
  ["query parameters", queries],
  ["paths", paths],
])("bad %s are refused, and nothing is written", (_, cases) => {
  test.each(cases)("%s", async (_what, method, path, call, code, reason, message) => {
    const { bed, send } = server();
    const before = bed.revision;
    const answer = await send(method, path, call);
    const status = answer.json;
    expect(status).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code });
    expect(answer.code).toBe(code);
    expect(status.reason ?? "").toBe(reason);
    if (typeof message === "string") expect(status.message).toBe(message);
    else expect(status.message).toMatch(message);
    expect(bed.revision).toBe(before);
  });
});
