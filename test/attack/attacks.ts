import type { Attack } from "./attack.ts";
import { connections } from "./cases/connections.ts";
import { patches } from "./cases/patches.ts";
import { permissions } from "./cases/permissions.ts";

/** Every attack, in the order in which they run. */
export const attacks: readonly Attack[] = [...patches, ...permissions, ...connections];
