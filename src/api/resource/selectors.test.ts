import { expect, test } from "vitest";
import { describe as text, invalid } from "../../meta/field-error.ts";
import { load, type Manifest } from "../pipeline.suite.ts";
import type { SelectorChecker } from "./selectors.ts";
import type { DeviceClass } from "./device-class/schema.ts";
import type { ResourceClaimTemplate } from "./resource-claim-template/schema.ts";
import type { ResourceClaim } from "./resource-claim/schema.ts";
import { validateClaim } from "./resource-claim/validation.ts";
import { validateTemplate } from "./resource-claim-template/validation.ts";
import { validateDeviceClass } from "./device-class/validation.ts";

const apiVersion = "resource.k8s.io/v1";
const selectors = (expression: string) => [{ cel: { expression } }];

const gpus: Manifest = {
  apiVersion,
  kind: "DeviceClass",
  metadata: { name: "gpu" },
  spec: { selectors: selectors("device.driver == 'gpu'") },
};
const claim: Manifest = {
  apiVersion,
  kind: "ResourceClaim",
  metadata: { name: "gpu", namespace: "default" },
  spec: {
    devices: {
      requests: [
        { name: "one", exactly: { deviceClassName: "gpu", selectors: selectors("a") } },
        { name: "any", firstAvailable: [{ name: "b", deviceClassName: "gpu", selectors: selectors("b") }] },
      ],
    },
  },
};
const template: Manifest = { ...claim, kind: "ResourceClaimTemplate", spec: { spec: claim["spec"] } };

const loadClass = (manifest: Manifest) => load(manifest) as unknown as DeviceClass;

function sitesOf(ask: (check: SelectorChecker) => Iterable<unknown>) {
  const sites: string[][] = [];
  expect([...ask((text, path) => (sites.push([text, path.toString()]), []))]).toEqual([]);
  return sites;
}

test("the checker gets every expression of a claim and its template", () => {
  const path = "spec.devices.requests[0].exactly.selectors[0].cel.expression";
  const alternative = "spec.devices.requests[1].firstAvailable[0].selectors[0].cel.expression";
  expect(sitesOf((check) => validateClaim(load(claim) as unknown as ResourceClaim, check))).toEqual([
    ["a", path],
    ["b", alternative],
  ]);
  expect(
    sitesOf((check) => validateTemplate(load(template) as unknown as ResourceClaimTemplate, check)),
  ).toEqual([
    ["a", `spec.${path}`],
    ["b", `spec.${alternative}`],
  ]);
});

test("the errors of the checker are validation errors", () => {
  const errors = validateDeviceClass(loadClass(gpus), undefined, (text, path) => [invalid(path, text, "no")]);
  expect([...errors].map(text)).toEqual([
    `spec.selectors[0].cel.expression: Invalid value: "device.driver == 'gpu'": no`,
  ]);
});
