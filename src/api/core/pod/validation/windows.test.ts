import { expect, test } from "vitest";
import { describe as text, root } from "../../../../meta/field-error.ts";
import { validateWindowsOptions } from "./windows.ts";

test.each([
  [65_536, false],
  [65_537, true],
])("a credential spec of %i bytes is too large: %s", (size, isTooLarge) => {
  const gmsaCredentialSpec = "é".repeat(size >> 1) + "x".repeat(size & 1);
  const message = `gmsaCredentialSpec: Invalid value: "${gmsaCredentialSpec}": gmsaCredentialSpec size must be under 64 KiB`;
  const errors = [...validateWindowsOptions({ gmsaCredentialSpec }, root)].map(text);
  expect(errors).toEqual(isTooLarge ? [message] : []);
});
