import { expect, test } from "vitest";
import { humanDuration } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Both sides of each bound, and apimachinery's `TestHumanDuration`. */
test.each([
  [-2 * second, "<invalid>"],
  [-second, "0s"],
  [-1, "0s"],
  [0, "0s"],
  [999, "0s"],
  [second, "1s"],
  [70 * second, "70s"],
  [2 * minute - 1, "119s"],
  [2 * minute, "2m"],
  [190 * second, "3m10s"],
  [10 * minute - second, "9m59s"],
  [10 * minute, "10m"],
  [10 * minute + 59 * second, "10m"],
  [70 * minute, "70m"],
  [3 * hour - minute, "179m"],
  [3 * hour, "3h"],
  [3 * hour + minute, "3h1m"],
  [8 * hour - minute, "7h59m"],
  [8 * hour, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [49 * hour, "2d1h"],
  [8 * day - hour, "7d23h"],
  [8 * day + 2 * hour, "8d"],
  [367 * day, "367d"],
  [2 * year - day, "729d"],
  [2 * year, "2y"],
  [2 * year + 25 * hour, "2y1d"],
  [8 * year - day, "7y364d"],
  [8 * year + 2 * hour, "8y"],
])("%i ms are shown as %s", (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});
