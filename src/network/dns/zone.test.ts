import { expect, test } from "vitest";
import { aService, aSlice, endpoint } from "../builders.suite.ts";
import { type ClusterNames, lookUp, type ZoneAnswer } from "./zone.ts";

const services = [
  aService("web"),
  aService("dual", { clusterIP: "10.96.0.12", clusterIPs: ["10.96.0.12", "fd00:96::c"] }),
  aService("six", { clusterIP: "None" }),
  aService("peers", { clusterIP: "None" }),
  aService("empty", { clusterIP: "None" }),
  aService("early", { clusterIP: "None", publishNotReadyAddresses: true }),
  aService("elsewhere", { clusterIP: undefined, type: "ExternalName", externalName: "db.example.com" }),
];
const slices = {
  peers: [
    aSlice("peers", [
      endpoint("10.244.0.1", { ready: true }, { hostname: "peer-0" }),
      endpoint("10.244.0.2"),
      endpoint("10.244.0.3", { ready: false }),
    ]),
    aSlice("peers", [endpoint("fd00::1", { ready: true }, { hostname: "peer-0" })], { addressType: "IPv6" }),
    aSlice("peers", [endpoint("peer.example.com")], { addressType: "FQDN" }),
  ],
  six: [aSlice("six", [endpoint("fd00::2")], { addressType: "IPv6" })],
  early: [aSlice("early", [endpoint("10.244.0.4", { ready: false })])],
};
const names: ClusterNames = {
  domain: "cluster.local",
  service: (namespace, name) =>
    services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  slices: (_, service) => new Map(Object.entries(slices)).get(service) ?? [],
  byAddress: (address) =>
    services.find(({ spec }) => spec.clusterIP === address || spec.clusterIPs?.includes(address) === true),
};

/** `none`, `missing`, `empty`, or the records as `type data`. */
function show(answer: ZoneAnswer): string {
  if (answer.type !== "records") return answer.type;
  const shown = answer.records.map((record) =>
    record.type === "SRV" ? `SRV ${record.data.port} ${record.data.target}` : `${record.type} ${record.data}`,
  );
  return shown.length === 0 ? "empty" : shown.join(", ");
}

const svc = "default.svc.cluster.local";

test.each([
  [`web.${svc}`, "A", "A 10.96.0.10"],
  [`WEB.${svc.toUpperCase()}`, "A", "A 10.96.0.10"],
  [`web.${svc}`, "AAAA", "empty"],
  [`web.${svc}`, "TXT", "empty"],
  [`web.${svc}`, "ANY", "A 10.96.0.10"],
  [`absent.${svc}`, "A", "missing"],
  [`absent.${svc}`, "AAAA", "missing"],
  ["web.other.svc.cluster.local", "A", "missing"],
  [`pod.web.${svc}`, "A", "missing"],
  [`peers.${svc}`, "A", "A 10.244.0.1, A 10.244.0.2"],
  [`peers.${svc}`, "AAAA", "AAAA fd00::1"],
  [`peer-0.peers.${svc}`, "AAAA", "AAAA fd00::1"],
  [`10-244-0-2.peers.${svc}`, "AAAA", "empty"],
  [`dual.${svc}`, "A", "A 10.96.0.12"],
  [`dual.${svc}`, "AAAA", "AAAA fd00:96::c"],
  [`dual.${svc}`, "ANY", "A 10.96.0.12, AAAA fd00:96::c"],
  [`six.${svc}`, "A", "empty"],
  [`fd00--2.six.${svc}`, "AAAA", "AAAA fd00::2"],
  [`_http._tcp.six.${svc}`, "SRV", `SRV 8080 fd00--2.six.${svc}`],
  ["c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.0.d.f.ip6.arpa", "PTR", `PTR dual.${svc}`],
  ["d.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.0.d.f.ip6.arpa", "PTR", "none"],
  ["0.0.d.f.ip6.arpa", "PTR", "none"],
  ["fd00--7.default.pod.cluster.local", "AAAA", "AAAA fd00::7"],
  [`peer-0.peers.${svc}`, "A", "A 10.244.0.1"],
  [`10-244-0-2.peers.${svc}`, "A", "A 10.244.0.2"],
  [`10-244-0-1.peers.${svc}`, "A", "missing"],
  [`peer-9.peers.${svc}`, "A", "missing"],
  [`a.peer-0.peers.${svc}`, "A", "missing"],
  [`empty.${svc}`, "A", "missing"],
  [`early.${svc}`, "A", "A 10.244.0.4"],
  [`_http._tcp.web.${svc}`, "SRV", `SRV 80 web.${svc}`],
  [`_http._tcp.web.${svc}`, "A", "empty"],
  [`_http._udp.web.${svc}`, "SRV", "missing"],
  [`_https._tcp.web.${svc}`, "SRV", "missing"],
  [`_http._tcp.peers.${svc}`, "SRV", `SRV 8080 peer-0.peers.${svc}, SRV 8080 10-244-0-2.peers.${svc}`],
  [`_http._tcp.empty.${svc}`, "SRV", "missing"],
  [`elsewhere.${svc}`, "A", "CNAME db.example.com"],
  [`elsewhere.${svc}`, "AAAA", "CNAME db.example.com"],
  [`x.elsewhere.${svc}`, "A", "missing"],
  ["10.0.96.10.in-addr.arpa", "PTR", `PTR web.${svc}`],
  ["10.0.96.10.in-addr.arpa", "A", "empty"],
  ["11.0.96.10.in-addr.arpa", "PTR", "none"],
  ["10-244-0-7.default.pod.cluster.local", "A", "A 10.244.0.7"],
  ["10-244-0-7.default.pod.cluster.local", "AAAA", "empty"],
  ["10-244-0-777.default.pod.cluster.local", "A", "missing"],
  ["web.default.pod.cluster.local", "A", "missing"],
  ["default.svc.example.com", "A", "none"],
  ["notcluster.local", "A", "none"],
  ["cluster.local", "A", "empty"],
  ["svc.cluster.local", "A", "empty"],
  ["nothing.cluster.local", "A", "missing"],
])("%s %s: %s", (name, type, expected) => {
  expect(show(lookUp(names, name, type))).toBe(expected);
});

test("SRV answers include the addresses of their targets", () => {
  const answer = lookUp(names, `_http._tcp.peers.${svc}`, "SRV");
  expect(answer.type === "records" && answer.additional).toEqual([
    { type: "A", name: `peer-0.peers.${svc}`, data: "10.244.0.1" },
    { type: "A", name: `10-244-0-2.peers.${svc}`, data: "10.244.0.2" },
    { type: "AAAA", name: `peer-0.peers.${svc}`, data: "fd00::1" },
  ]);
});
