import { expect, test } from "vitest";
import { runJob } from "./thread.ts";

test("long YAML requests beyond a bound are refused, and the others are answered", async () => {
  const job = { type: "parse", text: "a: 1\n", exact: false } as const;
  const answers = await Promise.allSettled(Array.from({ length: 20 }, () => runJob(job)));
  const refused = answers.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(4);
  expect(refused[0]).toMatchObject({ reason: { reason: "TooManyRequests" } });
  expect(answers[0]).toMatchObject({ value: { type: "parsed", json: '{"a":1}' } });
  expect(await runJob(job)).toMatchObject({ type: "parsed" });
});
