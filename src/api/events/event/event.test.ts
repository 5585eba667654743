import { describe, expect, test } from "vitest";
import { cells, change, create, load, type Manifest, update } from "../../pipeline.suite.ts";
import { fromCore, toCore } from "./conversion.ts";
import type { Event } from "./schema.ts";

const event: Manifest = {
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name: "web.1", namespace: "default" },
  eventTime: "2026-03-01T11:59:00.000000Z",
  reportingController: "example.com/tester",
  reportingInstance: "tester-0",
  action: "Testing",
  reason: "Tested",
  type: "Normal",
  regarding: { kind: "Pod", name: "web", namespace: "default" },
  note: "All is well.",
};

describe("events of events.k8s.io", () => {
  test("are converted to the core group and back without loss", () => {
    const object = load(event) as unknown as Event;
    expect(toCore(object)).toMatchObject({
      apiVersion: "v1",
      message: "All is well.",
      involvedObject: { name: "web" },
      reportingComponent: "example.com/tester",
    });
    expect(fromCore(toCore(object))).toEqual(object);
  });

  test("have the same columns", () => {
    expect(cells(event)).toEqual([
      "60s",
      "Normal",
      "Tested",
      "pod/web",
      "",
      "example.com/tester, tester-0",
      "All is well.",
      "60s",
      1,
      "web.1",
    ]);
  });

  test.each<readonly [path: string, value: unknown, errors: readonly string[]]>([
    ["note", "Fine.", []],
    ["type", "Bad", ['type: Invalid value: "": has invalid value: Bad']],
    ["action", "", ["action: Required value"]],
    ["deprecatedCount", 1, ['count: Invalid value: "": needs to be unset']],
    [
      "series",
      { count: 1, lastObservedTime: "2026-03-01T11:59:00.000000Z" },
      ['series.count: Invalid value: "": should be at least 2'],
    ],
  ])("%s = %j", (path, value, errors) => expect(create(change(event, path, value)).errors).toEqual(errors));

  test("only allow updates of the series", () => {
    const series = { count: 2, lastObservedTime: "2026-03-01T12:00:00.000000Z" };
    expect(update(event, change(event, "series", series)).errors).toEqual([]);
    expect(update(event, change(event, "note", "Worse.")).errors).toEqual([
      'message: Invalid value: "Worse.": field is immutable',
    ]);
  });
});
