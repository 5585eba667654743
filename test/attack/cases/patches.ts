import { type Attack, Breach } from "../attack.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Patches that turn a small body into much work. */
export const patches: readonly Attack[] = [
  {
    name: "a JSON patch cannot double its document",
    async run({ send }) {
      await send("admin", "POST", configMaps, { body: '{"metadata":{"name":"seed"},"data":{"a":"x"}}' });
      const doubling = Array.from({ length: 40 }, (_, index) => ({
        op: "copy",
        from: "/metadata/annotations",
        path: `/metadata/annotations/a${index}`,
      }));
      const body = JSON.stringify([
        { op: "add", path: "/metadata/annotations", value: { seed: "x".repeat(100) } },
        ...doubling,
      ]);
      const headers = { "content-type": "application/json-patch+json" };
      const answer = await send("admin", "PATCH", `${configMaps}/seed`, { headers, body });
      if (answer !== undefined && answer.code < 400) throw new Breach("the patch was accepted");
    },
  },
  {
    name: "a JSON patch cannot shift a long list for seconds",
    async run({ send }) {
      await send("admin", "POST", configMaps, { body: '{"metadata":{"name":"long"},"data":{"a":"x"}}' });
      const list = Array.from({ length: 700_000 }, () => 1);
      const insertions = Array.from({ length: 9_000 }, () => ({ op: "add", path: "/x/0", value: 1 }));
      const body = JSON.stringify([{ op: "add", path: "/x", value: list }, ...insertions]);
      const headers = { "content-type": "application/json-patch+json" };
      await send("admin", "PATCH", `${configMaps}/long`, { headers, body });
    },
  },
];
