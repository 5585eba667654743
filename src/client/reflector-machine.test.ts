import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../meta/kind.ts";
import {
  type Memory,
  type ReflectorAction,
  type ReflectorEvent,
  type ReflectorState,
  startReflector,
  stepReflector,
  type Step,
} from "./reflector-machine.ts";

const object = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", resourceVersion },
});
const bookmark = (resourceVersion: string, end = false): ReflectorEvent<KubeObject> => ({
  type: "event",
  event: {
    type: "BOOKMARK",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { resourceVersion, ...(end ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}) },
    },
  },
});
const added = (name: string, version: string): ReflectorEvent<KubeObject> => ({
  type: "event",
  event: { type: "ADDED", object: object(name, version) },
});
const deleted = (name: string, version: string): ReflectorEvent<KubeObject> => ({
  type: "event",
  event: { type: "DELETED", object: object(name, version) },
});
const failed = (failure: "expired" | "unsupported" | "other") => ({ type: "failed", failure }) as const;
const resumed = { type: "resumed" } as const;

/** The actions that follow the events, as short words. */
function play(...events: readonly ReflectorEvent<KubeObject>[]): readonly string[] {
  let step: Step<KubeObject> = startReflector();
  const done = step.actions.map(word);
  for (const event of events) {
    step = stepReflector(step.state, event);
    done.push(...step.actions.map(word));
  }
  return done;
}

function word(action: ReflectorAction<KubeObject>): string {
  switch (action.type) {
    case "wait":
      return `wait ${action.failures}`;
    case "apply":
      return `${action.event.type} ${action.event.object.metadata.name}`;
    case "replace":
      return `replace ${action.items.map(({ metadata }) => metadata.name).join()}@${action.resourceVersion}`;
    default:
      return `${action.type}@${action.resourceVersion}`;
  }
}

describe("the reflector machine", () => {
  test("collects the streamed state until the closing bookmark, then follows the same watch", () => {
    const events = [
      added("a", "3"),
      added("b", "5"),
      deleted("a", "6"),
      bookmark("6"),
      bookmark("7", true),
      added("c", "8"),
    ];
    expect(play(...events)).toEqual(["stream@", "replace b@7", "ADDED c"]);
  });

  test("changes to listing for good when the server does not stream", () => {
    const listed = { type: "listed", items: [object("a", "3")], resourceVersion: "9" } as const;
    const events = [failed("unsupported"), listed, failed("expired"), listed];
    expect(play(...events)).toEqual([
      "stream@",
      "list@",
      "replace a@9",
      "watch@9",
      "list@9",
      "replace a@9",
      "watch@9",
    ]);
  });

  test("resumes after the newest version seen, bookmarks included", () => {
    const ended = { type: "ended", fruitless: false } as const;
    expect(play(bookmark("7", true), added("a", "8"), bookmark("20"), ended)).toEqual([
      "stream@",
      "replace @7",
      "ADDED a",
      "watch@20",
    ]);
  });

  test("fetches the state again, at the version seen or newer, when the server has forgotten the version", () => {
    expect(play(bookmark("7", true), bookmark("8"), failed("expired"))).toEqual([
      "stream@",
      "replace @7",
      "stream@8",
    ]);
  });

  test("fetches the newest state when even that version is refused", () => {
    const events = [bookmark("7", true), failed("expired"), failed("expired"), failed("expired"), resumed];
    expect(play(...events)).toEqual(["stream@", "replace @7", "stream@7", "stream@", "wait 2", "stream@"]);
  });

  test("waits longer after each failed watch, and resumes from the version seen", () => {
    const fruitless = { type: "ended", fruitless: true } as const;
    expect(
      play(
        bookmark("7", true),
        failed("other"),
        resumed,
        fruitless,
        resumed,
        added("a", "8"),
        failed("other"),
      ),
    ).toEqual(["stream@", "replace @7", "wait 1", "watch@7", "wait 2", "watch@7", "ADDED a", "wait 1"]);
  });

  test("waits before the second fetch when every resume point is lost at once", () => {
    const events = [bookmark("7", true), failed("expired"), bookmark("9", true), failed("expired"), resumed];
    expect(play(...events)).toEqual([
      "stream@",
      "replace @7",
      "stream@7",
      "replace @9",
      "wait 2",
      "stream@9",
    ]);
  });

  test("applies nothing before a state and has one request under way, for any order of events", () => {
    const version = fc.integer({ min: 1, max: 99 }).map(String);
    const event = fc.oneof(
      fc.tuple(fc.constantFrom("a", "b"), version).map(([name, at]) => added(name, at)),
      fc.tuple(fc.constantFrom("a", "b"), version).map(([name, at]) => deleted(name, at)),
      fc.tuple(version, fc.boolean()).map(([at, end]) => bookmark(at, end)),
      fc.constantFrom("expired" as const, "unsupported" as const, "other" as const).map(failed),
      fc.boolean().map((fruitless) => ({ type: "ended", fruitless }) as const),
      fc.constant(resumed),
      version.map((at) => ({ type: "listed", items: [], resourceVersion: at }) as const),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let step: Step<KubeObject> = startReflector();
        let synced = false;
        for (const one of events) {
          const before: ReflectorState<KubeObject> = step.state;
          step = stepReflector(before, one);
          for (const { type } of step.actions) {
            synced ||= type === "replace";
            if (type === "apply") expect(synced).toBe(true);
          }
          const requests = step.actions.filter(({ type }) =>
            ["stream", "list", "watch", "wait"].includes(type),
          );
          expect(requests.length).toBeLessThanOrEqual(1);
          if (before.type === "waiting" && one.type === "resumed") expect(requests.length).toBe(1);
          const { failures }: Memory = step.state.memory;
          expect(failures).toBeGreaterThanOrEqual(step.state.type === "waiting" ? 1 : 0);
        }
      }),
    );
  });
});
