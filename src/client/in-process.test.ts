import { InProcessTransport } from "./in-process.ts";
import { describeTransport } from "./transport.suite.ts";

describeTransport(
  "in-process transport",
  (handler) => new InProcessTransport(handler, { name: "jane", groups: [] }),
);
