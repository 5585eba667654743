import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aPod } from "./builders.suite.ts";
import { absent, type PodEvent, type PodState, type QueuedPod, stepPod } from "./queue-machine.ts";

const now = 500;
const queued: QueuedPod = { pod: aPod("a"), attempts: 2, order: 7, triedAt: 100 };
const changed = aPod("a", { cpu: "1" });
const rejectedBy = new Set(["NodePorts"]);

/** An example of each state; of `inFlight` one for each value of `meanwhile`. */
const states = {
  absent,
  active: { type: "active", queued },
  inFlight: { type: "inFlight", queued, meanwhile: "nothing" },
  "inFlight/helped": { type: "inFlight", queued, meanwhile: "helped" },
  "inFlight/changed": { type: "inFlight", queued, meanwhile: "changed" },
  assumed: { type: "assumed", queued },
  backingOff: { type: "backingOff", queued },
  unschedulable: { type: "unschedulable", queued, rejectedBy },
} satisfies Record<string, PodState> & { [S in PodState["type"]]: PodState & { type: S } };

/** An example of each event; of `clusterEvent` one that helps no Pod, one by one plugin, one that helps all. */
const events = {
  observed: { type: "observed", pod: changed, order: 9 },
  withdrawn: { type: "withdrawn" },
  removed: { type: "removed" },
  taken: { type: "taken" },
  assumed: { type: "assumed" },
  unschedulable: { type: "unschedulable", rejectedBy },
  failed: { type: "failed" },
  conflicted: { type: "conflicted" },
  clusterEvent: { type: "clusterEvent", helps: () => true },
  "clusterEvent/NodePorts": { type: "clusterEvent", helps: (_, plugins) => plugins.has("NodePorts") },
  "clusterEvent/none": { type: "clusterEvent", helps: () => false },
  elapsed: { type: "elapsed" },
} satisfies Record<string, PodEvent> & { [E in PodEvent["type"]]: PodEvent & { type: E } };

/** The state after each event (row) in each state (column). A dot: nothing changes. */
const expected = `
                        absent  active    inFlight          inFlight/helped   inFlight/changed  assumed     backingOff  unschedulable
observed                active  active    inFlight/changed  inFlight/changed  inFlight/changed  assumed     active      active
withdrawn               .       absent    absent            absent            absent            .           absent      absent
removed                 .       absent    absent            absent            absent            absent      absent      absent
taken                   .       inFlight  .                 .                 .                 .           .           .
assumed                 .       .         assumed           assumed           assumed           .           .           .
unschedulable           .       .         unschedulable     backingOff        active            .           .           .
failed                  .       .         backingOff        backingOff        active            backingOff  .           .
conflicted              .       .         .                 .                 .                 active      .           .
clusterEvent            .       .         inFlight/helped   .                 .                 .           .           backingOff
clusterEvent/NodePorts  .       .         .                 .                 .                 .           .           backingOff
clusterEvent/none       .       .         .                 .                 .                 .           .           .
elapsed                 .       .         .                 .                 .                 .           active      backingOff
`;
const [columns = [], ...rows] = expected
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/ +/));

function nameOf(state: PodState): string {
  return state.type === "inFlight" && state.meanwhile !== "nothing"
    ? `inFlight/${state.meanwhile}`
    : state.type;
}

function queuedOf(state: PodState): QueuedPod | undefined {
  return state.type === "absent" ? undefined : state.queued;
}

describe("queue machine", () => {
  test("has an expectation for every state and event", () => {
    expect(columns).toEqual(Object.keys(states));
    expect(rows.map(([event]) => event)).toEqual(Object.keys(events));
    for (const row of rows) expect(row.length).toBe(columns.length + 1);
  });

  const cells = Object.entries(states).flatMap(([stateName, state], column) =>
    Object.entries(events).map(([eventName, event], row) => ({
      stateName,
      eventName,
      state,
      event,
      next: rows[row]?.[column + 1] ?? "",
    })),
  );
  test.each(cells)("$stateName, $eventName: $next", ({ state, event, next }) => {
    const step = stepPod(state, event, now);
    if (next === ".") {
      expect(step.state).toBe(state);
      expect(step).toEqual({ state });
      return;
    }
    expect(nameOf(step.state)).toBe(next);
    const pod = queuedOf(step.state);
    expect(step.action?.type).toBe({ active: "enqueue", backingOff: "wait", unschedulable: "wait" }[next]);
    if (step.action?.type === "enqueue") expect(step.action.queued).toBe(pod);
    // An update brings the new Pod in; a failure counts; everything else is kept.
    const fails = event.type === "failed" || event.type === "unschedulable";
    if (pod !== undefined)
      expect(pod).toEqual({
        ...(state.type === "absent" ? { attempts: 0, order: 9, triedAt: 0 } : queued),
        ...(event.type === "observed" ? { pod: changed } : {}),
        ...(fails ? { attempts: 3, triedAt: now } : {}),
      });
  });

  const { inFlight, unschedulable, assumed } = states;
  test.each<[string, PodState, PodEvent, number]>([
    ["its first failure", { ...inFlight, queued: { ...queued, attempts: 0 } }, events.failed, 1000],
    ["its third failure", inFlight, events.failed, 4000],
    ["its fifth failure", { ...assumed, queued: { ...queued, attempts: 4 } }, events.failed, 10_000],
    ["its thousandth failure", { ...assumed, queued: { ...queued, attempts: 5000 } }, events.failed, 10_000],
    ["a cluster event 400 ms after its second failure", unschedulable, events.clusterEvent, 1600],
    ["a rejection", inFlight, events.unschedulable, 300_000],
  ])("a Pod waits after %s", (_, state, event, ms) => {
    expect(stepPod(state, event, now).action).toEqual({ type: "wait", ms });
  });

  test("a Pod whose back-off is over does not wait when it leaves the unschedulable Pods", () => {
    expect(stepPod(unschedulable, events.elapsed, 300_000).action).toEqual({ type: "wait", ms: 0 });
  });

  const anyState = fc.constantFrom<PodState>(...Object.values(states));
  const anyEvents = fc.array(fc.constantFrom<PodEvent>(...Object.values(events)), { maxLength: 20 });

  test("never loses a Pod, and never activates one during its attempt", () => {
    fc.assert(
      fc.property(anyState, anyEvents, (start, sequence) => {
        let state = start;
        for (const event of sequence) {
          const { state: next, action } = stepPod(state, event, now);
          const [from, to] = [state.type, next.type];
          // A Pod enters by `observed` only, and leaves by `removed` or `withdrawn` only.
          if (to === "absent" && from !== "absent") expect(event.type).toMatch(/^(removed|withdrawn)$/);
          if (from === "absent" && to !== "absent") expect(event.type).toBe("observed");
          // An attempt begins from `active`, and ends with an outcome or with the Pod.
          if (to === "inFlight" && from !== "inFlight") expect(from).toBe("active");
          if (to === "active" && (from === "inFlight" || from === "assumed"))
            expect(event.type).toMatch(/^(unschedulable|failed|conflicted)$/);
          expect(action?.type === "enqueue").toBe(to === "active" && next !== state);
          state = next;
        }
        // A Pod that waits becomes active by its timers alone.
        for (let i = 0; i < 2; i++) state = stepPod(state, events.elapsed, now).state;
        expect(state.type).toMatch(/^(absent|active|inFlight|assumed)$/);
      }),
    );
  });
});
