import { describe, expect, test } from "vitest";
import {
  type ElectionEvent,
  type ElectionPhase,
  type ElectionStep,
  startElection,
  stepElection,
} from "./leader-election-machine.ts";

type Row = { readonly [E in ElectionEvent]: readonly [follower: string, leader: string] };

const same = (word: string) => [word, word] as const;
const hold = ["waiting: lead wait", "waiting: wait"] as const;
const stop = ["ended", "ended: release"] as const;
const stay = (phase: ElectionPhase) => same(phase);
const deadline = (phase: ElectionPhase) => [phase, "ended: release"] as const;

/** The next phase and the actions of each cell, for a follower and for a leader. */
const expected: { readonly [P in ElectionPhase]: Row } = {
  waiting: {
    retry: same("reading: get"),
    renew: same("renewing: update"),
    absent: stay("waiting"),
    free: stay("waiting"),
    held: stay("waiting"),
    written: stay("waiting"),
    conflict: stay("waiting"),
    failed: stay("waiting"),
    deadline: deadline("waiting"),
    stop,
  },
  reading: {
    retry: stay("reading"),
    renew: stay("reading"),
    absent: same("acquiring: create"),
    free: same("acquiring: update"),
    held: same("waiting: wait"),
    written: stay("reading"),
    conflict: same("waiting: wait"),
    failed: same("waiting: wait"),
    deadline: deadline("reading"),
    stop,
  },
  acquiring: {
    retry: stay("acquiring"),
    renew: stay("acquiring"),
    absent: stay("acquiring"),
    free: stay("acquiring"),
    held: stay("acquiring"),
    written: hold,
    conflict: same("waiting: wait"),
    failed: same("waiting: wait"),
    deadline: deadline("acquiring"),
    stop,
  },
  renewing: {
    retry: stay("renewing"),
    renew: stay("renewing"),
    absent: stay("renewing"),
    free: stay("renewing"),
    held: stay("renewing"),
    written: hold,
    conflict: same("reading: get"),
    failed: same("waiting: wait"),
    deadline: deadline("renewing"),
    stop,
  },
  ended: {
    retry: stay("ended"),
    renew: stay("ended"),
    absent: stay("ended"),
    free: stay("ended"),
    held: stay("ended"),
    written: stay("ended"),
    conflict: stay("ended"),
    failed: stay("ended"),
    deadline: stay("ended"),
    stop: stay("ended"),
  },
};
const cells = Object.entries(expected).flatMap(([phase, row]) =>
  Object.entries(row).map(
    ([event, [follower, leader]]) =>
      [phase as ElectionPhase, event as ElectionEvent, follower, leader] as const,
  ),
);

function words({ state, actions }: ElectionStep): string {
  return actions.length === 0 ? state.phase : `${state.phase}: ${actions.join(" ")}`;
}

describe("the leader election machine", () => {
  test("reads the Lease first", () => {
    expect(words(startElection)).toBe("reading: get");
  });

  test.each(cells)("%s, %s: a follower: %s, a leader: %s", (phase, event, follower, leader) => {
    expect(words(stepElection({ phase, leading: false }, event))).toBe(follower);
    expect(words(stepElection({ phase, leading: true }, event))).toBe(leader);
  });

  test("makes a follower lead after its first write, and a leader lead until it ends", () => {
    for (const [phase, event] of cells) {
      if (phase === "ended") continue;
      const writes = phase === "acquiring" || phase === "renewing";
      expect(stepElection({ phase, leading: false }, event).state.leading).toBe(
        writes && event === "written",
      );
      expect(stepElection({ phase, leading: true }, event).state.leading).toBe(
        event !== "stop" && event !== "deadline",
      );
    }
  });
});
