import { expect, test } from "vitest";
import { sudoUser } from "./invoking-user.ts";

test.each([
  [{ SUDO_UID: "1000", SUDO_GID: "100" }, 0, { uid: 1000, gid: 100 }],
  [{ SUDO_UID: "1000", SUDO_GID: "100" }, 1000, undefined],
  [{ SUDO_UID: "0", SUDO_GID: "0" }, 0, undefined],
  [{}, 0, undefined],
  [{ SUDO_UID: "1000" }, 0, undefined],
  [{ SUDO_UID: "-1", SUDO_GID: "1" }, 0, undefined],
  [{ SUDO_UID: "4294967295", SUDO_GID: "1" }, 0, undefined],
  [{ SUDO_UID: "1e3", SUDO_GID: "1" }, 0, undefined],
])("%j for account %d means %j", (env, own, user) => {
  expect(sudoUser(env, own)).toEqual(user);
});
