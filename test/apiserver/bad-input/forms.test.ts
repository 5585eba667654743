import { beforeAll, describe, expect, test } from "vitest";
import { useHttpsServer } from "../https-server.suite.ts";
import { configMaps, yaml, accept } from "./requests.suite.ts";

const server = useHttpsServer();

beforeAll(async () => {
  await server().bed.make(configMaps, { metadata: { name: "old" }, data: { k: "v" } });
});

describe("HEAD", () => {
  test("is answered without a body: by health checks with 200, by resources with 405", async () => {
    const { send } = server();
    expect(await send("HEAD", "/readyz")).toMatchObject({ code: 200, text: "" });
    expect(await send("HEAD", `${configMaps}/old`)).toMatchObject({ code: 405, text: "" });
    expect(await send("HEAD", `${configMaps}?watch=1`)).toMatchObject({ code: 405, text: "" });
  });
});

describe("YAML", () => {
  test("is the form of all answers to a client that prefers it, errors included", async () => {
    const { send } = server();
    const one = await send("GET", `${configMaps}/old`, accept("application/yaml, application/json;q=0.5"));
    expect(one.headers["content-type"]).toBe("application/yaml");
    expect(one.text).toContain("kind: ConfigMap\n");
    const list = await send("GET", configMaps, accept("application/yaml"));
    expect(list.text).toContain("kind: ConfigMapList\n");
    const missing = await send("GET", `${configMaps}/none`, accept("application/yaml"));
    expect(missing.text).toContain("reason: NotFound\n");
    const watch = await send("GET", `${configMaps}?watch=1`, accept("application/yaml"));
    expect(watch.code).toBe(406);
    expect(watch.text).toContain(
      "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    );
    const json = await send("GET", `${configMaps}/old`, accept("application/yaml;q=0.5, application/json"));
    expect(json.json.kind).toBe("ConfigMap");
  });

  test("is parsed as Kubernetes parses it", async () => {
    const { send } = server();
    const { json } = await send(
      "POST",
      `${configMaps}?dryRun=All`,
      yaml("metadata:\n  name: some\ndata:\n  a: |\n    text\n"),
    );
    expect(json.data).toEqual({ a: "text\n" });
  });
});

describe("a watch flag on one object's path", () => {
  test("changes nothing: the object is the answer", async () => {
    const { json } = await server().send("GET", `${configMaps}/old?watch=1`);
    expect(json.kind).toBe("ConfigMap");
  });
});
