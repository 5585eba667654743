import { describe, test } from "vitest";
import { runtimeSuite } from "../runtime.suite.ts";
import { containerdUnavailable, openCri } from "./containerd.suite.ts";

const unavailable = containerdUnavailable();
const features = {
  images: true,
  commands: true,
  sessions: true,
  dial: true,
  adoption: true,
  // containerd 1.6 knows no signals, which came to CRI with Kubernetes v1.33. CRI has no call that ends an exec, and no
  // answer that a port is open.
  lacks: ["stop signals", "the end of exec", "the refusal of dial"],
} as const;

if (unavailable === undefined) runtimeSuite("containerd by CRI", features, openCri);
else describe.skip(`CRI runtime: ${unavailable}`, () => test("is not run", () => {}));
