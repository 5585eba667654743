import type { Attack } from "./attack.ts";
import { bodies } from "./cases/bodies.ts";
import { connections } from "./cases/connections.ts";
import { forms } from "./cases/forms.ts";
import { patches } from "./cases/patches.ts";
import { permissions } from "./cases/permissions.ts";
import { proxies } from "./cases/proxies.ts";
import { quotaAttacks } from "./cases/quotas.ts";
import { worstShapes } from "./cases/worst-shapes.ts";

/** Every attack, in the order in which they run. */
export const attacks: readonly Attack[] = [
  ...patches,
  ...bodies,
  ...forms,
  ...permissions,
  ...quotaAttacks,
  ...proxies,
  ...connections,
  ...worstShapes,
];
