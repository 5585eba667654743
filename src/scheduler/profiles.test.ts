import { expect, test } from "vitest";
import { silentLogger } from "../util/logger.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { aPod, handleOf } from "./builders.suite.ts";
import type { Handle } from "./framework.ts";
import { Profiles } from "./profiles.ts";
import { Snapshot } from "./snapshot.ts";

const podOf = (schedulerName: string) => aPod("p", {}, { schedulerName });

test("a Pod has the profile of its schedulerName, with plugins and events of its own", () => {
  const handles: Handle[] = [];
  const profile = (name: string) => (handle: Handle) => {
    handles.push(handle);
    return [{ plugin: { name }, weight: 1 }];
  };
  const given = new Map(["a", "b"].map((name) => [name, profile(name)]));
  const handle = handleOf();
  const env = { clock: new VirtualClock(), random: handle.random, log: silentLogger };
  const profiles = new Profiles(given, { env, snapshot: new Snapshot(), handle });
  expect(["a", "b", "c"].map((name) => profiles.includes(podOf(name)))).toEqual([true, true, false]);
  const [a, b] = ["a", "b"].map((name) => profiles.of(podOf(name)));
  expect([a, b].map((one) => one?.plugins[0]?.plugin.name)).toEqual(["a", "b"]);
  expect(profiles.all()).toEqual([a, b]);
  // Both plugins record Events as the profile of the Pod, not as their own.
  for (const one of handles) {
    expect([one.events(podOf("a")) === a?.events, one.events(podOf("b")) === b?.events]).toEqual([
      true,
      true,
    ]);
    expect(one.client).toBe(handle.client);
  }
  expect(() => profiles.of(podOf("c"))).toThrow("there is no profile c");
});
