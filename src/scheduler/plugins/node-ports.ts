import { type Plugin, unschedulable } from "../framework.ts";
import { hostPorts, portTaken } from "../node-info.ts";

const unfit = unschedulable("node(s) didn't have free ports for the requested pod ports");

/** Rejects nodes on which another Pod holds a host port that the Pod asks for. */
export const nodePorts: Plugin = {
  name: "NodePorts",
  preFilter(pod) {
    const wanted = hostPorts(pod);
    if (wanted.length === 0) return undefined;
    return {
      type: "filtering",
      filter: ({ ports }) => (wanted.some((port) => portTaken(ports, port)) ? unfit : undefined),
    };
  },
  helps(pod, event) {
    if (event.type === "nodeAdded") return true;
    if (event.type !== "podRemoved") return false;
    const freed = new Map(hostPorts(event.pod).map((port) => [port, 1]));
    return hostPorts(pod).some((port) => portTaken(freed, port));
  },
};
