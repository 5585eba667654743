import { expect, test } from "vitest";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import type { HeartbeatFailure } from "./configuration/schema.ts";
import { Heartbeats } from "./heartbeats.ts";

const seconds = (count: number) => ({ durationMilliseconds: count * 1000 });

test.each<[string, HeartbeatFailure, string]>([
  ["never return", { delay: seconds(20) }, "__xxxxxxxx"],
  ["return once", { delay: seconds(20), duration: seconds(30) }, "__xxx_____"],
  ["fail again", { delay: seconds(20), duration: seconds(10), repeat: true }, "__x__x__x_"],
  ["fail from the start", { duration: seconds(10) }, "x_________"],
])("heartbeats that %s", async (_, failure, seen) => {
  const clock = new VirtualClock();
  const heartbeats = new Heartbeats({ clock, random: seededRandom(1) }, failure);
  let states = "";
  for (let i = 0; i < 10; i++) {
    states += heartbeats.fail() ? "x" : "_";
    await clock.advance(10_000);
  }
  expect(states).toBe(seen);
});
