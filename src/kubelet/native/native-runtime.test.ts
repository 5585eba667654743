import { describe, test } from "vitest";
import { runtimeSuite } from "../runtime.suite.ts";
import { nativeUnavailable } from "./native-runtime.ts";
import { openNative } from "./native.suite.ts";

const unavailable = nativeUnavailable();
const features = { images: true, commands: true, sessions: true, dial: true, adoption: true };

if (unavailable === undefined) runtimeSuite("native", features, openNative);
else describe.skip(`native runtime: ${unavailable}`, () => test("is not run", () => {}));
