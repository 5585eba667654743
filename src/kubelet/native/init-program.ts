import { fileURLToPath } from "node:url";
import { packageRoot } from "../../util/package-root.ts";

/** The program that becomes the containers' processes (`native/init/`), built for this machine's architecture. */
export const initProgram = fileURLToPath(new URL(`native/init/knarr-init-${process.arch}`, packageRoot));
