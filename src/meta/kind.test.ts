import { expect, test } from "vitest";
import { findCondition, isConditionTrue } from "./conditions.ts";
import { defineKind, groupResource, groupVersion, parseGroupVersion } from "./kind.ts";
import { itemMessage, listMessage } from "./list-message.ts";
import { messages, optional, string } from "./schema.ts";

const message = messages("com.example.v1");
const Widget = message("Widget", "A widget.", { size: optional(1, string, "The size.") });
const info = { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", namespaced: true };

test("a kind has the usual names and verbs, unless it says otherwise", () => {
  expect(defineKind(Widget, info)).toMatchObject({
    singular: "widget",
    shortNames: [],
    categories: [],
    status: false,
    subresources: {},
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    apiVersion: "example.com/v1",
    listKind: "WidgetList",
    schema: Widget,
    scale: undefined,
  });
  const special = { singular: "wi", verbs: ["create"], status: true, shortNames: ["w"] };
  expect(defineKind(Widget, { ...info, group: "", ...special })).toMatchObject({
    ...special,
    apiVersion: "v1",
  });
});

test("group versions are written and read", () => {
  expect(groupVersion({ group: "", version: "v1" })).toBe("v1");
  expect(groupVersion({ group: "apps", version: "v1" })).toBe("apps/v1");
  expect(parseGroupVersion("v1")).toEqual({ group: "", version: "v1" });
  expect(parseGroupVersion("apps/v1")).toEqual({ group: "apps", version: "v1" });
  expect(parseGroupVersion("a/b/c")).toBeUndefined();
  expect(groupResource({ group: "", plural: "pods" })).toBe("pods");
  expect(groupResource({ group: "apps", plural: "deployments" })).toBe("deployments.apps");
});

test("a list of a kind is a message beside it, the same one each time", () => {
  const kind = defineKind(Widget, info);
  const list = listMessage(kind);
  expect(list.name).toBe("com.example.v1.WidgetList");
  expect([...list.fields.keys()]).toEqual(["metadata", "items"]);
  expect([...list.fields.values()].map(({ number }) => number)).toEqual([1, 2]);
  expect(itemMessage(list)).toBe(Widget);
  expect(listMessage(kind)).toBe(list);
  expect(() => itemMessage(Widget)).toThrow("com.example.v1.Widget is not a list of objects");
});

test("a condition is found by its type, and is true only when it says so", () => {
  const ready = { type: "Ready", status: "True" };
  const conditions = [{ type: "Other", status: "True" }, ready, { type: "Late", status: "False" }];
  expect(findCondition(conditions, "Ready")).toBe(ready);
  expect(findCondition(conditions, "None")).toBeUndefined();
  expect(findCondition(undefined, "Ready")).toBeUndefined();
  expect(["Ready", "Late", "None"].map((type) => isConditionTrue(conditions, type))).toEqual([
    true,
    false,
    false,
  ]);
  expect(isConditionTrue(undefined, "Ready")).toBe(false);
});
