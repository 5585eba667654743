import { expect, test } from "vitest";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { resourceField } from "./downward.ts";

const limits = { cpu: "1200m", memory: "64Mi", "ephemeral-storage": "0" };
const fields = { name: "a", resources: { limits, requests: { cpu: "250m" } } };
const pod = decode(pods.schema, { spec: { containers: [fields, { name: "b" }] } }) as Pod;
const [container, bare] = pod.spec.containers;
if (container === undefined || bare === undefined) throw new Error("the Pod has no two containers");
const allocatable = { cpu: "2", memory: "4000Ki", "ephemeral-storage": "1Gi", "hugepages-2Mi": "8Mi" };
const facts = { hostIPs: [], podIPs: [], allocatable };

test.each([
  ["a limit, rounded up to the divisor's units", container, "limits.cpu", "0", "2"],
  ["a limit in thousandths", container, "limits.cpu", "1m", "1200"],
  ["a divisor of zero, which is one", container, "limits.memory", "0", "67108864"],
  ["a request", container, "requests.cpu", "1m", "250"],
  ["a missing request", bare, "requests.cpu", "1m", "0"],
  ["a missing limit of CPU, which is the node's", bare, "limits.cpu", "0", "2"],
  ["a missing limit of memory, rounded up", bare, "limits.memory", "1Mi", "4"],
  ["a limit of zero, which is none", container, "limits.ephemeral-storage", "1Mi", "1024"],
  ["a missing limit of huge pages, of which nothing is had", bare, "limits.hugepages-2Mi", "0", "0"],
])("the downward API gives %s", (_, own, resource, divisor, expected) => {
  const selector = { resource, divisor };
  expect(resourceField(pod, own, selector, facts)).toBe(expected);
  expect(resourceField(pod, undefined, { ...selector, containerName: own.name }, facts)).toBe(expected);
});
