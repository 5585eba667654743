import { expect, test } from "vitest";
import { commandName, shellWord } from "./invocation.ts";

const PATH = "/usr/local/bin:/usr/bin";
test.each([
  ["/usr/local/bin/knarr", { PATH }, "/home/me", "knarr"],
  ["/home/me/app/node_modules/.bin/knarr", { PATH, npm_command: "exec" }, "/home/me/app", "npx knarr"],
  ["/src/knarr/bin/knarr.js", { PATH, npm_command: "run-script" }, "/src/knarr", "npx knarr"],
  ["/src/knarr/bin/knarr.js", { PATH }, "/src/knarr", "node bin/knarr.js"],
  ["/src/knarr/bin/knarr.js", { PATH }, "/home/me/some/where/else", "node /src/knarr/bin/knarr.js"],
  ["/src/my knarr/bin/knarr.js", {}, "/", "node 'src/my knarr/bin/knarr.js'"],
])("%s with %j in %s is called as %s", (script, env, cwd, command) => {
  expect(commandName({ argv: ["/usr/bin/node", script], env, cwd })).toBe(command);
});

test("a word of a shell is quoted when necessary", () => {
  expect([shellWord("/a/b-c.d"), shellWord("it's"), shellWord("")]).toEqual(["/a/b-c.d", `'it'\\''s'`, "''"]);
});
