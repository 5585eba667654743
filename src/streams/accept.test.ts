import { expect, test } from "vitest";
import { negotiate } from "./accept.ts";

const known = new Map([
  ["v5.channel.k8s.io", 5],
  ["v4.channel.k8s.io", 4],
]);

test.each([
  ["v5.channel.k8s.io", 5],
  ["v4.channel.k8s.io,v5.channel.k8s.io", 4],
  ["v6.channel.k8s.io , v5.channel.k8s.io", 5],
  ["  v4.channel.k8s.io  ", 4],
])("of %j the client's first choice that is known is taken", (offered, version) => {
  expect(negotiate(offered, known)).toEqual([`v${version}.channel.k8s.io`, version]);
});

test.each([
  [undefined, "[]"],
  ["", "[]"],
  ["v1,__proto__", "[v1 __proto__]"],
  ["V5.CHANNEL.K8S.IO", "[V5.CHANNEL.K8S.IO]"],
])("of %j none is known", (offered, named) => {
  expect(() => negotiate(offered, known)).toThrow(
    `unable to upgrade: unable to negotiate protocol: client supports ${named}, server accepts [v5.channel.k8s.io v4.channel.k8s.io]`,
  );
});
