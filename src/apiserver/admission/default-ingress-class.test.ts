import { beforeEach, expect, test } from "vitest";
import { type Bed, startBed } from "../server.suite.ts";

const classes = "/apis/networking.k8s.io/v1/ingressclasses";
const ingresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
const isDefault = { "ingressclass.kubernetes.io/is-default-class": "true" };

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const aClass = (name: string, annotations: object = isDefault) =>
  bed.make(classes, { metadata: { name, annotations }, spec: { controller: "example.com/x" } });
const classOf = async (spec: object = {}, metadata: object = {}) => {
  const defaultBackend = { service: { name: "s", port: { number: 80 } } };
  const made = await bed.make(ingresses, {
    metadata: { name: "a", ...metadata },
    spec: { defaultBackend, ...spec },
  });
  return made.spec.ingressClassName;
};

test("an Ingress without a class gets the youngest default class", async () => {
  await aClass("first");
  await aClass("other", {});
  await bed.clock.advance(1000);
  await aClass("z");
  await aClass("y");
  expect(await classOf()).toBe("y");
});

test("an Ingress with a class, or with the older annotation, keeps it", async () => {
  await aClass("first");
  expect(await classOf({ ingressClassName: "other" })).toBe("other");
  const annotations = { "kubernetes.io/ingress.class": "x" };
  expect(await classOf({}, { name: "b", annotations })).toBeUndefined();
});

test("without a default class an Ingress stays without a class", async () => {
  await aClass("other", {});
  expect(await classOf()).toBeUndefined();
});
