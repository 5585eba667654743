import { describe, expect, test } from "vitest";
import { RestMachine } from "./rest-machine.ts";

const mebibyte = 2 ** 20;

/** Looks every five seconds at a process with the shares, and returns the steps. */
function steps(machine: RestMachine, shares: readonly number[], heapUsed: (look: number) => number) {
  return shares.map((share, i) => machine.look({ at: i * 5_000, share, heapUsed: heapUsed(i) * mebibyte }));
}

const repeat = (share: number, times: number): number[] => Array.from({ length: times }, () => share);

describe("the memory of a process", () => {
  test("is collected at rest, after a minute and after six and a half, and its pages are released", () => {
    // Each look finds more garbage, and each collection leaves little.
    const found = steps(new RestMachine(), repeat(0.1, 90), (i) => 100 + 50 * i);
    const at = (step: string) => found.flatMap((one, i) => (one === step ? [i * 5] : []));
    expect(at("collect")).toEqual([0, 60, 390]);
    expect(at("release")).toEqual([5, 65, 395]);
  });

  test("is released although a collection would free little", () => {
    const found = steps(new RestMachine(), [1, ...repeat(0.1, 90)], () => 100);
    expect(found.flatMap((one, i) => (one === "none" ? [] : [`${one} at ${i * 5} s`]))).toEqual([
      "collect at 5 s",
      "release at 10 s",
      "release at 60 s",
      "release at 390 s",
    ]);
  });

  test("is left alone while the process works a little", () => {
    expect(steps(new RestMachine(), [1, 0.2, 0.29, 0.15, 0.14], () => 100)).toEqual([
      ...repeat(0, 4).map(() => "none"),
      "collect",
    ]);
  });

  test("is not collected again when only the collection was work", () => {
    const used = [900, 900, 800, 810, 890];
    const found = steps(new RestMachine(), [1, 0.1, 0.9, 0.1, 0.1], (i) => used[i] ?? 0);
    expect(found).toEqual(["none", "collect", "release", "release", "none"]);
  });

  test("is collected again after growth by an eighth and some", () => {
    const found = (last: number) =>
      steps(new RestMachine(), [1, 0.1, 0.9, 0.1], (i) => [900, 900, 800, last][i] ?? 0).at(-1);
    expect(found(903)).toBe("release");
    expect(found(904)).toBe("collect");
  });
});
