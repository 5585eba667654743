import { expect, test } from "vitest";
import { StoreClosedError, StoreFailedError } from "../store/errors.ts";
import { startBed } from "./server.suite.ts";

const full = new StoreFailedError(new Error("disk full"));

test.each([
  ["readyz", full, 500],
  ["livez", full, 200],
  ["readyz", new StoreClosedError(), 500],
  ["livez", new StoreClosedError(), 500],
])("%s while the store says %s: %d", async (endpoint, error, status) => {
  const bed = await startBed();
  const works = bed.store.probe.bind(bed.store);
  bed.store.probe = () => Promise.reject(error);
  const answer = await bed.get(`/${endpoint}`);
  expect(answer.status).toBe(status);
  if (status === 500) expect(String(answer.body)).toContain("[-]store failed: reason withheld\n");
  bed.store.probe = works;
  expect((await bed.get(`/${endpoint}`)).status).toBe(200);
});
