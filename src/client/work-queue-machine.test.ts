import { describe, expect, test } from "vitest";
import { type KeyEvent, type KeyState, stepKey } from "./work-queue-machine.ts";

/** The next state and the actions of each cell. */
const expected: { readonly [S in KeyState]: { readonly [E in KeyEvent]: string } } = {
  idle: {
    add: "queued: enqueue",
    addAfter: "delayed: delay",
    next: "idle",
    done: "idle",
    delayEnds: "idle",
    shutDown: "idle",
  },
  delayed: {
    add: "queued: endDelay enqueue",
    addAfter: "delayed: delay",
    next: "delayed",
    done: "delayed",
    delayEnds: "queued: endDelay enqueue",
    shutDown: "idle: endDelay",
  },
  queued: {
    add: "queued",
    addAfter: "queuedDelayed: delay",
    next: "working: dequeue",
    done: "queued",
    delayEnds: "queued",
    shutDown: "idle: dequeue",
  },
  queuedDelayed: {
    add: "queuedDelayed",
    addAfter: "queuedDelayed: delay",
    next: "workingDelayed: dequeue",
    done: "queuedDelayed",
    delayEnds: "queued: endDelay",
    shutDown: "idle: dequeue endDelay",
  },
  working: {
    add: "dirty",
    addAfter: "workingDelayed: delay",
    next: "working",
    done: "idle",
    delayEnds: "working",
    shutDown: "working",
  },
  workingDelayed: {
    add: "dirty: endDelay",
    addAfter: "workingDelayed: delay",
    next: "workingDelayed",
    done: "delayed",
    delayEnds: "dirty: endDelay",
    shutDown: "working: endDelay",
  },
  dirty: {
    add: "dirty",
    addAfter: "dirtyDelayed: delay",
    next: "dirty",
    done: "queued: enqueue",
    delayEnds: "dirty",
    shutDown: "working",
  },
  dirtyDelayed: {
    add: "dirty: endDelay",
    addAfter: "dirtyDelayed: delay",
    next: "dirtyDelayed",
    done: "queuedDelayed: enqueue",
    delayEnds: "dirty: endDelay",
    shutDown: "working: endDelay",
  },
};
const cells = Object.entries(expected).flatMap(([state, row]) =>
  Object.entries(row).map(([event, step]) => [state as KeyState, event as KeyEvent, step] as const),
);
const isQueued = (state: KeyState) => state === "queued" || state === "queuedDelayed";
const isDelayed = (state: KeyState) => state === "delayed" || state.endsWith("Delayed");

describe("the work queue machine", () => {
  test.each(cells)("%s, %s: %s", (state, event, step) => {
    const { to, actions } = stepKey(state, event);
    expect(actions.length === 0 ? to : `${to}: ${actions.join(" ")}`).toBe(step);
  });

  test("moves a key into and out of the line, and starts and ends its delay, exactly as the states say", () => {
    for (const [state, event] of cells) {
      const { to, actions } = stepKey(state, event);
      expect(actions.includes("enqueue")).toBe(!isQueued(state) && isQueued(to));
      expect(actions.includes("dequeue")).toBe(isQueued(state) && !isQueued(to));
      expect(actions.includes("endDelay")).toBe(isDelayed(state) && !isDelayed(to));
      expect(actions.includes("delay")).toBe(event === "addAfter");
    }
  });

  test("has no key in the line or delayed after shut down, and done frees a held key", () => {
    for (const [state] of cells) {
      const { to } = stepKey(state, "shutDown");
      expect(["idle", "working"]).toContain(to);
      expect(stepKey(to, "done").to).toBe("idle");
    }
  });
});
